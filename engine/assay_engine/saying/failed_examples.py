"""Findings about an example of the docstring that the function fails."""

from __future__ import annotations

from assay_engine.running.describing import WHOLE_CHARACTERS
from assay_engine.saying.diagnostics import CALL_CHARACTERS, VALUE_CHARACTERS, name_span
from assay_engine.syntax.shortening import contrasted, shortened
from assay_engine.types import (
    Code,
    ExampleFailure,
    Finding,
    Origin,
    Outcome,
    Phrase,
    Related,
    Severity,
    Specification,
    Verbatim,
    Witness,
    Words,
)
from assay_engine.words import share

_NOTHING = "nothing"


def failed_example(failure: ExampleFailure, specification: Specification) -> Finding:
    """The finding that the function fails the example, and so is likely to be wrong."""
    example = failure.example
    got, expected = _told_apart(failure)
    passing, agreeing = failure.candidates_passing, failure.candidates_agreeing
    outcomes = (
        Outcome.of("this function", _gives(failure.got), 0, is_original=True),
        Outcome.of("the docstring", (Words("shows "), Verbatim(expected)), 0, is_original=False),
        Outcome.of(
            share(passing, failure.candidates_total, "candidate"),
            _gives(expected, passing),
            passing,
            is_original=False,
        ),
        Outcome.of(
            share(agreeing, failure.candidates_total, "candidate"),
            (*_gives(failure.got, agreeing), Words(", as this function does")),
            agreeing,
            is_original=False,
        ),
    )
    known = 2 + bool(failure.candidates_total) + bool(failure.candidates_agreeing)
    return Finding(
        Code.FAILS_EXAMPLE,
        Severity.ERROR,
        f"fails its own example: {shortened(example.call, CALL_CHARACTERS)} gives "
        f"{got}, the docstring shows {expected}{_sides(failure)}",
        name_span(specification),
        Witness(shortened(example.call, WHOLE_CHARACTERS), outcomes[:known], Origin.EXAMPLE),
        (Related(example.span, f"the example shows {expected}"),),
    )


def doubtful_example(failure: ExampleFailure) -> Finding:
    """The finding that the example is likely to be wrong, since candidates fail it alike."""
    example = failure.example
    call = shortened(example.call, CALL_CHARACTERS)
    got, expected = _told_apart(failure)
    candidates = share(failure.candidates_agreeing, failure.candidates_total, "candidate")
    return Finding(
        Code.DOUBTFUL_EXAMPLE,
        Severity.WARNING,
        f"the example is likely to be wrong: on {call}, this function and {candidates} "
        f"give {got}, the docstring shows {expected}",
        example.span,
        Witness(
            shortened(example.call, WHOLE_CHARACTERS),
            (
                Outcome.of(
                    f"this function and {candidates}",
                    _gives(failure.got, 1 + failure.candidates_agreeing),
                    failure.candidates_agreeing,
                    is_original=True,
                ),
                Outcome.of(
                    "the docstring", (Words("shows "), Verbatim(expected)), 0, is_original=False
                ),
            ),
            Origin.EXAMPLE,
        ),
    )


def _sides(failure: ExampleFailure) -> str:
    """A further clause, if the example may be wrong instead of the function; else empty."""
    if not failure.is_disputed:
        return ""
    candidates = share(failure.candidates_agreeing, failure.candidates_total, "candidate")
    verb = "sides" if failure.candidates_agreeing == 1 else "side"
    return f"; {candidates} {verb} with the function, so check the example first"


def _told_apart(failure: ExampleFailure) -> tuple[str, str]:
    """What the function gives and what the docstring shows, each shortened."""
    expected = failure.example.expected.strip()
    got = failure.got or _NOTHING
    return (
        contrasted(got, expected, VALUE_CHARACTERS),
        contrasted(expected, got, VALUE_CHARACTERS),
    )


def _gives(shown: str, number: int = 1) -> Phrase:
    """The phrase "gives …" with what a prompt shows; "give …" if `number` is not 1."""
    gives = Words("gives " if number == 1 else "give ")
    return (gives, Verbatim(shown) if shown else Words(_NOTHING))
