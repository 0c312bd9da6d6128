"""The places that a report is about, as lines and columns, and the names of files."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from assay_engine.files.bounded import real
from assay_engine.files.git import repository_of
from assay_engine.syntax.units import find_units
from assay_engine.types import Report, Span
from assay_engine.words import line_starts

_MARK = "\ufeff"


class TextRegion(Struct, frozen=True):
    """Lines and columns count from 1, columns in code points; the end is not included."""

    line: int
    column: int
    end_line: int
    end_column: int


class Places:
    """The places in one text. It must be the text that the reports asked about were made of."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = line_starts(text)
        self._units = {unit.qualname: unit for unit in find_units(text)[0]}

    def name_of(self, report: Report) -> TextRegion:
        """Where the function's name stands."""
        return self.region(self._units[report.qualname].name_span)

    def within(self, report: Report, span: Span) -> TextRegion:
        """The region of a span of the report. Such a span counts from the function's start."""
        start = self._units[report.qualname].span.start
        return self.region(Span(start + span.start, start + span.end))

    def region(self, span: Span) -> TextRegion:
        """The region of a span of the text."""
        return TextRegion(*self._position(span.start), *self._position(span.end))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        if line == 1 and self._text.startswith(_MARK):
            # Editors and services do not count the byte order mark.
            start = min(offset, start + 1)
        return line, offset - start + 1


# A memo of a pure function: the functions of a file are reported on one after the other.
@lru_cache(maxsize=1)
def places_in(text: str) -> Places:
    return Places(text)


def name_from_root(path: Path, folder: Path) -> str:
    """The name of a file for a service that holds the repository: its path from the repository's
    root, with forward slashes.

    This is the repository that `folder`, the current folder, is in. A file elsewhere is named from
    the root of its own repository, or from `folder` if it is in no repository; otherwise by its
    absolute path.
    """
    # In a repository, a link to a file is a file of its own. Links among its folders are resolved.
    whole = real(path.parent) / path.name
    here = real(folder)
    for root in (repository_of(here), repository_of(whole.parent), here):
        if root is not None and whole.is_relative_to(root):
            return whole.relative_to(root).as_posix()
    return whole.as_posix()
