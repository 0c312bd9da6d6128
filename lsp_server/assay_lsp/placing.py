"""Where reports stand in a text, and where they stand after an edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.digest import of_text
from assay_engine.reading.units import find_units
from assay_engine.types import Code, Finding, Report, Span
from assay_lsp.documents import Change


class Place(Struct, frozen=True):
    """A function in a text, and the digest of its own text there."""

    qualname: str
    digest: str
    span: Span
    name_span: Span


class Known(Struct, frozen=True):
    """A report, and whether the user asked for it by a command.

    What could not be checked is said only to those who asked: at every save, for every function,
    it would be noise.
    """

    report: Report
    demanded: bool

    @property
    def findings(self) -> Iterator[tuple[int, Finding]]:
        """The findings to show, with their numbers in the report."""
        for number, finding in enumerate(self.report.findings):
            if self.demanded or finding.code is not Code.NOT_CHECKED:
                yield number, finding


class Placed(Struct, frozen=True):
    """A report where its function stands in the current text. Spans are absolute."""

    known: Known
    span: Span
    name_span: Span

    @property
    def report(self) -> Report:
        return self.known.report

    def absolute(self, span: Span) -> Span:
        """A span of the report, which is relative to the function, in the text."""
        return Span(self.span.start + span.start, self.span.start + span.end)

    def spans(self) -> Iterator[Span]:
        """Where the report answers to the pointer: the function's name and its findings."""
        yield self.name_span
        for _, finding in self.known.findings:
            yield self.absolute(finding.span)


def outline(text: str) -> tuple[Place, ...]:
    """The functions of a text. Takes tens of milliseconds for thousands of lines."""
    units, _ = find_units(text)
    return tuple(
        Place(
            unit.qualname,
            of_text(unit.span.of(text)),
            unit.span,
            unit.name_span,
        )
        for unit in units
    )


def place(places: Iterable[Place], known: Mapping[tuple[str, str], Known]) -> tuple[Placed, ...]:
    """The reports that hold for functions of the text: same name, same text."""
    return tuple(
        Placed(known[where.qualname, where.digest], where.span, where.name_span)
        for where in places
        if (where.qualname, where.digest) in known
    )


def moved(placed: Iterable[Placed], change: Change) -> tuple[Placed, ...]:
    """The reports after an edit: those behind it move, those of functions it touches are gone.

    What is changed right before a function leaves it alone if the function starts a line then;
    anything else that touches an end of a function is part of it now.
    """
    edit = change.edit
    grown = len(edit.new_text) - (edit.span.end - edit.span.start)
    kept: list[Placed] = []
    for each in placed:
        if edit.span.start > each.span.end:
            kept.append(each)
        elif edit.span.end < each.span.start or (
            edit.span.end == each.span.start and change.starts_line
        ):
            kept.append(
                replace(
                    each,
                    span=_shifted(each.span, grown),
                    name_span=_shifted(each.name_span, grown),
                )
            )
    return tuple(kept)


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
