"""Puts evidence into words. A sentence says what was seen, and not what it might mean."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.deciding.domain import accepts
from assay_engine.deciding.evidence import Evidence, Instability
from assay_engine.deciding.statistics import is_consensus
from assay_engine.running.arguments_left import Given
from assay_engine.running.describing import WHOLE_CHARACTERS, call_text, outcome_phrase
from assay_engine.saying.relying import relied_on_alone
from assay_engine.types import (
    Behaviour,
    Code,
    ExampleFailure,
    Finding,
    Origin,
    Outcome,
    Problem,
    Reading,
    Related,
    Separation,
    Severity,
    Span,
    Specification,
    Status,
    Verdict,
    Witness,
)
from assay_engine.words import set_apart, share, short
from assay_sandbox import Raised

# The first line of a diagnostic should fit an editor's problems list.
CALL_CHARACTERS = 60
VALUE_CHARACTERS = 40
_ALONE = ", as no candidate does"
_LEFT_OPEN = {
    Reading.OPEN: "asked, the model finds nothing in the docstring against it",
    Reading.OWN: "asked, the model reads the docstring as this does",
}


def findings(evidence: Evidence, verdict: Verdict) -> tuple[Finding, ...]:
    """What there is to tell the user, most severe first."""
    specification = evidence.specification
    found = [_failed_example(failure, specification) for failure in evidence.failures]
    separation = evidence.separation
    # A failing example says it already: the same function is not accused twice.
    if (
        separation is not None
        and not found
        and verdict.status in (Status.SUSPECT, Status.AMBIGUOUS)
    ):
        leading = separation.behaviours[0]
        if evidence.left_open is not None:
            seen = _as_information(_differs(separation, evidence), _LEFT_OPEN[evidence.left_open])
            seen = replace(seen, code=Code.AMBIGUOUS)
        elif leading.original or verdict.status is Status.AMBIGUOUS:
            seen = _ambiguous(separation, specification)
        else:
            seen = _differs(separation, evidence)
        found.append(with_caveat(seen, evidence.meant_alike))
    found += map(_doubtful_example, evidence.doubtful)
    if evidence.instability is not None:
        found.append(_not_deterministic(evidence.instability, specification))
    return tuple(found)


def not_checked(specification_name_span: Span, problem: Problem) -> Finding:
    return Finding(Code.NOT_CHECKED, Severity.HINT, problem.message, specification_name_span)


def name_span(specification: Specification) -> Span:
    """The name's place relative to the unit's start."""
    unit = specification.unit
    return Span(unit.name_span.start - unit.span.start, unit.name_span.end - unit.span.start)


def behaviour_phrase(
    behaviour: Behaviour,
    separation: Separation,
    specification: Specification,
    limit: int = VALUE_CHARACTERS,
    *,
    number: int = 1,
) -> str:
    """What the behaviour does on the separating input, set against its strongest rival."""
    rival = next(other for other in separation.behaviours if other is not behaviour)
    given = Given(separation.input.call, specification)
    one, other = behaviour.observation, rival.observation
    return outcome_phrase(one, other, limit, number=number, given=given)


def with_caveat(finding: Finding, meant_alike: int) -> Finding:
    """The finding, and how much less it says if all inputs that somebody meant show nothing."""
    if not meant_alike:
        return finding
    caveat = "only on inputs that Assay made up: " + (
        f"none of the {meant_alike} that come from the docstring or were proposed for it "
        "shows such a difference"
        if meant_alike > 1
        else "the one that comes from the docstring or was proposed for it shows no such difference"
    )
    return _as_information(finding, caveat)


def _as_information(finding: Finding, caveat: str) -> Finding:
    return replace(
        finding,
        severity=Severity.INFORMATION,
        message=f"{finding.message}; {caveat}",
        caveat=caveat,
    )


def _differs(separation: Separation, evidence: Evidence) -> Finding:
    specification, leading = evidence.specification, separation.behaviours[0]
    own = separation.original
    message = (
        f"{call_text(separation.input.call, specification, CALL_CHARACTERS)}: "
        f"{share(leading.weight, separation.total, 'candidate')} "
        f"{behaviour_phrase(leading, separation, specification, number=leading.weight)}, "
        f"this {_own_phrase(separation, specification)}"
    )
    if own.weight == 0 and not is_consensus(leading.weight, separation.total):
        message += _ALONE
    message += relied_on_alone(evidence, leading)
    raises = isinstance(own.observation, Raised) and accepts(leading.observation, ())
    return Finding(
        Code.RAISES if raises else Code.DIFFERS,
        Severity.WARNING,
        message,
        name_span(specification),
        witness_of(separation, specification),
    )


def _ambiguous(separation: Separation, specification: Specification) -> Finding:
    first, second = separation.behaviours[:2]
    theirs = behaviour_phrase(second, separation, specification, number=second.weight)
    message = (
        f"{call_text(separation.input.call, specification, CALL_CHARACTERS)}: "
        f"the docstring admits several behaviours; "
        f"{share(first.weight, separation.total, 'candidate')} "
        f"{behaviour_phrase(first, separation, specification, number=first.weight)}, "
        f"{second.weight} {theirs}"
    )
    own = separation.original
    if own.weight == 0:
        message += f", this {_own_phrase(separation, specification)}{_ALONE}"
    return Finding(
        Code.AMBIGUOUS,
        Severity.INFORMATION,
        message,
        name_span(specification),
        witness_of(separation, specification),
    )


def _failed_example(failure: ExampleFailure, specification: Specification) -> Finding:
    example = failure.example
    got = set_apart(failure.got, example.expected.strip(), VALUE_CHARACTERS)
    expected = set_apart(example.expected.strip(), failure.got, VALUE_CHARACTERS)
    outcomes = (
        Outcome("this function", f"gives {failure.got}", 0, True),
        Outcome("the docstring", f"shows {expected}", 0, False),
        Outcome(
            share(failure.candidates_passing, failure.candidates_total, "candidate"),
            f"{'gives' if failure.candidates_passing == 1 else 'give'} {expected}",
            failure.candidates_passing,
            False,
        ),
        Outcome(
            share(failure.candidates_agreeing, failure.candidates_total, "candidate"),
            f"{'gives' if failure.candidates_agreeing == 1 else 'give'} {failure.got}, "
            "as this function does",
            failure.candidates_agreeing,
            False,
        ),
    )
    known = 2 + bool(failure.candidates_total) + bool(failure.candidates_agreeing)
    return Finding(
        Code.FAILS_EXAMPLE,
        Severity.ERROR,
        f"fails its own example: {short(example.call, CALL_CHARACTERS)} gives "
        f"{got}, the docstring shows {expected}",
        name_span(specification),
        Witness(short(example.call), outcomes[:known], Origin.EXAMPLE),
        (Related(example.span, f"the example shows {expected}"),),
    )


def _own_phrase(
    separation: Separation, specification: Specification, limit: int = VALUE_CHARACTERS
) -> str:
    """What the function does; of an exception also what it says, which helps to find the cause."""
    phrase = behaviour_phrase(separation.original, separation, specification, limit)
    return f"{phrase}: {short(separation.message, limit)}" if separation.message else phrase


def _doubtful_example(failure: ExampleFailure) -> Finding:
    example = failure.example
    call = short(example.call, CALL_CHARACTERS)
    got = set_apart(failure.got, example.expected.strip(), VALUE_CHARACTERS)
    expected = set_apart(example.expected.strip(), failure.got, VALUE_CHARACTERS)
    candidates = share(failure.candidates_agreeing, failure.candidates_total, "candidate")
    return Finding(
        Code.DOUBTFUL_EXAMPLE,
        Severity.WARNING,
        f"the example is likely to be wrong: on {call}, this function and {candidates} "
        f"give {got}, the docstring shows {expected}",
        example.span,
        Witness(
            short(example.call),
            (
                Outcome(
                    f"this function and {candidates}",
                    f"give {failure.got}",
                    failure.candidates_agreeing,
                    True,
                ),
                Outcome("the docstring", f"shows {expected}", 0, False),
            ),
            Origin.EXAMPLE,
        ),
    )


def _not_deterministic(instability: Instability, specification: Specification) -> Finding:
    given = Given(instability.input.call, specification)
    one, other = instability.first, instability.second
    first = outcome_phrase(one, other, VALUE_CHARACTERS, given=given)
    second = outcome_phrase(other, one, VALUE_CHARACTERS, given=given)
    return Finding(
        Code.NOT_DETERMINISTIC,
        Severity.INFORMATION,
        f"{call_text(instability.input.call, specification, CALL_CHARACTERS)}: "
        f"not deterministic; one run {first}, another {second}",
        name_span(specification),
        Witness(
            call_text(instability.input.call, specification),
            (Outcome("one run", first, 0, True), Outcome("another run", second, 0, True)),
            instability.input.origin,
            instability.input.partition,
        ),
    )


def witness_of(separation: Separation, specification: Specification) -> Witness:
    """The input, and what everybody does on it."""
    return Witness(
        call_text(separation.input.call, specification, WHOLE_CHARACTERS),
        tuple(
            _outcome(behaviour, separation, specification) for behaviour in separation.behaviours
        ),
        separation.input.origin,
        separation.input.partition,
    )


def _outcome(behaviour: Behaviour, separation: Separation, specification: Specification) -> Outcome:
    if behaviour.weight == 0:
        own = _own_phrase(separation, specification, WHOLE_CHARACTERS)
        return Outcome("this function", own, 0, True)
    doers = behaviour.weight + behaviour.original
    phrase = behaviour_phrase(behaviour, separation, specification, WHOLE_CHARACTERS, number=doers)
    who = share(behaviour.weight, separation.total, "candidate")
    if behaviour.original:
        who = f"this function and {who}"
    return Outcome(who, phrase, behaviour.weight, behaviour.original)
