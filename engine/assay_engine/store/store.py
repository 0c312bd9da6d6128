"""Stores JSON values by kind and key, bounded in bytes; the least recently used leave first.

A lease says who is at a piece of work, so that other processes wait for its result. It is renewed
while its holder lives. Once the holder was killed, nobody waits for it who can see that, and it
lapses soon after for all others: in another container, or on another machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sqlite3
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Literal, Self

import psutil

from assay_engine.errors import ConfigurationError, StoreError
from assay_engine.store.database import VALUE_BYTES_MAX, Database, Result

DEFAULT_MAX_BYTES = 256 * 1024 * 1024

# Reads are noted in memory and written with the next write, so that a hit costs no write.
_NOTED_READS_MAX = 4096

# The bytes that a row costs beside its value: keys, indices, page headers.
_ROW_BYTES = 200

# A few rows are evicted at a time, so that a full store does not evict on every write.
_EVICTED_AT_ONCE = 32

# What is wanted of a file, and that something was found in it, is kept by the file's path;
# everything else by a digest.
Kind = Literal["reply", "report", "dialect", "wanted", "found"]


class Store:
    """A store for one thread at a time and several processes. All methods raise `StoreError`."""

    def __init__(self, database: Database, max_bytes: int) -> None:
        self._database = database
        self._max_bytes = max_bytes
        self._read: set[tuple[str, str]] = set()

    @property
    def where(self) -> str:
        """The file's path, for messages."""
        return self._database.where

    @property
    def notice(self) -> str | None:
        """A sentence for the user if a damaged file had to be replaced, or if the store failed."""
        return self._database.notice

    def size(self) -> int:
        """The bytes that replies, reports and dialects take, keys included."""
        row = self._database.read("SELECT bytes FROM totals", ())
        return _integer(row)

    def transaction(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `work` for the ledger or the consents, which have tables of their own.

        Either all of `work` is done or nothing, and no other process comes in between. `work` may
        be called a second time.
        """
        return self._database.transaction(work)

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        try:
            if self._read:
                self._database.transaction(self._note_reads)
        finally:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, kind: Kind, key: str) -> object | None:
        """The value, or None if there is none, or none that can be read."""
        query = "SELECT value FROM entries WHERE kind = ? AND key = ?"
        row = self._database.read(query, (kind, key))
        if row is None:
            return None
        self._read.add((kind, key))
        if len(self._read) >= _NOTED_READS_MAX:
            self._database.transaction(self._note_reads)
        try:
            value: object = json.loads(str(row[0]))
        except (ValueError, RecursionError):
            return None
        return value

    def keys(self, kind: Kind, start: str, most: int) -> tuple[str, ...]:
        """At most so many keys that begin with `start`, those that were used last first."""
        row = self._database.read(
            "SELECT json_group_array(key) FROM (SELECT key FROM entries"
            " WHERE kind = ? AND substr(key, 1, ?) = ? ORDER BY used DESC LIMIT ?)",
            (kind, len(start), start, most),
        )
        found: list[str] = json.loads(str(row[0])) if row is not None else []
        return tuple(found)

    def put(self, kind: Kind, key: str, value: object) -> None:
        """Put a value, in place of what was there; one that is too large is dropped."""
        text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
        size = len(text) + len(key) + _ROW_BYTES
        if size > min(self._max_bytes, VALUE_BYTES_MAX):
            return

        def put(connection: sqlite3.Connection) -> None:
            self._note_reads(connection)
            _remove(connection, kind, key)
            turn = _next_turn(connection)
            connection.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (kind, key, text, size, turn)
            )
            connection.execute("UPDATE totals SET bytes = bytes + ?", (size,))
            self._evict(connection, turn)

        self._database.transaction(put)

    def _note_reads(self, connection: sqlite3.Connection) -> None:
        turn = _next_turn(connection)
        connection.executemany(
            "UPDATE entries SET used = ? WHERE kind = ? AND key = ?",
            [(turn, kind, key) for kind, key in self._read],
        )
        self._read.clear()

    def _evict(self, connection: sqlite3.Connection, turn: int) -> None:
        """Make room, but never by removing the value that was put in this `turn`."""
        while _integer(connection.execute("SELECT bytes FROM totals").fetchone()) > self._max_bytes:
            oldest = connection.execute(
                "SELECT kind, key FROM entries WHERE used < ? ORDER BY used LIMIT ?",
                (turn, _EVICTED_AT_ONCE),
            ).fetchall()
            if not oldest:
                return
            for kind, key in oldest:
                _remove(connection, kind, key)


def open_store(path: Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Store:
    """Open the store in the file at `path`, made if missing. Raises `StoreError`."""
    return Store(Database(path), max_bytes)


def memory_store(*, max_bytes: int = DEFAULT_MAX_BYTES) -> Store:
    """A store in memory that ends with the process, to go on with when the disk refuses."""
    return Store(Database(None), max_bytes)


def _remove(connection: sqlite3.Connection, kind: str, key: str) -> None:
    where = "WHERE kind = ? AND key = ?"
    row = connection.execute(f"SELECT size FROM entries {where}", (kind, key)).fetchone()
    if row is not None:
        connection.execute(f"DELETE FROM entries {where}", (kind, key))
        connection.execute("UPDATE totals SET bytes = bytes - ?", (_integer(row),))


def _next_turn(connection: sqlite3.Connection) -> int:
    """The next tick of a clock that all processes share and that nobody can set back."""
    connection.execute("UPDATE totals SET turn = turn + 1")
    return _integer(connection.execute("SELECT turn FROM totals").fetchone())


def _integer(row: tuple[object, ...] | None) -> int:
    if row is None:
        return 0
    if not isinstance(row[0], int):
        raise StoreError(
            "The cache holds data that Assay did not write; name another file in ASSAY_STORE. "
            "This check continues without a cache."
        )
    return row[0]


_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_SQLITE = b"SQLite format 3\0"


def open_named_store(path: Path) -> Store:
    """Open a store like `open_store`, except that it also raises `ConfigurationError`.

    It does so for a file that is no store and never was one: `open_store` would set this aside as a
    damaged store.
    """
    if path.suffix not in _SUFFIXES:
        with suppress(OSError):
            with path.open("rb") as file:
                head = file.read(len(_SQLITE))
            if head and head != _SQLITE:
                raise ConfigurationError(
                    f"ASSAY_STORE names {path}, which is not a store. "
                    "Name a file that does not exist yet."
                )
    return open_store(path)


# A loop that reads a large workspace may not renew for seconds.
LEASE_SECONDS = 30.0
RENEW_SECONDS = 10.0
LOOK_SECONDS = 0.5


class Leases:
    """The leases that one engine holds. `clock` is shared by all processes of the machine."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._holder = f"{_where_numbers_count()} {os.getpid()} {uuid.uuid4().hex}"

    @asynccontextmanager
    async def held(self, work: str, waits: Callable[[], None]) -> AsyncGenerator[None]:
        """Hold the lease on a piece of work. If another process holds it, `waits` is called, and
        the lease is taken over when that process lets go or is gone, or has not renewed it in
        time."""
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
            query = "SELECT holder FROM leases WHERE work = ? AND holder <> ?"
            other = connection.execute(query, (work, self._holder)).fetchone()
            if other is not None and not _is_gone(*other):
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


def _where_numbers_count() -> str:
    """A name for where a process can be told by its number: this machine, as far as this process
    sees it, until it is started again."""
    try:
        started = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{started}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return platform.node()


def _is_gone(holder: str) -> bool:
    """Whether a holder is known to have ended. Of one elsewhere nothing is known."""
    where, _, number = holder.rpartition(" ")[0].rpartition(" ")
    return where == _where_numbers_count() and not psutil.pid_exists(int(number))
