"""Counts the tokens and requests of a day, and stops before the day's limit is passed."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from functools import partial

from msgspec import Struct

from assay_engine.config.settings import Budget, Prices
from assay_engine.errors import BudgetSpent, StoreError
from assay_engine.models.counting import estimated_cost
from assay_engine.models.rationing import metered, refusal
from assay_engine.models.slots import telling_unsent
from assay_engine.store import Store, memory_store
from assay_engine.types import Model, Price, Prompt, Reply, Usage

KEPT_DAYS = 40

_INSERT = "INSERT INTO ledger (day, tokens, requests) VALUES (?, ?, ?)"
_SETTLE = (
    "UPDATE ledger SET requests = ?, tokens = ?, prompt_tokens = ?, cached_tokens = ?, "
    "completion_tokens = ?, price = ?, currency = ?, is_settled = 1 WHERE entry = ?"
)
# A sum of what each request cost. Whoever made a file up has no request give tokens back, and none
# cost more than any number.
_TOTAL = "total(max(0, min({0}, 1e15)))"
_KINDS = ("prompt_tokens", "cached_tokens", "completion_tokens")
_OF_DAY = ", ".join(
    [
        *(f"{_TOTAL.format(each)} FILTER (WHERE is_settled)" for each in ("requests", "tokens")),
        f"{_TOTAL.format('tokens')} FILTER (WHERE NOT is_settled)",
        *map(_TOTAL.format, _KINDS),
    ]
)
_SUMS = f"SELECT {_OF_DAY} FROM ledger WHERE day = ?"
_SPENT = f"SELECT {', '.join(map(_TOTAL.format, ('tokens', 'requests')))} FROM ledger WHERE day = ?"
_PRICES = (
    "SELECT total(price), currency FROM ledger "
    "WHERE day = ? AND prompt_tokens + completion_tokens > 0 GROUP BY currency"
)


class Reservation(Struct, frozen=True):
    """The entry of one request in a day's books."""

    store: Store
    entry: int


class Day(Struct, frozen=True):
    """The requests of a day, and its tokens: all, and of these those read, cached (among them), and
    written. They only grow.

    `reserved_tokens` come on top: they are set aside for requests under way, or were when a process
    was killed. `price` is of what was read and written; None if that of a part is not known.
    """

    requests: int = 0
    tokens: int = 0
    reserved_tokens: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    price: Price | None = None


class Ledger:
    """Reserves tokens before a request is sent, and settles the reservation after it.

    A request that reserves none is by a model that nobody pays by the token: it counts as itself,
    against the requests of the day.

    The count is kept in the store and shared by all checks and processes. If a process is killed
    between reserving and settling, its reservation stands until the day is over: tokens that may
    have been spent count as spent. `today` gives the UTC day.
    """

    def __init__(self, store: Store, budget: Budget, *, today: Callable[[], date]) -> None:
        self._store = store
        self._budget = budget
        self._today = today
        # The day's tokens and requests as last seen, to count on from if the store fails.
        self._seen = 0, 0

    def reserve(self, tokens: int) -> Reservation:
        """Set `tokens` aside. Raises `BudgetSpent`."""
        try:
            return self._reserve(tokens)
        except StoreError:
            # The limit matters more than the file: count on in memory, from the last known number.
            day = self._today().isoformat()
            self._store = memory_store()
            seen = (day, *self._seen)
            self._store.transaction(lambda books: books.execute(_INSERT, seen))
            return self._reserve(tokens)

    def settle(self, reservation: Reservation, spent: Usage, price: Price | None = None) -> None:
        """Replace a reservation by what was really spent."""
        values = (
            spent.requests,
            spent.tokens,
            spent.prompt_tokens,
            spent.cached_tokens,
            spent.completion_tokens,
            price and price.amount,
            price and price.currency,
            reservation.entry,
        )
        # If the file fails, the reservation stands: this counts too much, but never too little.
        with suppress(StoreError):
            reservation.store.transaction(lambda books: books.execute(_SETTLE, values))

    def day(self) -> Day:
        """What this day has cost, over all checks. Raises `StoreError`."""
        day = (self._today().isoformat(),)

        def read(books: sqlite3.Connection) -> Day:
            prices = books.execute(_PRICES, day).fetchall()
            known = len(prices) == 1 and prices[0][1] is not None
            price = Price(*prices[0]) if known else None
            return Day(*map(int, books.execute(_SUMS, day).fetchone()), price=price)

        return self._store.transaction(read)

    def _reserve(self, tokens: int) -> Reservation:
        day = self._today()
        oldest = (day - timedelta(days=KEPT_DAYS)).isoformat()

        def write(books: sqlite3.Connection) -> tuple[tuple[int, int], int]:
            spent, requests = map(int, books.execute(_SPENT, (day.isoformat(),)).fetchone())
            budget = self._budget
            unit, limit, seen, wanted = "tokens", budget.tokens_per_day, spent, tokens
            if not tokens:
                unit, limit, seen, wanted = "requests", budget.requests_per_day, requests, 1
            if seen + wanted > limit:
                setting = f"budget.{unit}_per_day"
                raise BudgetSpent(refusal("today", unit, limit, seen, wanted, setting))
            books.execute("DELETE FROM ledger WHERE day < ?", (oldest,))
            entry = books.execute(_INSERT, (day.isoformat(), tokens, 1)).lastrowid or 0
            return (spent + tokens, requests + 1), entry

        self._seen, entry = self._store.transaction(write)
        return Reservation(self._store, entry)


class MeteredModel:
    """Asks `inner` only for replies that `ledger` allows, by their tokens if these are `counted`.

    Where only reservations leave no room, requests wait, in the order in which they were made,
    until the requests under way have settled. So which requests are refused does not depend on how
    long others of the same check take. The caller has to set a deadline, as for the replies.
    """

    def __init__(
        self, inner: Model, ledger: Ledger, prices: Prices | None = None, *, counted: bool = True
    ) -> None:
        self.name = inner.name
        self._inner = inner
        self._ledger = ledger
        self._prices = prices
        self._counted = counted
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()
        self._under_way = 0

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        with telling_unsent():
            reservation = await self._reserved(estimated_cost(prompt) if self._counted else 0)
        return await metered(self._inner, prompt, sample, partial(self._settle, reservation))

    async def _reserved(self, tokens: int) -> Reservation:
        """Reserve tokens. Raises `BudgetSpent` if there is no room though nothing is under way."""
        async with self._turn:
            while True:
                try:
                    reservation = self._ledger.reserve(tokens)
                except BudgetSpent:
                    if not self._under_way:
                        raise
                else:
                    self._under_way += 1
                    return reservation
                self._settled.clear()
                await self._settled.wait()

    def _settle(self, reservation: Reservation, spent: Usage) -> None:
        self._ledger.settle(reservation, spent, self._prices and self._prices.of(spent))
        self._under_way -= 1
        self._settled.set()
