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


def with_caveat(finding: Finding, meant_alike: int) -> Finding:
    """The finding, with a caveat if all inputs that somebody meant show no such difference.

    `meant_alike` is the number of these inputs.
    """
    if not meant_alike:
        return finding
    caveat = "only on inputs that Assay made up: " + (
        f"none of the {meant_alike} that come from the docstring or were proposed for it "
        "shows such a difference"
        if meant_alike > 1
        else "the one that comes from the docstring or was proposed for it shows no such difference"
    )
    return as_information(finding, caveat)


def as_information(finding: Finding, caveat: str) -> Finding:
    return replace(
        finding,
        severity=Severity.INFORMATION,
        message=f"{finding.message}; {caveat}",
        caveat=caveat,
    )
