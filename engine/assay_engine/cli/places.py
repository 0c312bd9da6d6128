"""Where what a report speaks of stands in its file, as lines and columns and by name."""

from __future__ import annotations

import os
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from assay_engine.presence import real
from assay_engine.reading.units import find_units
from assay_engine.types import Report, Span
from assay_engine.words import line_starts

_MARK = "\ufeff"


class Region(Struct, frozen=True):
    """Lines and columns count from 1, columns in code points; the end is not included."""

    line: int
    column: int
    end_line: int
    end_column: int


class Places:
    """Those in one text, which the reports that are asked about were made of."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = line_starts(text)
        self._units = {unit.qualname: unit for unit in find_units(text)[0]}

    def name_of(self, report: Report) -> Region:
        """Where the function's name stands."""
        return self.region(self._units[report.qualname].name_span)

    def within(self, report: Report, span: Span) -> Region:
        """A span of the report, which counts from its function's start."""
        start = self._units[report.qualname].span.start
        return self.region(Span(start + span.start, start + span.end))

    def region(self, span: Span) -> Region:
        """A span of the text."""
        return Region(*self._position(span.start), *self._position(span.end))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        if line == 1 and self._text.startswith(_MARK):
            # Editors and services do not count it.
            start = min(offset, start + 1)
        return line, offset - start + 1


# A memo of a pure function: the functions of a file are reported on one after the other.
@lru_cache(maxsize=1)
def places_in(text: str) -> Places:
    return Places(text)


def name_from_root(path: Path, folder: Path) -> str:
    """What a service that holds the repository calls a file: by its path from the repository's root
    on, with forward slashes.

    That is the repository which `folder`, the current one, is in. A file elsewhere is named from
    its own repository on, or from `folder` if it is in none; otherwise by its absolute path.
    """
    # A link is a file of its own there; a folder is what it leads to.
    whole = real(path.parent) / path.name
    here = real(folder)
    for root in (repository_of(here), repository_of(whole.parent), here):
        if root is not None and whole.is_relative_to(root):
            return whole.relative_to(root).as_posix()
    return whole.as_posix()


def repository_of(folder: Path) -> Path | None:
    """The nearest folder above that Git would take for a work tree's root."""
    return next(
        (each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None
    )
