"""Places the functions of a text, moves them with an edit, and finds the reports that fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.digest import of_text
from assay_engine.syntax.units import find_units, is_addressed
from assay_engine.types import Code, Edit, Finding, Report, Span
from assay_lsp.documents import Change

Identity = tuple[str, str]


class FunctionPlace(Struct, frozen=True):
    """A function in a text, and the digest of its own text there; "" while that is being edited.

    `is_addressed`: a check of the whole text has something to say about it. `is_silenced`: a
    comment asks not to be told of it, or of some kinds of findings.
    """

    qualname: str
    digest: str
    span: Span
    name_span: Span
    is_addressed: bool
    has_docstring: bool
    is_silenced: bool = False

    @property
    def identity(self) -> Identity:
        """What a report that holds for it has in common with it."""
        return self.qualname, self.digest

    @property
    def can_be_checked(self) -> bool:
        return self.is_addressed and self.has_docstring


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


def outline(text: str) -> tuple[FunctionPlace, ...]:
    """The functions of a text. Takes tens of milliseconds for thousands of lines."""
    units, _ = find_units(text)
    return tuple(
        FunctionPlace(
            unit.qualname,
            of_text(unit.span.of(text)),
            unit.span,
            unit.name_span,
            is_addressed(unit),
            bool(unit.docstring),
            unit.silence.everything or bool(unit.silence.codes),
        )
        for unit in units
    )


def place(places: Iterable[FunctionPlace], known: Mapping[Identity, Known]) -> tuple[Placed, ...]:
    """The reports that hold for functions of the text: same name, same text."""
    return tuple(
        Placed(known[where.identity], where.span, where.name_span)
        for where in places
        if where.identity in known
    )


def moved(places: Iterable[FunctionPlace], change: Change) -> tuple[FunctionPlace, ...]:
    """The functions after an edit. Those behind it move, and no report holds for those it touches.

    An edit right before a function does not touch it if the function then starts a line. Any other
    edit at an end of a function becomes part of it.
    """
    edit = change.edit
    grown = len(edit.new_text) - (edit.span.end - edit.span.start)
    kept: list[FunctionPlace] = []
    for each in places:
        if edit.span.start > each.span.end:
            kept.append(each)
        elif edit.span.end < each.span.start or (
            edit.span.end == each.span.start and change.starts_line
        ):
            span, name_span = _shifted(each.span, grown), _shifted(each.name_span, grown)
            kept.append(replace(each, span=span, name_span=name_span))
        elif each.span.start <= edit.span.start and edit.span.end <= each.span.end:
            # It is shown where it was while the user types in it.
            span = Span(each.span.start, each.span.end + grown)
            kept.append(
                replace(each, digest="", span=span, name_span=_with(each.name_span, edit, grown))
            )
    return tuple(kept)


def _with(span: Span, edit: Edit, grown: int) -> Span:
    """A span after an edit in the function around it."""
    if edit.span.end <= span.start:
        return _shifted(span, grown)
    return (
        span if edit.span.start >= span.end else Span(span.start, max(span.start, span.end + grown))
    )


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
