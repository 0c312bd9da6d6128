"""Counts what is spent, across processes and days, and stops before a limit is passed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import date, timedelta

from assay_engine.errors import BudgetSpent, ReplyUnusable, StoreError
from assay_engine.models.failures import ModelStalled
from assay_engine.models.tokens import estimated_cost
from assay_engine.settings import Budget
from assay_engine.store import Store, memory_store
from assay_engine.types import Model, Prompt, Reply, Usage

KEPT_DAYS = 40


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
        self._last_seen = (Usage(), 0)

    def reserve(self, tokens: int) -> int:
        """Set `tokens` and one request aside. Raises `BudgetSpent`. Returns a number to settle."""
        try:
            return self._reserve(tokens)
        except StoreError:
            # The money matters more than the file: go on counting in memory, from what was known.
            self._go_on_in_memory()
            return self._reserve(tokens)

    def settle(self, entry: int, spent: Usage) -> None:
        """Replace a reservation by what was really spent."""
        try:
            with self._store.transaction() as connection:
                connection.execute(
                    "UPDATE ledger SET requests = ?, tokens = ? WHERE entry = ?",
                    (spent.requests, spent.tokens, entry),
                )
        except StoreError:
            # The reservation stands, which counts too much and never too little.
            return

    def spent_by_check(self) -> Usage:
        """Requests and tokens of this check; all tokens are given as prompt tokens."""
        with self._store.transaction() as connection:
            return _sum(connection, "check_id", self._check)

    def spent_today(self) -> Usage:
        """Requests and tokens of this day, of all checks; all tokens as prompt tokens."""
        with self._store.transaction() as connection:
            return _sum(connection, "day", self._today().isoformat())

    def _reserve(self, tokens: int) -> int:
        day = self._today()
        with self._store.transaction() as connection:
            check = _sum(connection, "check_id", self._check)
            today = _sum(connection, "day", day.isoformat())
            self._last_seen = (check, today.tokens)
            self._refuse_excess(check, today, tokens)
            oldest = (day - timedelta(days=KEPT_DAYS)).isoformat()
            connection.execute("DELETE FROM ledger WHERE day < ?", (oldest,))
            cursor = connection.execute(
                "INSERT INTO ledger (check_id, day, requests, tokens) VALUES (?, ?, 1, ?)",
                (self._check, day.isoformat(), tokens),
            )
            return cursor.lastrowid or 0

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
        check, tokens_today = self._last_seen
        self._store = memory_store()
        day = self._today().isoformat()
        others = tokens_today - check.tokens
        with self._store.transaction() as connection:
            connection.executemany(
                "INSERT INTO ledger (check_id, day, requests, tokens) VALUES (?, ?, ?, ?)",
                [(self._check, day, check.requests, check.tokens), ("", day, 0, others)],
            )


class MeteredModel:
    """Asks `inner` only for what `ledger` allows."""

    def __init__(self, inner: Model, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        entry = self._ledger.reserve(estimated_cost(prompt))
        try:
            reply = await self._inner.reply(prompt, sample)
        except (ModelStalled, ReplyUnusable):
            # The model may have written, and been paid for, what never arrived: as it may when a
            # check is cancelled, which passes through here too. The reservation stands.
            raise
        except Exception:
            self._ledger.settle(entry, Usage(requests=1))
            raise
        self._ledger.settle(entry, reply.usage)
        return reply


def _sum(connection: sqlite3.Connection, column: str, value: str) -> Usage:
    query = f"SELECT total(requests), total(tokens) FROM ledger WHERE {column} = ?"
    requests, tokens = connection.execute(query, (value,)).fetchone()
    return Usage(requests=int(requests), prompt_tokens=int(tokens))
