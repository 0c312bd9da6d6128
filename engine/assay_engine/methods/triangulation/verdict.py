"""Triangulation after the ordinary evidence, and what it changes about the verdict.

The rule is in docs/triangulation.md. The rule accuses the function only with an input on which the
function and a confirmed voter were seen, twice more, to return different values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.statistics import WITNESSED, Curve, suspect
from assay_engine.compare.votes import Standing, Vote
from assay_engine.methods.triangulation import Bounds, Forward, Refuted, Triangulation, triangulate
from assay_engine.methods.triangulation.formulas.values import Arguments
from assay_engine.syntax.expressions import NotLiteral, literal_in
from assay_engine.types import (
    Behaviour,
    Input,
    Model,
    Origin,
    Specification,
    Status,
    Verdict,
)
from assay_engine.values.carried import call_key, is_script
from assay_sandbox import Call, Observation, Returned, Value, encode

ORIGINAL = 0


class Confirmed(Struct, frozen=True):
    """A triangulation among the original, at index 0, and the voters, from 1 on.

    `refuting` is the input that refutes the original. `shown` is what the original and the
    confirmed voter did on it, if that could be reproduced.
    """

    found: Triangulation
    refuting: Input | None = None
    shown: tuple[Observation, Observation] | None = None

    @property
    def supports(self) -> bool:
        """Whether every one of the decisive witnesses agrees with the original."""
        decisive = self.found.decisive
        if decisive is None or decisive.trusted.chosen is None:
            return False
        return set(decisive.trusted.witnesses) <= set(decisive.agreement[ORIGINAL])

    @property
    def accuses(self) -> bool:
        return self.shown is not None

    @property
    def counterexample(self) -> Vote | None:
        """A vote of the voter against the original, on the refuting input."""
        if self.refuting is None or self.shown is None or self.voter is None:
            return None
        own, voter = self.shown
        behaviours = (
            Behaviour(voter, 1, is_original=False, candidates=(self.voter,)),
            Behaviour(own, 0, is_original=True, candidates=()),
        )
        return Vote(self.refuting, Standing.DIFFERS, behaviours, 1)

    @property
    def voter(self) -> int | None:
        """The index of the confirmed voter among the evidence's voters."""
        selected = self.found.selected
        return None if selected is None or selected == ORIGINAL else selected - 1

    def probability(self, curve: Curve) -> float:
        """The probability that the verdict is true.

        Witnesses that agree count here like candidates that agree.
        """
        decisive = self.found.decisive
        if decisive is None:
            return 0.0
        return curve.probability(len(decisive.trusted.witnesses), len(decisive.witnesses))


async def confirm(
    model: Model,
    executor: Executor,
    evidence: Evidence,
    bounds: Bounds,
    stage: Callable[[str], None],
) -> Confirmed:
    """Triangulate the voters of the evidence, on its inputs.

    Never raises for what a program or a reply does.
    """
    specification = evidence.specification
    forwards = [
        Forward(program_of(specification), 0),
        *(
            Forward(program_of(specification, voter.source), voter.candidate.weight)
            for voter in evidence.voters
        ),
    ]
    inputs = _inputs(evidence)
    arguments = [entry.call.args for entry in inputs]
    found = await triangulate(model, executor, specification, forwards, arguments, bounds, stage)
    if found.decisive is None or found.decisive.plan.is_baseline:
        return Confirmed(found)
    for refuted in found.decisive.refuted:
        if refuted.forward == ORIGINAL:
            refuting = _most_meant(inputs, refuted)
            return Confirmed(
                found, refuting, await _reproduced(executor, forwards, found, refuting)
            )
    return Confirmed(found)


def _overrules(evidence: Evidence, confirmed: Confirmed) -> bool:
    """Whether the witnesses confirm the original and refute the candidates that outvote it."""
    decisive, shown = confirmed.found.decisive, evidence.shown
    if decisive is None or decisive.plan.is_baseline or shown is None or evidence.failures:
        return False
    refuted = {each.forward - 1 for each in decisive.refuted}
    return confirmed.supports and set(shown.leading.candidates) <= refuted


def reconsidered(verdict: Verdict, evidence: Evidence, confirmed: Confirmed) -> Verdict:
    """The verdict, reconsidered in the light of the witnesses."""
    outvoted = verdict.status is Status.SUSPECT or evidence.left_open is not None
    if outvoted and _overrules(evidence, confirmed):
        return replace(verdict, status=Status.ABSTAINED, confidence=None)
    if confirmed.refuting is not None and confirmed.accuses:
        if verdict.status is Status.SUSPECT:
            # The finding shows an input that the candidates voted on. The confidence is about it.
            return verdict
        if evidence.leaves_open(confirmed.refuting.call):
            # Witnesses share conventions that the docstring does not mention.
            return verdict
        wrong = confirmed.probability(suspect())
        return replace(verdict, status=Status.SUSPECT, confidence=wrong)
    if confirmed.supports and verdict.status in (Status.TRUSTED, Status.ABSTAINED):
        if verdict.status is Status.ABSTAINED and (
            # Witnesses run each input by itself, so they do not see state kept between calls.
            evidence.not_recurring or not _does_as_confirmed(evidence, confirmed)
        ):
            return verdict
        if evidence.doubtful:
            # Witnesses read the same prose. They do not reconcile the doubtful example with it.
            return replace(verdict, status=Status.AMBIGUOUS, confidence=None)
        right = max(verdict.confidence or 0.0, confirmed.probability(WITNESSED))
        return replace(verdict, status=Status.TRUSTED, confidence=right)
    return verdict


def _does_as_confirmed(evidence: Evidence, confirmed: Confirmed) -> bool:
    """Whether the original does in every way what some confirmed voter does.

    The two are compared on each input that was triangulated on. Witnesses see only what is
    returned: neither what is printed nor what became of the arguments.
    """
    decisive = confirmed.found.decisive
    if decisive is None:
        return False
    voters = {index - 1 for index in decisive.trusted.programs if index != ORIGINAL}
    return all(not voters.isdisjoint(vote.original.candidates) for vote in _chosen(evidence))


def _most_meant(inputs: Sequence[Input], refuted: Refuted) -> Input:
    """The refuting input to show: an example, else a proposed one."""
    by_key: dict[str, Input] = {}
    for entry in inputs:
        by_key.setdefault(call_key(entry.call), entry)
    refuting = (refuted.arguments, *refuted.further)
    entries = [by_key[call_key(Call(arguments))] for arguments in refuting]
    return min(entries, key=lambda entry: entry.origin is not Origin.EXAMPLE)


async def _reproduced(
    executor: Executor, forwards: Sequence[Forward], found: Triangulation, refuting: Input
) -> tuple[Observation, Observation] | None:
    """What the original and the voter do on the refuting input, if two further runs are alike.

    One of the two runs has other seeds. The result is None as well if both programs do the same.
    """
    if found.selected is None:
        return None
    programs = [forwards[ORIGINAL].program, forwards[found.selected].program]
    first = await executor.run(programs, [refuting.call])
    second = await executor.run(programs, [refuting.call], second=True)
    own, voter = (row[0] for row in first)
    again = [row[0] for row in second]
    steady = same_behaviour(own, again[0]) and same_behaviour(voter, again[1])
    return (own, voter) if steady and not same_behaviour(own, voter) else None


def _inputs(evidence: Evidence) -> tuple[Input, ...]:
    """The inputs in the domain, with positional arguments only.

    An input is left out if the candidates agree on a documented exception there: it gives no result
    to work back from. The paper's programs call such an input invalid, and it would count as a
    failure.
    """
    return tuple(
        replace(vote.input, call=Call(arguments))
        for vote in _chosen(evidence)
        if (arguments := positional(vote.input.call, evidence.specification)) is not None
    )


def _chosen(evidence: Evidence) -> list[Vote]:
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
