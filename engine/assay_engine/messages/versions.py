"""How a comparison with another version of a function is told."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.compare.votes import Standing, Vote
from assay_engine.messages.findings import behaviour_phrase
from assay_engine.messages.phrases import CALL_CHARACTERS, VALUE_CHARACTERS, name_span
from assay_engine.types import (
    Behaviour,
    Code,
    Finding,
    Outcome,
    Phrase,
    Problem,
    ProblemKind,
    Report,
    Severity,
    Specification,
    Witness,
    text_of,
)
from assay_engine.values.describing import WHOLE_CHARACTERS, call_text, script_shown
from assay_engine.values.outcomes import with_message
from assay_engine.words import count

THIS = "this function"


def changed(vote: Vote, specification: Specification, other: str, severity: Severity) -> Finding:
    """The finding that the function does something else than its `other` version."""

    def told(behaviour: Behaviour, limit: int) -> Phrase:
        both = vote.leading, vote.original
        phrase = behaviour_phrase(behaviour, vote, specification, limit, pair=both)
        is_worded = behaviour is vote.original and vote.message
        return with_message(phrase, vote.message, limit) if is_worded else phrase

    def outcome(who: str, behaviour: Behaviour) -> Outcome:
        parts = told(behaviour, WHOLE_CHARACTERS)
        return Outcome.of(who, parts, 0, is_original=behaviour is vote.original)

    return Finding(
        Code.CHANGED,
        severity,
        f"{call_text(vote.input.call, specification, CALL_CHARACTERS)}: {other} "
        f"{text_of(told(vote.leading, VALUE_CHARACTERS))}, this "
        f"{text_of(told(vote.original, VALUE_CHARACTERS))}",
        name_span(specification),
        Witness(
            call_text(vote.input.call, specification, WHOLE_CHARACTERS),
            (outcome(THIS, vote.original), outcome(other, vote.leading)),
            vote.input.origin,
            script=script_shown(vote.input.call, specification),
        ),
    )


def beside(
    finding: Finding, vote: Vote, earlier: Vote, specification: Specification, other: str
) -> Finding:
    """The finding, with what the `other`, earlier version does on the input that it shows.

    `vote` is on the function and that version, `earlier` on that version and the candidates.
    """
    did = behaviour_phrase(vote.leading, vote, specification)
    if vote.leading.is_original:
        said = f"so did {other}"
    elif earlier.standing is Standing.AGREES and finding.severity is Severity.WARNING:
        said = f"a regression: {other} {text_of(did)}"
    else:
        said = f"{other} {text_of(did)}"
    whole = behaviour_phrase(vote.leading, vote, specification, WHOLE_CHARACTERS)
    line = Outcome.of(other, whole, 0, is_original=False)
    seen = finding.witness
    if seen is not None:
        seen = replace(seen, outcomes=(*seen.outcomes, line))
    return replace(finding, message=f"{finding.message}; {said}", witness=seen)


def met_before(finding: Finding, other: str, *, met: bool) -> Finding:
    """The finding that the function fails an example, with whether the `other` version met it."""
    said = f"a regression: {other} met it" if met else f"{other} did not meet it either"
    return replace(finding, message=f"{finding.message}; {said}")


def compared_line(report: Report) -> str:
    """What a comparison with another version came to, in a line."""
    if report.findings and report.versions is not None:
        return report.findings[0].message
    if report.versions is None:
        return f"{report.qualname}: not compared: {report.problems[0].message}"
    inputs = count(report.versions.inputs_accepted, "input")
    return f"{report.qualname}: no difference from {report.versions.other} on {inputs}"


def not_there(name: str, other: str) -> Problem:
    return Problem(
        ProblemKind.NO_OTHER_VERSION,
        f"`{name}` is not in {other}, so there is nothing to compare it with.",
    )


def cannot_run_other(problem: Problem, other: str) -> Problem:
    return Problem(problem.kind, f"{other[0].upper()}{other[1:]} cannot be run: {problem.message}")


def no_inputs(name: str, needs: str) -> Problem:
    return Problem(
        ProblemKind.NO_INPUTS,
        f"There are no inputs to compare it on: nothing says what {needs or 'it'} may be given. "
        f"Annotate it, or show a call of `{name}` in its docstring.",
    )


def none_accepted(run: int, other: str) -> Problem:
    return Problem(
        ProblemKind.NO_INPUTS,
        f"{other[0].upper()}{other[1:]} accepts none of {count(run, 'input')}, so there is nothing "
        "to compare. Show a call in the docstring that both accept.",
    )
