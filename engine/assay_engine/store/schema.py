"""The tables of a store, and the migrations of files from older versions."""

from __future__ import annotations

import sqlite3

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

# Migration i takes a file from version i to version i + 1. Append new ones; never change a shipped
# one.
MIGRATIONS = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH)


class ForeignFile(Exception):
    """The file is in order, but must not be changed here. The message says whose it is."""


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Make or migrate the tables, in one transaction. Raises `ForeignFile`, `sqlite3.Error`."""
    # In the usual case there is nothing to write, and no other process to wait for.
    if _marks(connection)[:2] == (APPLICATION_ID, len(MIGRATIONS)):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for migration in MIGRATIONS[_own_version(connection) :]:
            for statement in migration.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


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
