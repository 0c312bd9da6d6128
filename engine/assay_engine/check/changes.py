"""Tells which functions of a text are new or changed, compared with a former text, and notes which
checks are wanted, so that one that ends with its process can be made up for.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from assay_engine import digest
from assay_engine.check.worklist import worklist
from assay_engine.errors import StoreError
from assay_engine.files.bounded import real
from assay_engine.files.git import committed
from assay_engine.files.source_files import UnreadableFile, decoded
from assay_engine.source.text import with_newlines
from assay_engine.source.units import find_units, is_addressed
from assay_engine.store import Store
from assay_engine.types import SourceText, Tier, Wanted


def changed(text: str, former: str | None) -> frozenset[str]:
    """The names of the functions that the former text did not have in the same state.

    The state is a function's text and all that its trial takes from the file.
    """
    known = frozenset(_states(former or "").values())
    return frozenset(name for name, state in _states(text).items() if state not in known)


def changed_since_commit(source: SourceText, environment: Mapping[str, str]) -> frozenset[str]:
    """The names of the functions to be checked that the last commit did not have in the same state.

    Without a commit that has the file, these are all. Raises `GitUnusable`.
    """
    path = real(Path(source.path))
    content, former = committed(path, environment), None
    if content is not None:
        with suppress(UnreadableFile):  # Then no function in it can have been the same.
            # An editor hides the mark.
            former = decoded(path, content).text.removeprefix("\ufeff")
    if former is not None and same_lines(former, source.text):
        return frozenset()
    names = changed(source.text, former)
    return frozenset(
        unit.qualname
        for unit in find_units(source.text)[0]
        if unit.qualname in names and is_addressed(unit)
    )


def same_lines(one: str, other: str) -> bool:
    """Whether two texts differ at most in their line ends: Git may write others in a work tree than
    it keeps."""
    return _lines(one) == _lines(other)


def _states(text: str) -> dict[str, str]:
    """The digest that a report on each function would be filed under, as far as the function's own
    file determines it."""
    source = SourceText("", _lines(text))
    subjects = worklist(source, Tier.STANDARD, (), only=lambda _: True)
    return {subject.specification.unit.qualname: subject.digest for subject, _ in subjects}


def _lines(text: str) -> str:
    return with_newlines(text, "\n")


class _Note(Struct, frozen=True):
    """A wanted check of a text, by the text's digest."""

    text: str
    wanted: Wanted


def note_wanted(store: Store, source: SourceText, wanted: Wanted | None) -> None:
    """Note what is wanted of a file, in place of what was noted before; None: nothing any more."""
    note = None if wanted is None else _Note(digest.of_file(source.text), wanted)
    with suppress(StoreError):  # What is lost then is only that it is made up for.
        store.put("wanted", source.path, msgspec.to_builtins(note))


def noted_wanted(store: Store, source: SourceText) -> Wanted | None:
    """What is noted of this very text of the file."""
    with suppress(StoreError, msgspec.ValidationError):
        note = msgspec.convert(store.get("wanted", source.path), _Note | None)
        if note is not None and note.text == digest.of_file(source.text):
            return note.wanted
    return None
