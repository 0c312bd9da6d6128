"""Examples that would say in the docstring which of several behaviours is meant.

For whoever knows what should happen on the input that was shown: what the docstring leaves open is
settled by an example better than by a sentence, for readers and for candidates.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from assay_engine.deciding.evidence import Evidence
from assay_engine.inputs.parts import nodes_of
from assay_engine.offering.replacing import as_encoded, changed_since, current_unit
from assay_engine.offering.selecting import READINGS_OFFERED
from assay_engine.reading.units import find_units
from assay_engine.running.carried import value_of
from assay_engine.running.describing import call_text
from assay_engine.running.example_outcomes import meets
from assay_engine.running.example_trials import ExampleAttempt, try_examples
from assay_engine.running.laboratory import Laboratory
from assay_engine.saying.explaining import behaviour_phrase
from assay_engine.splicing import apply_edits
from assay_engine.splicing.docstrings import with_example
from assay_engine.splicing.place import locate
from assay_engine.syntax.parsing import parse_expression
from assay_engine.syntax.source import read_source
from assay_engine.types import (
    Behaviour,
    Clarification,
    Code,
    Edit,
    Example,
    Finding,
    Origin,
    Problem,
    ProblemKind,
    Report,
    Separation,
    Span,
)
from assay_sandbox import Observation, Raised, Returned, render

# Longer lines make no example that anybody would want to read.
LINE_CHARACTERS = 120
_CLARIFIED = (Code.DIFFERS, Code.RAISES, Code.AMBIGUOUS)
_TRACEBACK = "Traceback (most recent call last):\n    ..."


async def clarifications(
    laboratory: Laboratory, evidence: Evidence, findings: Sequence[Finding]
) -> tuple[Clarification, ...]:
    """One per behaviour that may be meant: what the function does, and, where the docstring admits
    several, what most candidates do. Only such as the programs meet that behave so, and no other.
    """
    separation, specification = evidence.separation, evidence.specification
    codes = {finding.code for finding in findings}
    if separation is None or not codes.intersection(_CLARIFIED):
        return ()
    call = call_text(separation.input.call, specification, LINE_CHARACTERS)
    if separation.input.origin is Origin.EXAMPLE or not _is_expression(call):
        return ()
    behaviours = _meant(separation, is_open=Code.AMBIGUOUS in codes)
    shown = [_shown(each.observation) for each in behaviours]
    sources = [
        specification.program if each.is_original else evidence.rivals[each.candidates[0]].source
        for each in behaviours
    ]
    examples = [
        Example(setup=(), call=call, expected=text or "", is_doctest=True, span=Span(0, 0))
        for text in shown
    ]
    rows = await try_examples(laboratory, specification, [*map(ExampleAttempt, examples)], sources)
    return tuple(
        Clarification(
            behaviour_phrase(behaviour, separation, specification),
            f">>> {call}\n{example.expected}",
        )
        for number, (behaviour, example) in enumerate(zip(behaviours, examples, strict=True))
        if example.expected
        and [meets(example, row[number]) for row in rows]
        == [place == number for place in range(len(rows))]
    )


def clarified(text: str, report: Report, number: int) -> tuple[Edit, ...] | Problem:
    """The edit that writes clarification `number` of the report into the docstring in `text`.

    Refused if the function has been changed or removed since it was checked, and where the
    docstring cannot be added to.
    """
    unit = current_unit(text, report)
    if unit is None:
        return changed_since(report)
    example = report.clarifications[number].example
    place = locate(read_source(text), unit)
    edit = None if place is None else with_example(place, example)
    if edit is not None:
        after = apply_edits(text, (edit,))
        written = next((u for u in find_units(after)[0] if u.qualname == unit.qualname), unit)
        kept = unit.docstring.rstrip()
        added = written.docstring.removeprefix(kept).strip("\n")
        if written.docstring.startswith(kept) and added == example:
            return as_encoded(text, (edit,), "The example")
    return Problem(
        ProblemKind.NO_REPLACEMENT,
        f"The docstring of {report.qualname} cannot be added to. Write the example into it by "
        f"hand: {example}",
    )


def _meant(separation: Separation, *, is_open: bool) -> list[Behaviour]:
    readings = separation.behaviours[:READINGS_OFFERED] if is_open else ()
    chosen = [each for each in readings if not each.is_original]
    return [separation.original, *chosen]


def _is_expression(call: str) -> bool:
    """Whether it can be typed as it is: not cut short, and without a scene or steps around it."""
    return "…" not in call and "\n" not in call and parse_expression(call) is not None


def _shown(observation: Observation) -> str | None:
    """What a prompt shows of it; None where that would not tell it, or not each time the same."""
    match observation:
        case Returned(args_after=None, files_after=None, stdout=printed):
            value = value_of(observation.value)
            if any(isinstance(node, set | frozenset) for node in nodes_of(value)):
                # Its order would show.
                return None
            text = printed + ("" if value is None else render(value))
        case Raised(args_after=None, files_after=None, stdout="", message=message):
            name = observation.type_name.rsplit(".", 1)[-1]
            if not hasattr(builtins, name):
                return None
            text = f"{_TRACEBACK}\n{name}: {message}".removesuffix(": ")
        case _:
            return None
    lines = text.rstrip("\n").split("\n")
    fits = all(line.strip() and len(line) <= LINE_CHARACTERS for line in lines)
    return "\n".join(lines) if fits and all(map(str.isprintable, lines)) else None
