"""Examples that would say in the docstring which of several behaviours is meant.

They are for users who know what should happen on the input that was shown. An example settles what
the docstring leaves open better than a sentence does, for readers and for candidates.

Tells whether an example, once written into a docstring, is read from it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay_engine.compare.evidence import Evidence
from assay_engine.compare.example_trials import ExampleAttempt, try_examples
from assay_engine.compare.executor import Executor
from assay_engine.compare.votes import Vote
from assay_engine.fixes.replacing import as_encoded, changed_since, current_unit
from assay_engine.fixes.sessions import session_of
from assay_engine.fixes.showing import is_met_only_by, try_sessions
from assay_engine.fixes.stating import forms_of
from assay_engine.messages.findings import behaviour_phrase, who_behaves
from assay_engine.messages.fixes import CLARIFIED
from assay_engine.specification.examples import examples_of
from assay_engine.splicing import apply_edits
from assay_engine.splicing.body import with_example
from assay_engine.splicing.place import Place, locate
from assay_engine.syntax.text import docstring_statement, read_source
from assay_engine.syntax.units import find_units
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
    Unit,
    text_of,
)
from assay_engine.values.outcomes import left_unset

# How many readings are offered if candidates are divided.
READINGS_OFFERED = 2
# How many further behaviours an example is held against.
_OTHERS_MAX = 4


async def clarifications(
    executor: Executor, text: str, evidence: Evidence, findings: Sequence[Finding]
) -> tuple[Clarification, ...]:
    """Examples to offer, at most one per behaviour that may be meant.

    These behaviours are what the function does and, if the docstring allows several, what most
    candidates do. An example is offered only if it is read again from the docstring in `text`, and
    if the programs of its behaviour meet it and no others do.
    """
    shown, specification = evidence.shown, evidence.specification
    codes = {finding.code for finding in findings}
    if shown is None or not codes.intersection(CLARIFIED):
        return ()
    session = session_of(shown.input.call, specification)
    if shown.input.origin is Origin.EXAMPLE or session is None:
        return ()
    meant = _meant(shown, is_open=Code.AMBIGUOUS in codes)
    others = [each for each in shown.behaviours if each not in meant][:_OTHERS_MAX]
    sources = [source_of(each, evidence) for each in (*meant, *others)]
    forms = [forms_of(session, each, shown, specification) for each in meant]
    offered = await try_sessions(executor, specification, session, forms, sources)
    written = [_first_read(text, evidence, examples) for examples in offered]
    found = [(number, *each) for number, each in enumerate(written) if each is not None]
    attempts = [ExampleAttempt(example) for _, _, example in found]
    rows = await try_examples(executor, specification, attempts, sources) if found else ()
    return tuple(
        Clarification(
            text_of(behaviour_phrase(meant[number], shown, specification)),
            lines,
            who_behaves(meant[number], shown),
        )
        for place, (number, lines, example) in enumerate(found)
        if is_met_only_by(number, example, [row[place] for row in rows])
    )


def clarified(text: str, report: Report, number: int) -> tuple[Edit, ...] | Problem:
    """The edit that writes clarification `number` of the report into the docstring in `text`.

    The result is a problem if the function has been changed or removed since it was checked, or if
    the docstring cannot be added to.
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


def _meant(shown: Vote, *, is_open: bool) -> list[Behaviour]:
    readings = shown.behaviours[:READINGS_OFFERED] if is_open else ()
    chosen = [each for each in readings if not each.is_original]
    return [
        each
        for each in (shown.original, *chosen)
        if not left_unset(each.observation, shown.input.call)
    ]


def source_of(behaviour: Behaviour, evidence: Evidence) -> str:
    """A program that shows the behaviour."""
    if behaviour.is_original:
        return evidence.specification.running_text
    return evidence.voters[behaviour.candidates[0]].source


def _first_read(
    text: str, evidence: Evidence, examples: Sequence[str]
) -> tuple[str, Example] | None:
    """The first of the texts that is read as an example once written, with what is read."""
    for lines in examples:
        example = read_back(text, evidence.specification.unit, lines)
        if example is not None:
            return lines, example
    return None


def read_back(text: str, unit: Unit, example: str) -> Example | None:
    """The example that the unit in `text` gains if these lines are added to its docstring.

    None unless the unit gains exactly one example and the others stay as they were.
    """
    place = locate(read_source(text), unit)
    edit = None if place is None else with_example(place, example) or _rewritten(place, example)
    if place is None or edit is None:
        return None
    # The added text stands after the name, so the name keeps its place.
    changed = locate(read_source(apply_edits(text, (edit,))), unit)
    if changed is None:
        return None
    known = Counter(map(_content, examples_of(place.source, place.cut)))
    found = examples_of(changed.source, changed.cut)
    if known - Counter(map(_content, found)):
        return None
    added: list[Example] = []
    for each in found:
        if known[_content(each)]:
            known[_content(each)] -= 1
        else:
            added.append(each)
    return added[0] if len(added) == 1 else None


def _content(example: Example) -> tuple[tuple[str, ...], str, str]:
    return example.setup, example.call, example.expected


def _rewritten(place: Place, example: str) -> Edit | None:
    """The edit that replaces a docstring that is no plain literal by one that says the same.

    A user who adds the example by hand will find a way to do so.
    """
    statement = docstring_statement(place.function)
    docstring = getattr(statement and statement.value, "value", None)
    if statement is None or not isinstance(docstring, str):
        return None
    return Edit(place.source.span(statement.value), repr(f"{docstring.rstrip()}\n\n{example}\n"))
