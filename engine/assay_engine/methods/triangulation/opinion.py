"""Triangulation's opinion on a function, and what it changes about the verdict.

The rule is in docs/triangulation.md. The rule accuses the function only with an input on which the
function and a confirmed voter were seen, twice more, to return different values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.statistics import WITNESSED, suspect
from assay_engine.compare.votes import Standing, Vote
from assay_engine.config.settings import Settings
from assay_engine.fixes.selecting import Decision, Selection
from assay_engine.messages.findings import findings
from assay_engine.messages.phrases import CALL_CHARACTERS, VALUE_CHARACTERS, name_span
from assay_engine.messages.shortfalls import CONTRADICTORY
from assay_engine.methods.triangulation.attempts import Attempt
from assay_engine.methods.triangulation.formulas.values import Arguments, Special, Term
from assay_engine.methods.triangulation.samples import Forward
from assay_engine.methods.triangulation.triangulating import Bounds, Triangulation, triangulate
from assay_engine.sampling.asking import Asking
from assay_engine.sampling.prompting import stub
from assay_engine.settling.settling import Settled, settle
from assay_engine.syntax.balanced import LEFT_OUT
from assay_engine.syntax.expressions import NotLiteral, literal_in
from assay_engine.syntax.shortening import shortened
from assay_engine.types import (
    Behaviour,
    Code,
    Finding,
    Input,
    Model,
    Origin,
    Outcome,
    Problem,
    Refutation,
    Severity,
    Specification,
    Status,
    TransformedSolution,
    Triangulated,
    Witness,
    text_of,
)
from assay_engine.values.carried import call_key, is_script
from assay_engine.values.describing import WHOLE_CHARACTERS, call_text
from assay_engine.values.outcomes import GivenCall, outcome_phrase, outcome_phrases
from assay_engine.words import SHORT_CHARACTERS
from assay_sandbox import Call, Observation, Returned, Value, encode, render

ORIGINAL = 0
INPUTS_SHOWN = 5
REFUTED_SHOWN = 5


class SecondOpinion(Struct, frozen=True):
    """What the solutions of transformed problems say of a function.

    `decision` is the one so far, or what becomes of it. `shown` is the vote of the confirmed voter
    against the function, on the input on which it is refuted; `settled` is what the docstring was
    found to say of that. `report` is the part of the report that names the witnesses.
    """

    decision: Decision
    report: Triangulated
    shown: Vote | None
    settled: Settled
    problems: tuple[Problem, ...]


class Refuting(Struct, frozen=True):
    """The input that refutes the function, what the function and the confirmed voter did on it, and
    which of the evidence's voters that is."""

    input: Input
    own: Observation
    theirs: Observation
    voter: int

    @property
    def vote(self) -> Vote:
        """The vote of the voter against the function."""
        behaviours = (
            Behaviour(self.theirs, 1, is_original=False, candidates=(self.voter,)),
            Behaviour(self.own, 0, is_original=True, candidates=()),
        )
        return Vote(self.input, Standing.DIFFERS, behaviours, 1)


async def second_opinion(
    model: Model,
    executor: Executor,
    evidence: Evidence,
    before: Decision,
    settings: Settings,
    stage: Callable[[str], None],
) -> SecondOpinion:
    """Triangulate the voters of the evidence on its inputs, and decide anew.

    The function itself takes part, at index 0 before the voters. Never raises for what a program or
    a reply does.
    """
    specification = evidence.specification
    forwards = [Forward(program_of(specification), 0)]
    forwards += [
        Forward(program_of(specification, voter.source), voter.candidate.weight)
        for voter in evidence.voters
    ]
    # Positional arguments only.
    inputs = [
        replace(vote.input, call=Call(arguments))
        for vote in _chosen(evidence)
        if (arguments := positional(vote.input.call, specification)) is not None
    ]
    arguments = [entry.call.args for entry in inputs]
    bounds = Bounds(settings.thorough, settings.sampling)
    found = await triangulate(model, executor, specification, forwards, arguments, bounds, stage)
    refuting = await _refuting(executor, forwards, inputs, found)
    shown = None if refuting is None else refuting.vote
    # Witnesses share conventions that the docstring does not state, and a function is not accused
    # of breaking those. The model is not asked if the function is suspect already, or if it was
    # asked about this call before.
    settled = Settled(evidence)
    known = before.verdict.status is Status.SUSPECT
    asks = shown is not None and not known and not evidence.leaves_open(shown.input.call)
    if shown is not None and asks:
        stage("asking what the docstring says")
        asking = Asking.in_slots(model, settings.sampling)
        refuted = replace(evidence, counterexamples=(shown,), reading=None)
        settled = await settle(asking, refuted, max_tokens=settings.sampling.max_tokens)
    decision = before
    if found.decisive is not None and not (asks and settled.evidence.left_open is not None):
        decision = _revised(before, evidence, found.decisive, refuting)
    return SecondOpinion(decision, _reported(found, evidence), shown, settled, found.problems)


async def _refuting(
    executor: Executor,
    forwards: Sequence[Forward],
    inputs: Sequence[Input],
    found: Triangulation,
) -> Refuting | None:
    """The input that refutes the function, if two further runs on it are alike.

    One of the two runs has other seeds. The result is None as well if the function and the voter do
    the same. An example is shown rather than a proposed input.
    """
    decisive = found.decisive
    if decisive is None or found.selected is None or decisive.plan.is_baseline:
        return None
    refuted = next((each for each in decisive.refuted if each.forward == ORIGINAL), None)
    if refuted is None:
        return None
    by_key: dict[str, Input] = {}
    for entry in inputs:
        by_key.setdefault(call_key(entry.call), entry)
    entries = [by_key[call_key(Call(each))] for each in (refuted.arguments, *refuted.further)]
    shown = min(entries, key=lambda entry: entry.origin is not Origin.EXAMPLE)
    programs = [forwards[ORIGINAL].program, forwards[found.selected].program]
    first = await executor.run(programs, [shown.call])
    second = await executor.run(programs, [shown.call], second=True)
    own, theirs = (row[0] for row in first)
    again = [row[0] for row in second]
    steady = same_behaviour(own, again[0]) and same_behaviour(theirs, again[1])
    if not steady or same_behaviour(own, theirs):
        return None
    return Refuting(shown, own, theirs, found.selected - 1)


def _revised(
    before: Decision, evidence: Evidence, decisive: Attempt, refuting: Refuting | None
) -> Decision:
    """The decision in the light of the witnesses."""
    verdict = before.verdict
    witnesses = len(decisive.trusted.witnesses), len(decisive.witnesses)
    outvoted = verdict.status is Status.SUSPECT or evidence.left_open is not None
    if outvoted and _overrules(evidence, decisive):
        verdict = replace(verdict, status=Status.ABSTAINED, confidence=None)
        return Decision(verdict, findings(evidence, verdict), (), (CONTRADICTORY,))
    if refuting is not None:
        # If the function is suspect already, its finding shows an input that the candidates voted
        # on, and the confidence is about that. Witnesses share conventions that the docstring does
        # not mention.
        known = verdict.status is Status.SUSPECT
        if known or evidence.leaves_open(refuting.input.call):
            return before
        wrong = suspect().probability(*witnesses)
        verdict = replace(verdict, status=Status.SUSPECT, confidence=wrong)
        beside = before.findings
        if evidence.left_open is not None:
            # The finding that the docstring leaves the cases open does not remain.
            beside = findings(replace(evidence, counterexamples=(), reading=None), verdict)
        finding = _accusation(refuting, decisive, evidence.specification)
        return Decision(verdict, (finding, *beside), _selection(refuting, evidence))
    if _supports(decisive) and verdict.status in (Status.TRUSTED, Status.ABSTAINED):
        if verdict.status is Status.ABSTAINED and (
            # Witnesses run each input by itself, so they do not see state kept between calls.
            evidence.not_recurring or not _does_as_confirmed(evidence, decisive)
        ):
            return before
        if evidence.doubtful:
            # Witnesses read the same prose. They do not reconcile the doubtful example with it.
            return replace(
                before, verdict=replace(verdict, status=Status.AMBIGUOUS, confidence=None)
            )
        # Witnesses that agree count here like candidates that agree.
        right = max(verdict.confidence or 0.0, WITNESSED.probability(*witnesses))
        return replace(before, verdict=replace(verdict, status=Status.TRUSTED, confidence=right))
    return before


def _supports(decisive: Attempt) -> bool:
    """Whether every one of the decisive witnesses agrees with the function."""
    return set(decisive.trusted.witnesses) <= set(decisive.agreement[ORIGINAL])


def _overrules(evidence: Evidence, decisive: Attempt) -> bool:
    """Whether the witnesses confirm the function and refute the candidates that outvote it."""
    shown = evidence.shown
    if decisive.plan.is_baseline or shown is None or evidence.failures:
        return False
    refuted = {each.forward - 1 for each in decisive.refuted}
    return _supports(decisive) and set(shown.leading.candidates) <= refuted


def _does_as_confirmed(evidence: Evidence, decisive: Attempt) -> bool:
    """Whether the function does in every way what some confirmed voter does.

    The two are compared on each input that was triangulated on. Witnesses see only what is
    returned: neither what is printed nor what became of the arguments.
    """
    voters = {index - 1 for index in decisive.trusted.programs if index != ORIGINAL}
    return all(not voters.isdisjoint(vote.original.candidates) for vote in _chosen(evidence))


def _chosen(evidence: Evidence) -> list[Vote]:
    """The votes on the inputs to triangulate on.

    An input is left out if the candidates agree on a documented exception there: it gives no result
    to work back from. The paper's programs call such an input invalid, and it would count as a
    failure.
    """
    return [vote for vote in evidence.counted if isinstance(vote.leading.observation, Returned)]


def positional(call: Call, specification: Specification) -> Arguments | None:
    """The call's arguments by position, with defaults filled in.

    None if that cannot be done, or if more than arguments belongs to the call.
    """
    if call != Call(call.args, call.kwargs) or is_script(call):
        return None
    named = dict(call.kwargs)
    arguments: list[Value] = list(call.args)
    for parameter in specification.parameters[len(arguments) :]:
        if parameter.name in named:
            arguments.append(named.pop(parameter.name))
            continue
        try:
            default = literal_in(parameter.default or "")
            encode(default)  # a TypeError for an ellipsis, which cannot be passed on
            arguments.append(default)
        except (NotLiteral, TypeError):
            return None
    return None if named else tuple(arguments)


def _accusation(refuting: Refuting, decisive: Attempt, specification: Specification) -> Finding:
    """The finding that the function is refuted, with the input that shows it."""
    call = refuting.input.call
    who = f"{len(decisive.trusted.witnesses)} of {len(decisive.witnesses)} witnesses"
    given, both = GivenCall(call, specification), (refuting.theirs, refuting.own)
    theirs, own = outcome_phrases(*both, VALUE_CHARACTERS, given)
    theirs_whole, own_whole = outcome_phrases(*both, WHOLE_CHARACTERS, given)
    return Finding(
        Code.DIFFERS,
        Severity.WARNING,
        f"{call_text(call, specification, CALL_CHARACTERS)}: a candidate that {who} "
        f"({decisive.plan.name}) confirm {text_of(theirs)}, this {text_of(own)}",
        name_span(specification),
        Witness(
            call_text(call, specification, WHOLE_CHARACTERS),
            (
                Outcome.of(f"a candidate confirmed by {who}", theirs_whole, 1, is_original=False),
                Outcome.of("this function", own_whole, 0, is_original=True),
            ),
            refuting.input.origin,
            refuting.input.partition,
        ),
    )


def _selection(refuting: Refuting, evidence: Evidence) -> tuple[Selection, ...]:
    """The voter that witnesses confirm against the function."""
    given = GivenCall(refuting.input.call, evidence.specification)
    did = outcome_phrase(refuting.theirs, refuting.own, VALUE_CHARACTERS, given=given)
    phrase = text_of(did)
    if LEFT_OUT in phrase:
        phrase = "does what witnesses confirm"
    return (Selection((evidence.voters[refuting.voter],), phrase, is_confirmed=True),)


def _reported(found: Triangulation, evidence: Evidence) -> Triangulated:
    """The part of the report that names the witnesses."""
    decisive = found.decisive
    if decisive is None:
        drawn = max((len(each.witnesses) for each in found.attempts), default=0)
        return Triangulated(None, False, False, 0, (), 0, drawn, (), (), found.drawn)
    specification = evidence.specification
    weights = [0, *(rival.candidate.weight for rival in evidence.voters)]
    parts = [part for index in decisive.trusted.witnesses for part in decisive.witnesses[index]]
    counted = Counter((stub(part.problem), part.text) for part in parts)
    return Triangulated(
        scheme=decisive.plan.name,
        is_baseline=decisive.plan.is_baseline,
        confirms_original=_supports(decisive),
        confirmed=sum(weights[index] for index in decisive.trusted.programs),
        witnesses=tuple(TransformedSolution(*each, samples) for each, samples in counted.items()),
        agreeing=len(decisive.trusted.witnesses),
        drawn=len(decisive.witnesses),
        inputs=tuple(
            call_text(Call(each), specification) for each in decisive.agreed[:INPUTS_SHOWN]
        ),
        refuted=tuple(
            Refutation(
                call_text(Call(each.arguments), specification),
                _text(each.got),
                _text(each.chosen),
                weights[each.forward],
                each.forward == ORIGINAL,
            )
            for each in decisive.refuted[:REFUTED_SHOWN]
        ),
        usage=found.drawn,
    )


def _text(term: Term) -> str:
    if isinstance(term, Special):
        return str(term.value)
    return shortened(render(term), SHORT_CHARACTERS)
