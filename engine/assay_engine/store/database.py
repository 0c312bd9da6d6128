"""One SQLite file: shared by processes, sound after kill -9, and read by nobody else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from assay_engine.errors import StoreError
from assay_engine.store.schema import ForeignFile, bring_up_to_date

# Another process's transaction lasts milliseconds; who waits this long is waiting for a dead disk.
BUSY_SECONDS = 5.0

MEMORY = ":memory:"

_ADVICE = "make room there or set another cache directory; this check goes on without a cache"


class Database:
    """A connection that replaces a damaged file by an empty one and says so in `notice`."""

    def __init__(self, path: Path | None) -> None:
        """Opens or makes the file; None keeps everything in memory. Raises `StoreError`."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self.notice: str | None = None
        with self._translated():
            try:
                self._connection = _connect(path)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error) or path is None:
                    raise
                self._rebuild(path)

    @property
    def where(self) -> str:
        return MEMORY if self._path is None else str(self._path)

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection, None, None]:
        """All or nothing, and no other process between. Raises `StoreError`.

        A file found damaged here is replaced, so that the next transaction finds a sound one.
        """
        with self._translated():
            connection = self._opened()
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException as error:
                _roll_back(connection)
                if self._path and isinstance(error, sqlite3.DatabaseError) and _is_damage(error):
                    self._rebuild(self._path)
                raise

    def read(self, query: str, parameters: tuple[object, ...]) -> tuple[object, ...] | None:
        """The first row, or None. Raises `StoreError`."""
        with self._translated():
            try:
                row: tuple[object, ...] | None = (
                    self._opened().execute(query, parameters).fetchone()
                )
            except sqlite3.DatabaseError as error:
                if not _is_damage(error) or self._path is None:
                    raise
                self._rebuild(self._path)
                return None
            return row

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f"The cache at {self.where} is closed; open it again to use it.")
        return self._connection

    def _rebuild(self, path: Path) -> None:
        self.close()
        kept = path.with_name(path.name + ".damaged")
        if _still_damaged(path):
            # The log goes first: beside a new file it would be played into it.
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            path.replace(kept)
        self._connection = _connect(path)
        self.notice = (
            f"The cache at {path} was damaged and has been started anew; the old file is kept as "
            f"{kept.name}, and today's spending so far is no longer counted."
        )

    @contextmanager
    def _translated(self) -> Generator[None, None, None]:
        try:
            yield
        except ForeignFile as error:
            raise StoreError(
                f"The file {self.where} {error}; set another cache directory. "
                "This check goes on without a cache."
            ) from None
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"The cache at {self.where} cannot be used ({error}); {_ADVICE}."
            ) from error


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        _make_private(path)
    connection = sqlite3.connect(
        MEMORY if path is None else path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # A killed process loses nothing this way; a power cut loses the last few replies.
        connection.execute("PRAGMA synchronous = NORMAL")
        bring_up_to_date(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """Prompts hold the user's code: nobody else on the machine may read them."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)


def _roll_back(connection: sqlite3.Connection) -> None:
    # The transaction may have ended by itself, for example on a full disk.
    if connection.in_transaction:
        connection.rollback()


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _still_damaged(path: Path) -> bool:
    """Whether nobody else has replaced the file since the damage was met."""
    try:
        connection = _connect(path)
    except sqlite3.DatabaseError as error:
        return _is_damage(error)
    try:
        answer: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return _is_damage(error)
    finally:
        connection.close()
    return answer != "ok"
