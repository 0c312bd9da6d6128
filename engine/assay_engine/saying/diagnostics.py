"""Common parts of findings: the length of their lines, where they are shown, and caveats."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.types import Code, Finding, Problem, Severity, Span, Specification

# The first line of a diagnostic should fit an editor's problems list.
CALL_CHARACTERS = 60
VALUE_CHARACTERS = 40


def name_span(specification: Specification) -> Span:
    """The span of the unit's name, relative to the unit's start."""
    unit = specification.unit
    return Span(unit.name_span.start - unit.span.start, unit.name_span.end - unit.span.start)


def not_checked(span: Span, problem: Problem) -> Finding:
    return Finding(Code.NOT_CHECKED, Severity.HINT, problem.message, span)


def as_information(finding: Finding, caveat: str) -> Finding:
    return replace(
        finding,
        severity=Severity.INFORMATION,
        message=f"{finding.message}; {caveat}",
        caveat=caveat,
    )
