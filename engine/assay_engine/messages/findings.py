"""Puts evidence into words. A sentence says what was seen, not what that might mean."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from assay_engine.compare.evidence import Evidence, Instability
from assay_engine.compare.statistics import is_consensus
from assay_engine.compare.votes import Vote, accepts
from assay_engine.messages.phrases import (
    CALL_CHARACTERS,
    VALUE_CHARACTERS,
    as_information,
    name_span,
)
from assay_engine.specification.specification import cut_in_program
from assay_engine.syntax.input_output import imported_names
from assay_engine.syntax.parsing import SyntaxFault, parse, statements_in
from assay_engine.syntax.shortening import contrasted, shortened
from assay_engine.syntax.text import Definition, read_source
from assay_engine.types import (
    Behaviour,
    Code,
    ExampleFailure,
    Finding,
    Origin,
    Outcome,
    Phrase,
    Reading,
    Related,
    Severity,
    Specification,
    Status,
    Verbatim,
    Verdict,
    Witness,
    Words,
    text_of,
)
from assay_engine.values.describing import WHOLE_CHARACTERS, call_text, script_shown
from assay_engine.values.outcomes import GivenCall, outcome_phrase, outcome_phrases, with_message
from assay_engine.words import count, one_line, share
from assay_sandbox import Raised

NAMES_SHOWN = 2

_ALONE = ", as no candidate does"
_LIKEWISE = ", as this does"
_LEFT_OPEN = {
    Reading.OPEN: "when asked, the model found nothing in the docstring against it",
    Reading.OWN: "when asked, the model read the docstring as this does",
}
_UNSETTLED = "it is not settled which of the two the docstring asks for"


def findings(evidence: Evidence, verdict: Verdict) -> tuple[Finding, ...]:
    """The findings to tell the user, most severe first."""
    specification = evidence.specification
    found = [failed_example(failure, specification) for failure in evidence.failures]
    shown = evidence.shown
    # If the function fails an example, it is accused already, and not a second time.
    if shown is not None and not found and verdict.status in (Status.SUSPECT, Status.AMBIGUOUS):
        leading = shown.leading
        if evidence.left_open is not None:
            caveat = _UNSETTLED if evidence.unsettled else _LEFT_OPEN[evidence.left_open]
            seen = as_information(_differs(shown, evidence), caveat)
            seen = replace(seen, code=Code.AMBIGUOUS)
        elif leading.is_original or verdict.status is Status.AMBIGUOUS:
            seen = _ambiguous(shown, specification)
        else:
            seen = _differs(shown, evidence)
        found.append(seen)
    found += map(doubtful_example, evidence.doubtful)
    if evidence.instability is not None:
        found.append(_not_deterministic(evidence.instability, specification))
    return tuple(found)


def behaviour_phrase(
    behaviour: Behaviour,
    shown: Vote,
    specification: Specification,
    limit: int = VALUE_CHARACTERS,
    *,
    number: int = 1,
    pair: Sequence[Behaviour] = (),
) -> Phrase:
    """What programs of a behaviour do on the separating input, set against its rival.

    Two are each other's rivals: the `pair`, or else the function's behaviour and the strongest of
    all others. One of these two is that of any further one.
    """
    others = [each for each in shown.behaviours if each is not shown.original]
    pair = pair or [*others[:1], shown.original]
    rival = next((each.observation for each in pair if each is not behaviour), None)
    given = GivenCall(shown.input.call, specification)
    return outcome_phrase(behaviour.observation, rival, limit, number=number, given=given)


def _differs(shown: Vote, evidence: Evidence) -> Finding:
    specification, leading = evidence.specification, shown.leading
    own = shown.original
    pair = leading, own
    message = (
        f"{call_text(shown.input.call, specification, CALL_CHARACTERS)}: "
        f"{share(leading.weight, shown.total, 'candidate')} "
        f"{_behaviour_text(leading, shown, specification, leading.weight, pair)}, "
        f"this {text_of(_own_phrase(shown, specification, pair))}"
    )
    if own.weight == 0 and not is_consensus(leading.weight, shown.total):
        message += _ALONE
    if own.weight and evidence.is_contradicted:
        message += f", as {count(own.weight, 'other')} {'does' if own.weight == 1 else 'do'}"
    message += relied_on_alone(evidence, leading)
    raises = isinstance(own.observation, Raised) and accepts(leading.observation, ())
    return Finding(
        Code.RAISES if raises else Code.DIFFERS,
        Severity.WARNING,
        message,
        name_span(specification),
        witness_of(shown, specification, pair=pair),
    )


def _ambiguous(shown: Vote, specification: Specification) -> Finding:
    entry = shown.input
    if entry.origin is Origin.OPEN and entry.partition:
        why = f'the docstring leaves open "{one_line(entry.partition)}"'
    else:
        why = "the docstring allows several behaviours"
    pair = shown.behaviours[:2]
    first, *second = (
        _behaviour_text(each, shown, specification, each.weight, pair)
        + (_LIKEWISE if each.is_original else "")
        for each in pair
        if each.weight
    )
    weights = [each.weight for each in shown.behaviours]
    message = (
        f"{call_text(entry.call, specification, CALL_CHARACTERS)}: {why}; "
        f"{share(weights[0], shown.total, 'candidate')} {first}"
    )
    if second:
        message += f", {weights[1]} {second[0]}"
    own = shown.original
    if own.weight == 0:
        message += f", this {text_of(_own_phrase(shown, specification, pair))}{_ALONE}"
    elif own not in pair:
        theirs = _behaviour_text(own, shown, specification, 1 + own.weight, pair)
        message += f", this and {own.weight} {theirs}"
    return Finding(
        Code.AMBIGUOUS,
        Severity.INFORMATION,
        message,
        name_span(specification),
        witness_of(shown, specification, pair=pair),
    )


def _behaviour_text(
    behaviour: Behaviour,
    shown: Vote,
    specification: Specification,
    number: int,
    pair: Sequence[Behaviour],
) -> str:
    return text_of(behaviour_phrase(behaviour, shown, specification, number=number, pair=pair))


def _own_phrase(
    shown: Vote,
    specification: Specification,
    pair: Sequence[Behaviour],
    limit: int = VALUE_CHARACTERS,
) -> Phrase:
    """What the function does; with the message of an exception, which helps to find the cause."""
    phrase = behaviour_phrase(shown.original, shown, specification, limit, pair=pair)
    return with_message(phrase, shown.message, limit) if shown.message else phrase


def _not_deterministic(instability: Instability, specification: Specification) -> Finding:
    given = GivenCall(instability.input.call, specification)
    runs = instability.first, instability.second
    first, second = outcome_phrases(*runs, VALUE_CHARACTERS, given)
    whole_first, whole_second = outcome_phrases(*runs, WHOLE_CHARACTERS, given)
    return Finding(
        Code.NOT_DETERMINISTIC,
        Severity.INFORMATION,
        f"{call_text(instability.input.call, specification, CALL_CHARACTERS)}: "
        f"not deterministic; one run {text_of(first)}, another {text_of(second)}",
        name_span(specification),
        Witness(
            call_text(instability.input.call, specification, WHOLE_CHARACTERS),
            (
                Outcome.of("one run", whole_first, 0, is_original=True),
                Outcome.of("another run", whole_second, 0, is_original=True),
            ),
            instability.input.origin,
            instability.input.partition,
            script_shown(instability.input.call, specification),
        ),
    )


def witness_of(
    shown: Vote,
    specification: Specification,
    limit: int = WHOLE_CHARACTERS,
    *,
    pair: Sequence[Behaviour] = (),
) -> Witness:
    """The input, and what every program does on it. `pair` is as for `behaviour_phrase`."""
    return Witness(
        call_text(shown.input.call, specification, limit),
        tuple(outcome_of(each, shown, specification, limit, pair) for each in shown.behaviours),
        shown.input.origin,
        shown.input.partition,
        script_shown(shown.input.call, specification),
    )


def outcome_of(
    behaviour: Behaviour,
    shown: Vote,
    specification: Specification,
    limit: int = WHOLE_CHARACTERS,
    pair: Sequence[Behaviour] = (),
) -> Outcome:
    """Who behaves so on the input, and what they do. `pair` is as for `behaviour_phrase`."""
    who = who_behaves(behaviour, shown)
    if behaviour.weight == 0:
        own = _own_phrase(shown, specification, pair, limit)
        return Outcome.of(who, own, 0, is_original=True)
    doers = behaviour.weight + behaviour.is_original
    return Outcome.of(
        who,
        behaviour_phrase(behaviour, shown, specification, limit, number=doers, pair=pair),
        behaviour.weight,
        is_original=behaviour.is_original,
        candidates=behaviour.candidates,
    )


def who_behaves(behaviour: Behaviour, shown: Vote) -> str:
    """Who shows the behaviour, such as ``this function and 2 of 5 candidates``."""
    candidates = share(behaviour.weight, shown.total, "candidate")
    if not behaviour.is_original:
        return candidates
    return f"this function and {candidates}" if behaviour.weight else "this function"


def relied_on_alone(evidence: Evidence, others: Behaviour) -> str:
    """The end of a sentence that names what only the function uses; empty if there is nothing.

    Named are functions and classes of the workspace, those of the program itself among them, that
    no candidate with the behaviour `others` uses: the fault may be in them.
    """
    specification = evidence.specification
    source = read_source(specification.program)
    cut = cut_in_program(specification, source)
    if cut is None:
        return ""
    trees = [parse(evidence.voters[each].candidate.source) for each in others.candidates]
    readable = [tree for tree in trees if not isinstance(tree, SyntaxFault)]
    theirs = {name for tree in readable for name in _names(tree.body)}
    imported = imported_names(statements_in(source.tree.body))
    inside = set(ast.walk(cut.node))
    ours = {
        each.name
        for each in ast.walk(source.tree)
        if isinstance(each, Definition) and each not in inside
    }
    served = specification.workspace_roots
    ours |= {name for name, origin in imported.items() if origin.split(".")[0] in served}
    used = dict.fromkeys(_names(cut.node.body))
    found = [name for name in used if name in ours and name not in theirs]
    if not found:
        return ""
    shown = " and ".join(f"`{one_line(name)}`" for name in found[:NAMES_SHOWN])
    return f"; it uses {shown}, which they do not use"


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names and attributes used, in the order in which they stand."""
    found = [
        node
        for root in nodes
        for node in ast.walk(root)
        if isinstance(node, ast.Name | ast.Attribute)
    ]
    for node in sorted(found, key=lambda each: (each.end_lineno or 0, each.end_col_offset or 0)):
        yield node.id if isinstance(node, ast.Name) else node.attr


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
    message = (
        f"fails its own example: {shortened(example.call, CALL_CHARACTERS)} gives "
        f"{got}, the docstring shows {expected}"
    )
    if failure.is_disputed:
        candidates = share(agreeing, failure.candidates_total, "candidate")
        verb = "sides" if agreeing == 1 else "side"
        message += f"; {candidates} {verb} with the function, so check the example first"
    return Finding(
        Code.FAILS_EXAMPLE,
        Severity.ERROR,
        message,
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
