"""Runs the original and its rivals on inputs, and turns what was seen into evidence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.balloting import Ballot, balloted, told_instability
from assay_engine.deciding.evidence import Evidence, Instability
from assay_engine.deciding.machine_limits import Extent, extent_of, ran_into_limit, reach
from assay_engine.deciding.randomness import varies_from_run_to_run, varies_with_numbers
from assay_engine.deciding.ranking import most_telling
from assay_engine.deciding.searching import Features, search, shown_by_vote
from assay_engine.deciding.separating import Case, Contest, separate
from assay_engine.deciding.tracing import Tracer, representatives
from assay_engine.deciding.verdict import MEANT_MIN
from assay_engine.deciding.voting import ACCUSING, Standing, Vote
from assay_engine.inputs.admission import Admission
from assay_engine.inputs.gather import built
from assay_engine.reading.order_spoken_of import speaks_of_order
from assay_engine.running.call_keys import unknown
from assay_engine.running.laboratory import Laboratory
from assay_engine.running.materialising import receivers
from assay_engine.types import MEANT, Input, Origin, Specification
from assay_sandbox import Call, Returned, Value

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
    contest = Contest.between(
        specification,
        [rival.source for rival in evidence.rivals],
        [rival.candidate.weight for rival in evidence.rivals],
        [entry.call for entry in inputs if entry.origin in MEANT],
        documented=specification.documented_exceptions,
        ordered=speaks_of_order(specification.docstring),
    )
    ballot = await balloted(laboratory, contest, inputs)
    if not most_telling(ballot.votes, ballot.inputs, [Standing.DIFFERS], contest.documented):
        ballot = await _searched(laboratory, contest, specification, ballot, plan)
    contest = replace(contest, varying=ballot.varying)
    unsteady = told_instability(ballot)
    by_chance = await _is_chance(laboratory, contest, ballot, unsteady)
    cases: tuple[Case, ...] = ()
    for standings, telling in _in_turn(_telling(ballot, by_chance=by_chance)):
        cases = cases or await separate(
            laboratory,
            contest,
            telling.inputs,
            telling.votes,
            standings,
            admits=plan.admission.admits,
        )
    if not cases:
        # The candidates' order is one by chance, and nobody's business.
        ballot = replace(ballot, votes=tuple(vote.but_for_order or vote for vote in ballot.votes))
    return replace(
        evidence,
        inputs=ballot.inputs,
        votes=ballot.votes,
        cases=cases,
        instability=unsteady,
        by_chance=by_chance,
        receivers=await _receivers(laboratory, specification, ballot.inputs),
    )


async def _receivers(
    laboratory: Laboratory, specification: Specification, inputs: Sequence[Input]
) -> tuple[Value, ...]:
    if not specification.has_receiver:
        return ()
    return await receivers(laboratory, specification, [entry.call for entry in inputs])


async def _is_chance(
    laboratory: Laboratory, contest: Contest, ballot: Ballot, unsteady: Instability | None
) -> bool:
    """Whether chance is meant: most candidates answer by it, too.

    Asked of the input on which the original does, and of those on which it could be accused.
    """
    if unsteady is not None and await varies_from_run_to_run(
        laboratory, contest, unsteady.input.call
    ):
        return True
    standings = (*ACCUSING, Standing.SPLIT)
    differing = most_telling(ballot.votes, ballot.inputs, standings, contest.documented)
    calls = [ballot.inputs[index].call for index in differing]
    return await varies_with_numbers(laboratory, contest, calls)


def _telling(ballot: Ballot, *, by_chance: bool) -> Ballot:
    """What the original may be accused by: no value that it returns, where chance is meant.

    On inputs with few possible answers all of them may be steady by luck.
    """
    return _where(
        ballot,
        lambda _, vote: not (by_chance and isinstance(vote.original.observation, Returned)),
    )


def _in_turn(ballot: Ballot) -> Iterator[tuple[Sequence[Standing], Ballot]]:
    """Which standings are looked for first, and among what.

    Where candidates part on an input that somebody meant, some of them with the original, that is
    what there is to say of a function that agrees with them on enough of such inputs: on what
    nobody meant they may all follow a convention.
    """
    split = (Standing.SPLIT,)
    meant = _where(ballot, lambda entry, _: entry.origin in MEANT)
    parted = _where(meant, lambda _, vote: vote.standing in split and vote.original.weight > 0)
    agreeing = sum(vote.standing is Standing.AGREES for vote in meant.votes)
    if parted.votes and agreeing >= MEANT_MIN:
        yield ACCUSING, meant
        yield split, parted
    yield ACCUSING, ballot
    yield split, ballot


def _where(ballot: Ballot, holds: Callable[[Input, Vote], bool]) -> Ballot:
    """The ballot of these inputs alone."""
    kept = [(e, v) for e, v in zip(ballot.inputs, ballot.votes, strict=True) if holds(e, v)]
    return replace(
        ballot, inputs=tuple(entry for entry, _ in kept), votes=tuple(vote for _, vote in kept)
    )


async def _searched(
    laboratory: Laboratory,
    contest: Contest,
    specification: Specification,
    ballot: Ballot,
    plan: SearchPlan,
) -> Ballot:
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
            seen = await balloted(usual, contest, within)
            seen = seen.with_more(await balloted(laboratory.hurried(), contest, beyond))
            overdue += seen.overdue
            ballot = ballot.with_more(seen)
            shown = await _shown(tracer, seen, len(seen.inputs))
            asked = rounds.send(([entry.call for entry in seen.inputs], shown))
    return ballot


def _answered(ballot: Ballot, documented: Collection[str]) -> Extent:
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
        if behaviour.is_original if program == 0 else program - 1 in behaviour.candidates:
            return number
    return None


async def _shown(tracer: Tracer, ballot: Ballot, traced_max: int) -> tuple[Features, ...]:
    """By input, what the votes show, and the branches of those that count, up to so many."""
    calls = [entry.call for entry in ballot.inputs]
    return await tracer.added(calls, [*map(shown_by_vote, ballot.votes)], traced_max)
