"""Opens a store at a path named by the user, where there may be some other file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from assay_engine.errors import ConfigurationError
from assay_engine.store.store import Store, open_store

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
