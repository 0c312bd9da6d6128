"""Runs the original and its rivals on inputs, and turns what was seen into evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.chance import varies_from_run_to_run, varies_with_numbers
from assay_engine.deciding.domain import was_seen
from assay_engine.deciding.evidence import Evidence, Instability
from assay_engine.deciding.reaching import Extent, extent_of, ran_into_limit, reach
from assay_engine.deciding.searching import Features, search, shown_by_vote
from assay_engine.deciding.separating import Case, Contest, separate
from assay_engine.deciding.tracing import Tracer, representatives
from assay_engine.deciding.varying import Places, is_unsteady, varying_of
from assay_engine.deciding.verdict import ACCUSING, separating
from assay_engine.deciding.voting import Standing, Vote
from assay_engine.inputs.admission import Admission
from assay_engine.inputs.choose import call_key, unknown
from assay_engine.inputs.gather import built
from assay_engine.running.comparing import same_behaviour
from assay_engine.running.laboratory import Laboratory, program_of
from assay_engine.running.materialising import receivers
from assay_engine.types import MEANT, Input, Origin, Specification
from assay_sandbox import Call, Observation, Returned, TimedOut, Value

# Rounds. What a function needs too long for costs more than all other inputs together.
OVERDUE_MAX = 3


class SearchPlan(Struct, frozen=True):
    """How many calls of programs a search may make, the seed of its choices, its constants, and
    which inputs are admitted."""

    calls: int
    seed: int
    constants: tuple[Value, ...]
    admission: Admission


async def observe(
    laboratory: Laboratory, evidence: Evidence, inputs: Sequence[Input], plan: SearchPlan
) -> Evidence:
    """The evidence with a vote on every input that the original answers the same way twice.

    Where no input shows the original to differ, a search adds further ones.
    """
    specification = evidence.specification
    contest = Contest(
        programs=(
            program_of(specification),
            *(program_of(specification, rival.source) for rival in evidence.rivals),
        ),
        weights=tuple(rival.candidate.weight for rival in evidence.rivals),
        documented=specification.documented_exceptions,
        reach=reach(entry.call for entry in inputs if entry.origin in MEANT),
        meant=frozenset(call_key(entry.call) for entry in inputs if entry.origin in MEANT),
        admits=plan.admission.admits,
    )
    ballot = await _ballot(laboratory, contest, inputs)
    if not separating(ballot.votes, ballot.inputs, [Standing.DIFFERS], contest.documented):
        ballot = await _searched(laboratory, contest, specification, ballot, plan)
    contest = replace(contest, varying=ballot.varying)
    by_chance = await _is_chance(laboratory, contest, ballot)
    telling = _telling(ballot, by_chance=by_chance)
    cases: tuple[Case, ...] = ()
    for standings in (ACCUSING, (Standing.SPLIT,)):
        cases = cases or await separate(
            laboratory, contest, telling.inputs, telling.votes, standings
        )
    return replace(
        evidence,
        inputs=ballot.inputs,
        votes=ballot.votes,
        cases=cases,
        instability=ballot.instability,
        by_chance=by_chance,
        receivers=await _receivers(laboratory, specification, ballot.inputs),
    )


async def _receivers(
    laboratory: Laboratory, specification: Specification, inputs: Sequence[Input]
) -> tuple[Value, ...]:
    if not specification.has_receiver:
        return ()
    return await receivers(laboratory, specification, [entry.call for entry in inputs])


class _Ballot(Struct, frozen=True):
    """The votes on those inputs that the original was run on and answered the same way twice.

    `varying`: as of `Contest`. `overdue`: whether a program needed too long for one of them.
    """

    inputs: tuple[Input, ...]
    votes: tuple[Vote, ...]
    instability: Instability | None
    varying: Mapping[str, Places]
    overdue: bool = False

    def with_more(self, other: _Ballot) -> _Ballot:
        return _Ballot(
            (*self.inputs, *other.inputs),
            (*self.votes, *other.votes),
            self.instability or other.instability,
            {**self.varying, **other.varying},
            self.overdue or other.overdue,
        )


async def _ballot(laboratory: Laboratory, contest: Contest, inputs: Sequence[Input]) -> _Ballot:
    """Runs the original under both seeds at once, and then its rivals on what it was seen on.

    What somebody meant comes first, and small inputs before large ones: a program that is given up,
    because it needs too long, shall have as little as possible left.
    """
    original, *rivals = contest.programs
    order = sorted(range(len(inputs)), key=lambda number: _urgency(inputs[number]))
    calls = [inputs[number].call for number in order]
    own, again = await laboratory.run_twice(original, calls, contest.documented)
    varying: dict[str, Places] = {}
    if any(map(is_unsteady, own, again)):
        (third,) = await laboratory.run([original], calls, contest.documented)
        varying = varying_of(calls, own, again, third)
    contest = replace(contest, varying=varying)
    pairs = zip(contest.comparable(calls, own), contest.comparable(calls, again), strict=True)
    twice = dict(zip(order, pairs, strict=True))
    # The unsteady ones, too: what a program keeps from call to call, its rivals shall keep alike.
    tried = [number for number in order if was_seen(twice[number][0])]
    rows = await laboratory.run(
        rivals, [inputs[number].call for number in tried], contest.documented
    )
    seen = {
        number: (twice[number][0], *(row[place] for row in rows))
        for place, number in enumerate(tried)
    }
    steady = sorted(number for number in tried if same_behaviour(*twice[number]))
    return _Ballot(
        tuple(inputs[number] for number in steady),
        contest.votes(
            [inputs[number].call for number in steady],
            [
                tuple(seen[number][program] for number in steady)
                for program in range(len(contest.programs))
            ],
        ),
        _instability([(inputs[number], *twice[number]) for number in sorted(order)]),
        varying,
        overdue=any(isinstance(each, TimedOut) for row in (own, *rows) for each in row),
    )


def _urgency(entry: Input) -> tuple[bool, int]:
    return entry.origin not in MEANT, len(call_key(entry.call))


async def _is_chance(laboratory: Laboratory, contest: Contest, ballot: _Ballot) -> bool:
    """Whether chance is meant: most candidates answer by it, too.

    Asked of the input on which the original does, and of those on which it could be accused.
    """
    if ballot.instability is not None and await varies_from_run_to_run(
        laboratory, contest, ballot.instability.input.call
    ):
        return True
    standings = (*ACCUSING, Standing.SPLIT)
    differing = separating(ballot.votes, ballot.inputs, standings, contest.documented)
    calls = [ballot.inputs[index].call for index in differing]
    return await varies_with_numbers(laboratory, contest, calls)


def _telling(ballot: _Ballot, *, by_chance: bool) -> _Ballot:
    """What the original may be accused by: no value that it returns, where chance is meant.

    On inputs with few possible answers all of them may be steady by luck.
    """
    kept = [
        index
        for index, vote in enumerate(ballot.votes)
        if not (by_chance and isinstance(vote.original.observation, Returned))
    ]
    return replace(
        ballot,
        inputs=tuple(ballot.inputs[index] for index in kept),
        votes=tuple(ballot.votes[index] for index in kept),
    )


async def _searched(
    laboratory: Laboratory,
    contest: Contest,
    specification: Specification,
    ballot: _Ballot,
    plan: SearchPlan,
) -> _Ballot:
    """The ballot with the inputs that a search asked for, as far as they can be made.

    What is larger than all that the function has answered so far is run by itself, and a program is
    given up there the first time that it needs too long; so it is on all others where that has
    happened before. The search ends when it has in `OVERDUE_MAX` rounds, since it has come to what
    is too large, or what no program here ends on.
    """
    calls = [entry.call for entry in ballot.inputs]
    tracer = _tracer(laboratory, contest, ballot.votes)
    # The original runs twice.
    per_input = len(contest.programs) + 1 + len(tracer.programs)
    shown = await _shown(tracer, ballot, tracer.beginning(plan.calls))
    rounds = search(
        calls,
        shown,
        count=(plan.calls - tracer.calls) // per_input,
        seed=plan.seed,
        constants=plan.constants,
    )
    overdue = 0
    # The end of the rounds: there is nothing left to ask for.
    with suppress(StopIteration):
        asked = next(rounds)
        while overdue < OVERDUE_MAX:
            made = plan.admission.fitted(await built(laboratory, specification, asked, calls))
            made = unknown(made, (entry.call for entry in ballot.inputs))
            answered = _answered(ballot, contest.documented)
            within, beyond = _parted(made, answered)
            usual = laboratory.hurried() if ballot.overdue else laboratory
            seen = await _ballot(usual, contest, within)
            seen = seen.with_more(await _ballot(laboratory.hurried(), contest, beyond))
            overdue += seen.overdue
            ballot = ballot.with_more(seen)
            shown = await _shown(tracer, seen, len(seen.inputs))
            asked = rounds.send(([entry.call for entry in seen.inputs], shown))
    return ballot


def _answered(ballot: _Ballot, documented: Collection[str]) -> Extent:
    """What the largest inputs cover that the original has not run into a limit on."""
    return reach(
        entry.call
        for entry, vote in zip(ballot.inputs, ballot.votes, strict=True)
        if not ran_into_limit(vote.original.observation, documented)
    )


def _parted(calls: Sequence[Call], answered: Extent) -> tuple[list[Input], list[Input]]:
    """Those that are covered, and those that are not."""
    within: list[Input] = []
    beyond: list[Input] = []
    for call in calls:
        (within if answered.covers(extent_of(call)) else beyond).append(
            Input(call, Origin.SEARCHED)
        )
    return within, beyond


def _tracer(laboratory: Laboratory, contest: Contest, votes: Sequence[Vote]) -> Tracer:
    """Of the original, first of all, and of those candidates that have parted from it."""
    counted = [vote for vote in votes if vote.standing is not Standing.OUTSIDE]
    behaviours = [
        tuple(_side(vote, number) for vote in counted) for number in range(len(contest.programs))
    ]
    weights = (1 + sum(contest.weights), *contest.weights)
    chosen = representatives(behaviours, weights)
    return Tracer(laboratory, {number: contest.programs[number] for number in chosen})


def _side(vote: Vote, program: int) -> int | None:
    """Which of the behaviours on an input is the program's; the original is program 0."""
    for number, behaviour in enumerate(vote.behaviours):
        if behaviour.original if program == 0 else program - 1 in behaviour.candidates:
            return number
    return None


async def _shown(tracer: Tracer, ballot: _Ballot, traced_max: int) -> tuple[Features, ...]:
    """By input, what the votes show, and the branches of those that count, up to so many."""
    calls = [entry.call for entry in ballot.inputs]
    return await tracer.added(calls, [*map(shown_by_vote, ballot.votes)], traced_max)


def _instability(
    seen: Iterable[tuple[Input, Observation, Observation]],
) -> Instability | None:
    """The first input on which the original gave different answers in its two runs."""
    for entry, one, other in seen:
        if is_unsteady(one, other):
            return Instability(entry, one, other)
    return None
