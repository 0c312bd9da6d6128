"""Counts what is spent, across processes and days, and stops before a limit is passed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from assay_engine.errors import BudgetSpent, ModelUnavailable, StoreError
from assay_engine.models.failures import AnswerLost
from assay_engine.models.tokens import estimated_cost
from assay_engine.settings import Budget
from assay_engine.store import Store, memory_store
from assay_engine.types import Model, Prompt, Reply, Usage

KEPT_DAYS = 40

_INSERT = "INSERT INTO ledger (check_id, day, requests, tokens) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Reservation:
    """One request's place in the books."""

    store: Store
    entry: int


class Ledger:
    """Reserves before a request is sent and settles after it.

    A process killed between the two leaves its reservation standing: what may have been spent
    counts as spent. `today` gives the UTC day; `check` names what the per-check limits are for.
    """

    def __init__(
        self, store: Store, budget: Budget, *, check: str, today: Callable[[], date]
    ) -> None:
        self._store = store
        self._budget = budget
        self._check = check
        self._today = today
        self._check_spent = Usage()
        self._day_spent = Usage()

    def reserve(self, tokens: int) -> Reservation:
        """Set `tokens` and one request aside. Raises `BudgetSpent`."""
        try:
            return self._reserve(tokens)
        except StoreError:
            # The limits matter more than the file: go on counting in memory, from what was known.
            self._go_on_in_memory()
            return self._reserve(tokens)

    def settle(self, reservation: Reservation, spent: Usage) -> None:
        """Replace a reservation by what was really spent."""
        values = (spent.requests, spent.tokens, reservation.entry)
        # If the file fails, the reservation stands: that counts too much and never too little.
        with suppress(StoreError):
            reservation.store.transaction(
                lambda connection: connection.execute(
                    "UPDATE ledger SET requests = ?, tokens = ? WHERE entry = ?", values
                )
            )

    def spent_by_check(self) -> Usage:
        """Requests and tokens of this check; all tokens are given as prompt tokens."""
        return self._store.transaction(lambda books: _sum(books, "check_id", self._check))

    def spent_today(self) -> Usage:
        """Requests and tokens of this day, of all checks; all tokens as prompt tokens."""
        day = self._today().isoformat()
        return self._store.transaction(lambda books: _sum(books, "day", day))

    def _reserve(self, tokens: int) -> Reservation:
        day = self._today()
        oldest = (day - timedelta(days=KEPT_DAYS)).isoformat()

        def write(books: sqlite3.Connection) -> int:
            self._check_spent = _sum(books, "check_id", self._check)
            self._day_spent = _sum(books, "day", day.isoformat())
            self._refuse_excess(self._check_spent, self._day_spent, tokens)
            books.execute("DELETE FROM ledger WHERE day < ?", (oldest,))
            row = (self._check, day.isoformat(), 1, tokens)
            return books.execute(_INSERT, row).lastrowid or 0

        entry = self._store.transaction(write)
        reserved = Usage(requests=1, prompt_tokens=tokens)
        self._check_spent += reserved
        self._day_spent += reserved
        return Reservation(self._store, entry)

    def _refuse_excess(self, check: Usage, today: Usage, tokens: int) -> None:
        budget = self._budget
        for spent, wanted, limit, setting, whose in (
            (check.requests, 1, budget.requests_per_check, "requests_per_check", "this check"),
            (check.tokens, tokens, budget.tokens_per_check, "tokens_per_check", "this check"),
            (today.tokens, tokens, budget.tokens_per_day, "tokens_per_day", "today"),
        ):
            if spent + wanted > limit:
                unit = setting.split("_", 1)[0]
                raise BudgetSpent(
                    f"The budget of {whose} is {limit:,} {unit}, {spent:,} are spent or reserved "
                    f"and this request may take {wanted:,}; raise budget.{setting} to go on."
                )

    def _go_on_in_memory(self) -> None:
        day = self._today().isoformat()
        check = self._check_spent
        others = max(0, self._day_spent.tokens - check.tokens)
        known = [(self._check, day, check.requests, check.tokens), ("", day, 0, others)]
        self._store = memory_store()
        self._store.transaction(lambda books: books.executemany(_INSERT, known))


class MeteredModel:
    """Asks `inner` only for what `ledger` allows."""

    def __init__(self, inner: Model, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        reservation = self._ledger.reserve(estimated_cost(prompt))
        try:
            reply = await self._inner.reply(prompt, sample)
        except AnswerLost:
            # The model may have written, and been paid for, what never arrived; likewise when a
            # check is cancelled, or a reply came that is of no use. There the reservation stands.
            raise
        except ModelUnavailable:
            self._ledger.settle(reservation, Usage(requests=1))
            raise
        self._ledger.settle(reservation, reply.usage)
        return reply


def _sum(connection: sqlite3.Connection, column: str, value: str) -> Usage:
    query = f"SELECT total(requests), total(tokens) FROM ledger WHERE {column} = ?"
    requests, tokens = connection.execute(query, (value,)).fetchone()
    return Usage(requests=int(requests), prompt_tokens=int(tokens))
