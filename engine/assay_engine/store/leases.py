"""Leases: who is at a piece of work, so that other processes wait for its result.

A lease is renewed while its holder lives, and lapses soon after the holder was killed.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from assay_engine.errors import StoreError
from assay_engine.store.store import Store

# A loop that reads a large workspace may not renew for seconds.
LEASE_SECONDS = 30.0
RENEW_SECONDS = 10.0
LOOK_SECONDS = 0.5


class Leases:
    """The leases that one engine holds. `clock` is shared by all processes of the machine."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._holder = f"{os.getpid()}-{uuid.uuid4().hex}"

    @asynccontextmanager
    async def held(self, work: str, waits: Callable[[], None]) -> AsyncGenerator[None]:
        """Hold the lease on a piece of work. If another process holds it, `waits` is called, and
        the lease is taken over when that process lets go, or has not renewed it in time."""
        while not self._take(work):
            waits()
            await asyncio.sleep(LOOK_SECONDS)
        renewing = asyncio.create_task(self._renew(work))
        try:
            yield
        finally:
            renewing.cancel()
            self._let_go(work)
            await asyncio.wait([renewing])

    async def _renew(self, work: str) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            self._take(work)

    def _take(self, work: str) -> bool:
        """Take or renew the lease, unless another holds it. Without a store, there is no other."""
        now = self._clock()

        def take(connection: sqlite3.Connection) -> bool:
            # A time too far ahead is of a clock that has been set back since, as by a restart.
            connection.execute(
                "DELETE FROM leases WHERE until <= ? OR until > ?", (now, now + LEASE_SECONDS)
            )
            query = "SELECT 1 FROM leases WHERE work = ? AND holder <> ?"
            if connection.execute(query, (work, self._holder)).fetchone() is not None:
                return False
            values = (work, self._holder, now + LEASE_SECONDS)
            connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?)", values)
            return True

        with suppress(StoreError):
            return self._store.transaction(take)
        return True

    def _let_go(self, work: str) -> None:
        with suppress(StoreError):
            self._store.transaction(
                lambda connection: connection.execute(
                    "DELETE FROM leases WHERE work = ? AND holder = ?", (work, self._holder)
                )
            )
