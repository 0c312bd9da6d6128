"""Places reports in a text, and moves them after an edit."""

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

    Only users who asked are told what could not be checked: at every save, for every function, it
    would be noise.
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
        """The span in the text of a span of the report, which is relative to the function."""
        return Span(self.span.start + span.start, self.span.start + span.end)

    def spans(self) -> Iterator[Span]:
        """The spans where hovering shows the report: the function's name and its findings."""
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
    """The reports after an edit: reports behind it move, reports on functions it touches are gone.

    An edit right before a function does not touch it if the function then starts a line. Any other
    edit at an end of a function becomes part of it.
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
