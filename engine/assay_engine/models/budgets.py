"""The budgets of a check, of a triangulation and of a day, whichever request is answered first."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta

from msgspec import Struct, field

from assay_engine.config.settings import Budget, Thorough
from assay_engine.errors import BudgetSpent, ModelError, StoreError
from assay_engine.models.counting import estimated_cost, used_by
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


def _refusal(whose: str, unit: str, limit: int, spent: int, wanted: int, setting: str) -> str:
    """A sentence that says why a request is not sent, and which setting would allow it."""
    return (
        f"The budget of {whose} is {limit:,} {unit}, {spent:,} are spent or reserved and this "
        f"request may take {wanted:,}; raise {setting} to continue."
    )


class Allowance(Struct, frozen=True):
    """The most that requests may take together.

    Messages say `whose` allowance it is and name the `setting` for the unit.
    """

    requests: int
    tokens: int
    whose: str
    setting: str

    @classmethod
    def of_check(cls, budget: Budget) -> Allowance:
        requests, tokens = budget.requests_per_check, budget.tokens_per_check
        return cls(requests, tokens, "this check", "budget.{}_per_check")

    @classmethod
    def of_triangulation(cls, thorough: Thorough) -> Allowance:
        return cls(thorough.requests, thorough.tokens, "this triangulation", "thorough.{}")


class AllowedRequest(Struct, eq=False):
    """A request that was allowed; `taken` is what it took, once it has `ended`."""

    reserved: int
    taken: Usage = Usage()
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self, taken: Usage) -> None:
        self.taken = taken
        self.ended.set()


class Ration:
    """Gives room to the requests of one check or triangulation, whichever model they ask.

    `spent` is what has been taken before. Requests are counted in the order in which they were
    made. Where only the tokens set aside for uncounted requests leave no room, a request waits for
    the oldest of these, until there is room or all are counted. So which requests are refused
    follows from their order and from what each took, and not from how long they were under way. A
    request also waits while `uncounted_max` requests are not counted: a limit can be passed at most
    by what these take beyond what was set aside. The caller has to set a deadline, as for the
    replies themselves.
    """

    def __init__(
        self, allowance: Allowance, uncounted_max: int, spent: Usage | None = None
    ) -> None:
        self._allowance = allowance
        self._uncounted_max = uncounted_max
        self._turn = asyncio.Lock()
        self._uncounted = deque[AllowedRequest]()
        spent = spent or Usage()
        # The sums of what is counted and of what is set aside for the uncounted requests.
        self._requests, self._tokens = spent.requests, spent.tokens

    async def allowed(self, tokens: int) -> AllowedRequest:
        """The request, once there is room for it.

        Raises `BudgetSpent` if there is no room though all requests before are counted.
        """
        async with self._turn:
            while len(self._uncounted) >= self._uncounted_max:
                await self._count_oldest()
            while why := self._refused(tokens):
                if not self._uncounted:
                    raise BudgetSpent(why)
                await self._count_oldest()
            request = AllowedRequest(tokens)
            self._uncounted.append(request)
            self._requests += 1
            self._tokens += tokens
            return request

    async def _count_oldest(self) -> None:
        oldest = self._uncounted[0]
        await oldest.ended.wait()
        self._uncounted.popleft()
        self._requests += oldest.taken.requests - 1
        self._tokens += oldest.taken.tokens - oldest.reserved

    def _refused(self, tokens: int) -> str:
        """Why a request for this many tokens cannot be allowed now; empty if it can."""
        allowed = self._allowance
        for unit, limit, spent, wanted in (
            ("requests", allowed.requests, self._requests, 1),
            ("tokens", allowed.tokens, self._tokens, tokens),
        ):
            if spent + wanted > limit:
                setting = allowed.setting.format(unit)
                return _refusal(allowed.whose, unit, limit, spent, wanted, setting)
        return ""


class RationedModel:
    """Asks `inner` only for replies that the ration has room for, and counts what was `drawn`.

    Replies that `inner` takes from a cache count as if they were drawn, so that the same
    triangulation has the same outcome again.
    """

    def __init__(self, inner: Model, ration: Ration) -> None:
        self.name = inner.name
        self.drawn = Usage()
        self._inner = inner
        self._ration = ration

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        with telling_unsent():
            request = await self._ration.allowed(estimated_cost(prompt))
        try:
            reply = await self._inner.reply(prompt, sample)
        except (ModelError, asyncio.CancelledError) as failure:
            request.end(used_by(failure, prompt))
            raise
        request.end(reply.usage)
        self.drawn += reply.usage
        return reply


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

    Where only reservations leave no room, requests wait, in the order in which they were made,
    until the requests under way have settled. So which requests are refused does not depend on how
    long others of the same check take. The caller has to set a deadline, as for the replies.

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
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()
        self._under_way = 0

    async def allowed(self, tokens: int) -> Reservation:
        """As `reserve`, once there is room. Raises `BudgetSpent` if nothing is under way either."""
        async with self._turn:
            while True:
                try:
                    return self.reserve(tokens)
                except BudgetSpent:
                    if not self._under_way:
                        raise
                self._settled.clear()
                await self._settled.wait()

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
        self._under_way -= 1
        self._settled.set()

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
                raise BudgetSpent(_refusal("today", unit, limit, seen, wanted, setting))
            books.execute("DELETE FROM ledger WHERE day < ?", (oldest,))
            entry = books.execute(_INSERT, (day.isoformat(), tokens, 1)).lastrowid or 0
            return (spent + tokens, requests + 1), entry

        self._seen, entry = self._store.transaction(write)
        self._under_way += 1
        return Reservation(self._store, entry)
