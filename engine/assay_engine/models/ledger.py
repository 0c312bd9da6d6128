"""Counts what is spent and stops before a limit is passed: that of one check, and that of a day."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from functools import partial

from msgspec import Struct

from assay_engine.errors import BudgetSpent, ModelError, StoreError
from assay_engine.models.departing import telling_unsent
from assay_engine.models.tokens import estimated_cost, used_by, used_by_interrupted
from assay_engine.settings import Budget
from assay_engine.store import Store, memory_store
from assay_engine.types import Model, Prompt, Reply, Usage

KEPT_DAYS = 40

_INSERT = "INSERT INTO ledger (day, tokens) VALUES (?, ?)"


class Reservation(Struct, frozen=True):
    """One request's place in the books of a day, and the tokens set aside for it."""

    store: Store
    entry: int
    tokens: int


class Ledger:
    """Reserves before a request is sent and settles after it.

    One per check, that is per run of it: its own limits count from `spent`, which is what an
    earlier part of the same run took, and end with it. The day's count is shared by all processes
    and kept in the store. A process killed between reserving and settling leaves its reservation
    standing until the day is over: what may have been spent counts as spent. `today` gives the UTC
    day.
    """

    def __init__(
        self,
        store: Store,
        budget: Budget,
        *,
        today: Callable[[], date],
        spent: Usage | None = None,
    ) -> None:
        self._store = store
        self._budget = budget
        self._today = today
        spent = spent or Usage()
        self._requests, self._tokens = spent.requests, spent.tokens
        # As last seen: what to go on from if the store fails.
        self._day_tokens = 0

    @property
    def requests(self) -> int:
        """Sent, or about to be, by this check."""
        return self._requests

    @property
    def tokens(self) -> int:
        """Spent or reserved by this check."""
        return self._tokens

    def reserve(self, tokens: int) -> Reservation:
        """Set `tokens` and one request aside. Raises `BudgetSpent`."""
        budget = self._budget
        self._refuse(self._requests, 1, budget.requests_per_check, "requests_per_check")
        self._refuse(self._tokens, tokens, budget.tokens_per_check, "tokens_per_check")
        try:
            reservation = self._reserve(tokens)
        except StoreError:
            # The limits matter more than the file: go on counting in memory, from what was known.
            day = self._today().isoformat()
            self._store = memory_store()
            self._store.transaction(lambda books: books.execute(_INSERT, (day, self._day_tokens)))
            reservation = self._reserve(tokens)
        self._requests += 1
        self._tokens += tokens
        return reservation

    def settle(self, reservation: Reservation, spent: Usage) -> None:
        """Replace a reservation by what was really spent."""
        self._requests += spent.requests - 1
        self._tokens += spent.tokens - reservation.tokens
        values = (spent.tokens, reservation.entry)
        # If the file fails, the reservation stands: that counts too much and never too little.
        with suppress(StoreError):
            reservation.store.transaction(
                lambda books: books.execute("UPDATE ledger SET tokens = ? WHERE entry = ?", values)
            )

    def _refuse(self, spent: int, wanted: int, limit: int, setting: str) -> None:
        """Raises `BudgetSpent` if what is wanted would pass the limit."""
        if spent + wanted <= limit:
            return
        unit, _, span = setting.partition("_per_")
        whose = "today" if span == "day" else "this check"
        raise BudgetSpent(refusal(whose, unit, limit, spent, wanted, f"budget.{setting}"))

    def spent_today(self) -> int:
        """Tokens of this day, of all checks. Raises `StoreError`."""
        day = self._today().isoformat()
        return self._store.transaction(lambda books: _sum(books, day))

    def _reserve(self, tokens: int) -> Reservation:
        day = self._today()
        oldest = (day - timedelta(days=KEPT_DAYS)).isoformat()

        def write(books: sqlite3.Connection) -> tuple[int, int]:
            spent = _sum(books, day.isoformat())
            self._refuse(spent, tokens, self._budget.tokens_per_day, "tokens_per_day")
            books.execute("DELETE FROM ledger WHERE day < ?", (oldest,))
            return spent, books.execute(_INSERT, (day.isoformat(), tokens)).lastrowid or 0

        spent, entry = self._store.transaction(write)
        self._day_tokens = spent + tokens
        return Reservation(self._store, entry, tokens)


class MeteredModel:
    """Asks `inner` only for what `ledger` allows.

    Where there is room but for what is reserved, requests wait, in the order in which they were
    made, until those under way have settled: which are refused does not depend on how long others
    take. A deadline is for the caller to set, as for the replies themselves.
    """

    def __init__(self, inner: Model, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()
        self._under_way = 0

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        with telling_unsent():
            reservation = await self._reserved(estimated_cost(prompt))
        return await metered(self._inner, prompt, sample, partial(self._settle, reservation))

    async def _reserved(self, tokens: int) -> Reservation:
        """Raises `BudgetSpent` if there is no room though nothing is under way."""
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
        self._ledger.settle(reservation, spent)
        self._under_way -= 1
        self._settled.set()


def refusal(whose: str, unit: str, limit: int, spent: int, wanted: int, setting: str) -> str:
    """Why a request is not sent, and which setting would allow it."""
    return (
        f"The budget of {whose} is {limit:,} {unit}, {spent:,} are spent or reserved "
        f"and this request may take {wanted:,}; raise {setting} to go on."
    )


async def metered(
    model: Model, prompt: Prompt, sample: int, settle: Callable[[Usage], None]
) -> Reply:
    """What `model` says. `settle` is told what the request took, whatever becomes of it."""
    try:
        reply = await model.reply(prompt, sample)
    except asyncio.CancelledError as cancellation:
        settle(used_by_interrupted(cancellation, prompt))
        raise
    except ModelError as failure:
        settle(used_by(failure, prompt))
        raise
    settle(reply.usage)
    return reply


def _sum(books: sqlite3.Connection, day: str) -> int:
    query = "SELECT total(tokens) FROM ledger WHERE day = ?"
    return int(books.execute(query, (day,)).fetchone()[0])
