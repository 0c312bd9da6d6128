"""Notes which checks are wanted, so that one that ends with its process can be made up for."""

from __future__ import annotations

from contextlib import suppress

import msgspec
from msgspec import Struct

from assay_engine import digest
from assay_engine.errors import StoreError
from assay_engine.store import Store
from assay_engine.types import SourceText, Wanted


class _Note(Struct, frozen=True):
    """A wanted check of a text, by the text's digest."""

    text: str
    wanted: Wanted


def note_wanted(store: Store, source: SourceText, wanted: Wanted | None) -> None:
    """Note what is wanted of a file, in place of what was noted before; None: nothing any more."""
    note = None if wanted is None else _Note(digest.of_file(source.text), wanted)
    with suppress(StoreError):  # What is lost then is only that it is made up for.
        store.put_wanted(source.path, msgspec.to_builtins(note))


def noted_wanted(store: Store, source: SourceText) -> Wanted | None:
    """What is noted of this very text of the file."""
    with suppress(StoreError, msgspec.ValidationError):
        note = msgspec.convert(store.wanted(source.path), _Note | None)
        if note is not None and note.text == digest.of_file(source.text):
            return note.wanted
    return None
