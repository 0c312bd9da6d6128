"""One SQLite file: shared by processes, sound after kill -9, and readable by its owner only.

The tables of a store, and the migrations of files from older versions.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import TypeVar

from assay_engine.errors import StoreError

# Another process's transaction lasts milliseconds. A wait of this length is a wait for a dead disk,
# or for a process that was stopped.
BUSY_SECONDS = 5.0
# After such a wait, nobody waits again for this long: otherwise every reply of a check would wait.
IMPATIENT_SECONDS = 60.0

MEMORY = ":memory:"
# A row that is read or written.
VALUE_BYTES_MAX = 16 << 20

_PRIVATE = 0o600

_CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

Result = TypeVar("Result")

_ON = "this check continues without a cache"
_OTHER = "name another file in ASSAY_STORE"


class Database:
    """A connection that replaces a damaged file by an empty one, and says so in `notice`.

    `notice` also tells of the first later failure: callers go on without a cache.
    """

    def __init__(self, path: Path | None) -> None:
        """Open or make the file; None keeps everything in memory. Raises `StoreError`."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._impatient_until = 0.0
        self.notice: str | None = None
        with self._translated():
            try:
                self._open()
            except sqlite3.DatabaseError as error:
                if path is None or not _needs_another_file(error):
                    raise
                self._rebuild(path)

    @property
    def where(self) -> str:
        return MEMORY if self._path is None else str(self._path)

    def read(self, query: str, parameters: tuple[object, ...]) -> tuple[object, ...] | None:
        """The first row, or None. Does not wait for other processes. Raises `StoreError`."""

        def work(connection: sqlite3.Connection) -> tuple[object, ...] | None:
            row: tuple[object, ...] | None = connection.execute(query, parameters).fetchone()
            return row

        return self._repairing(work)

    def transaction(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `work` in a transaction and return its result.

        Either all of `work` is done or nothing, and no other process comes in between. `work` may
        be called a second time, on an empty file. Raises `StoreError`, and whatever `work` raises.
        """

        def whole(connection: sqlite3.Connection) -> Result:
            try:
                connection.execute("BEGIN IMMEDIATE")
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                # The transaction may have ended by itself, for example on a full disk.
                if connection.in_transaction:
                    connection.rollback()
                raise
            return result

        return self._repairing(whole)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _repairing(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        with self._translated():
            if self._connection is None:
                raise StoreError(f"The cache at {self.where} is closed; open it again to use it.")
            try:
                connection = self._connection
                # The file was deleted, or replaced by a process that found it damaged. Nobody would
                # ever read data in the old file, and two ledgers would count separately.
                if self._path is not None and _identity(self._path) != self._file:
                    self.close()
                    connection = self._open()
                impatient = monotonic() < self._impatient_until
                milliseconds = 0 if impatient else round(BUSY_SECONDS * 1000)
                connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
                return work(connection)
            except sqlite3.DatabaseError as error:
                if self._path is None or not _needs_another_file(error):
                    raise
                return work(self._rebuild(self._path))

    def _open(self) -> sqlite3.Connection:
        self._connection = _connect(self._path)
        self._file = None if self._path is None else _identity(self._path)
        return self._connection

    def _rebuild(self, path: Path) -> sqlite3.Connection:
        """Replace the file, unless another process has already done so."""
        self.close()
        with _alone_at(path):
            if _is_damaged(path):
                # The log goes first: SQLite would play an old log into the new file.
                for suffix in ("-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
                kept = path.with_name(path.name + ".damaged")
                path.replace(kept)
                self.notice = (
                    f"The cache at {path} was damaged and has been recreated; the old file is kept "
                    f"as {kept.name}, and today's spending so far is no longer counted."
                )
            return self._open()

    @contextmanager
    def _translated(self) -> Generator[None, None, None]:
        try:
            yield
        except ForeignFile as error:
            raise StoreError(
                f"The file {self.where} {error}; {_OTHER}. {_ON.capitalize()}."
            ) from None
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.Error) and _code(error) == sqlite3.SQLITE_BUSY:
                self._impatient_until = monotonic() + IMPATIENT_SECONDS
            reason = error.strerror if isinstance(error, OSError) else error
            message = f"The cache at {self.where} cannot be used ({reason}); {_help(error)}; {_ON}."
            self.notice = self.notice or message
            raise StoreError(message) from error


def _help(error: sqlite3.Error | OSError) -> str:
    """The advice for an error."""
    match error:
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            return f"make room there, or {_OTHER}"
        case PermissionError() | OSError(errno=errno.EROFS):
            return f"make it writable, or {_OTHER}"
        case sqlite3.Error() if _code(error) == sqlite3.SQLITE_FULL:
            return f"make room there, or {_OTHER}"
        case sqlite3.Error() if _code(error) in _CLOSED:
            return f"make it writable, or {_OTHER}"
        case sqlite3.Error() if _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return f"end the process that holds it, or {_OTHER}"
        case _:
            return _OTHER


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        _make_private(path)
    connection = sqlite3.connect(
        MEMORY if path is None else path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    # Whoever made the file up has filled it, too.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
    try:
        # This comes first, because it refuses the files of others: nothing in them may change.
        bring_up_to_date(connection)
        if path is not None:
            path.chmod(_PRIVATE)
        _write_ahead(connection)
        # A killed process loses nothing this way; a power cut loses the last few replies.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _identity(path: Path) -> tuple[int, int] | None:
    """The identity of the file at a path, by which a replaced file is noticed; None if missing."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _make_private(path: Path) -> None:
    """Make the file private. Prompts hold the user's code, which no other user may read."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, _PRIVATE))


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers read while another process writes. The file keeps this setting."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        # The file is busy because another process has just opened it, and sets the same.
        if _code(error) != sqlite3.SQLITE_BUSY:
            raise


@contextmanager
def _alone_at(path: Path) -> Generator[None, None, None]:
    """Let in one process at a time; the lock of a process that is killed goes with it."""
    lock = sqlite3.connect(path.with_name(path.name + ".lock"), timeout=BUSY_SECONDS)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        lock.close()


def _is_damaged(path: Path) -> bool:
    try:
        connection = _connect(path)
    except sqlite3.DatabaseError as error:
        return _code(error) in _DAMAGE
    try:
        answer: str = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return _code(error) in _DAMAGE
    finally:
        connection.close()
    return answer != "ok"


def _needs_another_file(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is damaged, or was replaced by a process that found it damaged."""
    moved = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_DBMOVED
    return moved or _code(error) in _DAMAGE


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for errors of Python's own `sqlite3` module."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


# "ASAY": tells Assay's files from another program's, which must never be touched.
APPLICATION_ID = 0x41534159

_FIRST = """
CREATE TABLE entries (
    kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    size INTEGER NOT NULL, used INTEGER NOT NULL,
    PRIMARY KEY (kind, key));
CREATE INDEX entries_by_use ON entries (used);
CREATE TABLE totals (bytes INTEGER NOT NULL, turn INTEGER NOT NULL);
INSERT INTO totals VALUES (0, 0);
CREATE TABLE ledger (
    entry INTEGER PRIMARY KEY, check_id TEXT NOT NULL, day TEXT NOT NULL,
    requests INTEGER NOT NULL, tokens INTEGER NOT NULL);
CREATE INDEX ledger_by_check ON ledger (check_id);
CREATE INDEX ledger_by_day ON ledger (day);
CREATE TABLE consents (base_url TEXT PRIMARY KEY);
"""

# Remembers the endpoint used last, and its model, even while the endpoint does not run.
_SECOND = """
ALTER TABLE consents ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE consents ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
"""

# The budget of a check is counted in its own process; the file only counts days.
_THIRD = """
DROP INDEX ledger_by_check;
DROP INDEX ledger_by_day;
ALTER TABLE ledger RENAME TO ledger_by_checks;
CREATE TABLE ledger (entry INTEGER PRIMARY KEY, day TEXT NOT NULL, tokens INTEGER NOT NULL);
INSERT INTO ledger (day, tokens) SELECT day, tokens FROM ledger_by_checks;
DROP TABLE ledger_by_checks;
CREATE INDEX ledger_by_day ON ledger (day);
"""

# Of the tokens of a day, those that were read, read from a provider's cache, and written. What is
# only set aside is none of these yet.
_FOURTH = """
ALTER TABLE ledger ADD COLUMN prompt_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN completion_tokens INTEGER NOT NULL DEFAULT 0;
"""

# Requests of a day are counted as well; and processes share the trials that they run.
_FIFTH = """
ALTER TABLE ledger ADD COLUMN requests INTEGER NOT NULL DEFAULT 1;
CREATE TABLE leases (work TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL);
"""

# The price of a request, where the user has given the model's.
_SIXTH = """
ALTER TABLE ledger ADD COLUMN price REAL;
ALTER TABLE ledger ADD COLUMN currency TEXT;
"""

# What requests have taken, apart from what is set aside for them until that is known.
_SEVENTH = """
ALTER TABLE ledger ADD COLUMN is_settled INTEGER NOT NULL DEFAULT 0;
UPDATE ledger SET is_settled = 1;
"""

# Migration i takes a file from version i to version i + 1. Append new ones; never change a shipped
# one.
MIGRATIONS = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH, _SEVENTH)


class ForeignFile(Exception):
    """The file is in order, but must not be changed here. The message says whose it is."""


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Make or migrate the tables, in one transaction. Raises `ForeignFile`, `sqlite3.Error`."""
    # In the usual case there is nothing to write, and no other process to wait for.
    if _marks(connection)[:2] == (APPLICATION_ID, len(MIGRATIONS)):
        _look_whose(connection, len(MIGRATIONS))
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _own_version(connection)
        _look_whose(connection, version)
        _migrate(connection, MIGRATIONS[version:])
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _migrate(connection: sqlite3.Connection, migrations: tuple[str, ...]) -> None:
    for migration in migrations:
        for statement in migration.split(";\n"):
            connection.execute(statement)


def _look_whose(connection: sqlite3.Connection, version: int) -> None:
    """Raises `ForeignFile` unless the file holds the tables of a version, and no others.

    Somebody may have made it up. A query in a view, a trigger, or the expression of a column, a
    condition or an index need not come to an end.
    """
    if frozenset(connection.execute(_SCHEMA)) != _schema_of(version):
        raise ForeignFile("holds tables, views or triggers that are not Assay's")


# Without what `ANALYZE` leaves.
_SCHEMA = (
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
    " AND sql NOT LIKE 'CREATE TABLE sqlite\\_stat%' ESCAPE '\\'"
)


@lru_cache
def _schema_of(version: int) -> frozenset[tuple[str]]:
    with closing(sqlite3.connect(MEMORY)) as connection:
        _migrate(connection, MIGRATIONS[:version])
        return frozenset(connection.execute(_SCHEMA))


def _own_version(connection: sqlite3.Connection) -> int:
    """The number of migrations that the file has seen, 0 if it is new."""
    application, version, tables = _marks(connection)
    if application != APPLICATION_ID and (application or version or tables):
        raise ForeignFile("is another program's database")
    if version > len(MIGRATIONS):
        raise ForeignFile("was written by a newer version of Assay")
    return version


def _marks(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """The application ID, the version and the number of tables, all at one moment."""
    row: tuple[int, int, int] = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id),"
        " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)"
    ).fetchone()
    return row
