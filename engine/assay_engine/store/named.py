"""A store where the user says it is, which may be a file of somebody else's."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from assay_engine.errors import ConfigurationError
from assay_engine.store.store import Store, open_store

_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_SQLITE = b"SQLite format 3\0"


def open_named_store(path: Path) -> Store:
    """As `open_store`. Raises `ConfigurationError`, too: for a file that is no store and never was
    one, which would be set aside as a damaged one."""
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
