"""A vote table on the inputs that a search asks for: each round is run, voted on and traced."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from msgspec import Struct

from assay_engine.executor.executor import Executor
from assay_engine.inputs.gather import built
from assay_engine.search.searching import (
    BranchTracer,
    Features,
    representatives,
    search,
    shown_by_outcomes,
)
from assay_engine.types import Input, Origin, Specification
from assay_engine.values.carried import unknown
from assay_engine.voting.counterexamples import Ensemble
from assay_engine.voting.machine_limits import Extent, extent_of, ran_into_limit, reach
from assay_engine.voting.vote_table import VoteTable, tabulated
from assay_engine.voting.votes import Standing, Vote
from assay_sandbox import Call, Value

# How many rounds may be overdue. An input on which a program needs too long costs more than all
# other inputs together.
OVERDUE_MAX = 3


class SearchPlan(Struct, frozen=True):
    """The plan of a search: how many calls of programs it may make, and on which inputs.

    `seed` is the seed of its choices; `constants` are values to use; `admits` tells whether a call
    keeps what annotations promise of the arguments.
    """

    calls: int
    seed: int
    constants: tuple[Value, ...]
    admits: Callable[[Call], bool]


def shown_by_vote(vote: Vote) -> Features:
    """What the outcomes on an input show; nothing if the input is outside the domain."""
    if vote.standing is Standing.OUTSIDE:
        return frozenset()
    sides = ((entry.is_original, entry.candidates) for entry in vote.behaviours)
    return shown_by_outcomes(sides, (entry.observation for entry in vote.behaviours))


async def searched(
    executor: Executor,
    ensemble: Ensemble,
    specification: Specification,
    vote_table: VoteTable,
    plan: SearchPlan,
) -> VoteTable:
    """The vote table, extended by the inputs that a search asked for, as far as they can be made.

    Inputs larger than all that the function has answered so far are run separately, and a program
    is given up on them the first time that it needs too long. Once any program has needed too long,
    that holds for all other inputs as well. The search ends after `OVERDUE_MAX` rounds in which a
    program needed too long: its inputs have become too large, or no program here ends on them.
    """
    if not plan.calls:
        return vote_table
    calls = [entry.call for entry in vote_table.inputs]
    tracer = _tracer(executor, ensemble, vote_table.votes)
    # The original runs twice.
    per_input = len(ensemble.programs) + 1 + len(tracer.programs)
    shown = await _shown(tracer, vote_table, tracer.beginning(plan.calls))
    rounds = search(
        calls,
        shown,
        count=(plan.calls - tracer.calls) // per_input,
        seed=plan.seed,
        constants=plan.constants,
    )
    overdue = 0
    # StopIteration marks the end of the rounds: there is nothing left to ask for.
    with suppress(StopIteration):
        asked = next(rounds)
        while overdue < OVERDUE_MAX:
            made = filter(plan.admits, await built(executor, specification, asked, calls))
            made = unknown(made, (entry.call for entry in vote_table.inputs))
            answered = _answered(vote_table, ensemble.documented)
            within, beyond = _parted(made, answered)
            usual = executor.hurried() if vote_table.overdue else executor
            seen = await tabulated(usual, ensemble, within)
            seen = seen.with_more(await tabulated(executor.hurried(), ensemble, beyond))
            overdue += seen.overdue
            vote_table = vote_table.with_more(seen)
            shown = await _shown(tracer, seen, len(seen.inputs))
            asked = rounds.send(([entry.call for entry in seen.inputs], shown))
    return vote_table


def _answered(vote_table: VoteTable, documented: Collection[str]) -> Extent:
    """The extent of the largest inputs on which the original has not run into a limit."""
    return reach(
        entry.call
        for entry, vote in zip(vote_table.inputs, vote_table.votes, strict=True)
        if not ran_into_limit(vote.original.observation, documented)
    )


def _parted(calls: Sequence[Call], answered: Extent) -> tuple[list[Input], list[Input]]:
    """Split the calls into inputs that `answered` covers and inputs that it does not cover."""
    within: list[Input] = []
    beyond: list[Input] = []
    for call in calls:
        (within if answered.covers(extent_of(call)) else beyond).append(
            Input(call, Origin.SEARCHED)
        )
    return within, beyond


def _tracer(executor: Executor, ensemble: Ensemble, votes: Sequence[Vote]) -> BranchTracer:
    """A tracer of the original, first of all, and of candidates that have parted from it."""
    counted = [vote for vote in votes if vote.standing is not Standing.OUTSIDE]
    behaviours = [
        tuple(_side(vote, number) for vote in counted) for number in range(len(ensemble.programs))
    ]
    weights = (1 + sum(ensemble.weights), *ensemble.weights)
    chosen = representatives(behaviours, weights)
    return BranchTracer(executor, {number: ensemble.programs[number] for number in chosen})


def _side(vote: Vote, program: int) -> int | None:
    """The index of the behaviour that a program showed on an input. The original is program 0."""
    for number, behaviour in enumerate(vote.behaviours):
        if behaviour.is_original if program == 0 else program - 1 in behaviour.candidates:
            return number
    return None


async def _shown(
    tracer: BranchTracer, vote_table: VoteTable, traced_max: int
) -> tuple[Features, ...]:
    """By input, what the votes show, with the branches of up to `traced_max` inputs that count."""
    calls = [entry.call for entry in vote_table.inputs]
    return await tracer.added(calls, [*map(shown_by_vote, vote_table.votes)], traced_max)
