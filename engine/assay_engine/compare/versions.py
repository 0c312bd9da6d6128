"""Compares a function with another version of it: on which inputs do the two not do the same?

The other version votes alone, with the weight of a consensus: inputs that it accepts count, and
what it does there is what the function is held to. So whether two do the same is decided as it is
for candidates, chance, arguments left and private fields included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.counterexamples import Ensemble, counterexamples, votes_on
from assay_engine.compare.evidence import Instability
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.vote_table import tabulated, told_instability
from assay_engine.compare.votes import ACCUSING, Standing, Vote
from assay_engine.config.settings import CANDIDATES_MIN
from assay_engine.types import Input, Specification
from assay_sandbox import Call, Program

# How often an input is made smaller, and how many smaller ones are tried each time.
ROUNDS_MAX = 12
SMALLER_MAX = 60


class Compared(Struct, frozen=True):
    """The votes on all inputs that the function answers the same way twice, and one of those on
    which the two versions differ, seen again in fresh processes; None if there is none."""

    votes: tuple[Vote, ...]
    difference: Vote | None = None
    instability: Instability | None = None

    @property
    def accepted(self) -> int:
        """How many of the inputs the other version accepts."""
        return sum(each.standing is not Standing.OUTSIDE for each in self.votes)

    def __add__(self, other: Compared) -> Compared:
        return Compared(
            (*self.votes, *other.votes),
            self.difference or other.difference,
            self.instability or other.instability,
        )


def pair(specification: Specification, other: Program, documented: Iterable[str]) -> Ensemble:
    """The function and its other version. `documented` are the exceptions that are answers."""
    return Ensemble(
        programs=(program_of(specification), other),
        weights=(CANDIDATES_MIN,),
        documented=tuple(documented),
        has_receiver=specification.has_receiver,
    )


async def compare(
    executor: Executor, ensemble: Ensemble, inputs: Sequence[Input], *, within: Executor
) -> Compared:
    """Run both versions. A difference is looked for `within` one executor's limits, and has to
    show again within those of `executor`."""
    table = await tabulated(within, ensemble, inputs)
    ensemble = replace(ensemble, varying=table.varying)
    found = await counterexamples(executor, ensemble, table.votes, ACCUSING)
    return Compared(table.votes, next(iter(found), None), told_instability(table))


async def smallest(
    executor: Executor, ensemble: Ensemble, seen: Vote, smaller: Callable[[Call], Iterable[Call]]
) -> Vote:
    """The vote on a call that differs in the same way, and is `smaller` by as many steps as go."""
    shown = seen
    for _ in range(ROUNDS_MAX):
        steps = islice(smaller(shown.input.call), SMALLER_MAX)
        inputs = [replace(shown.input, call=each) for each in steps]
        votes = [
            each for each in await votes_on(executor, ensemble, inputs) if _is_like(each, shown)
        ]
        found = await counterexamples(executor, ensemble, votes, ACCUSING)
        if not found:
            break
        shown = found[0]
    return shown


def _is_like(vote: Vote, shown: Vote) -> bool:
    """Whether both versions end in the same way as on another input: they return, say."""
    return vote.standing in ACCUSING and all(
        type(one.observation) is type(other.observation)
        for one, other in ((vote.original, shown.original), (vote.leading, shown.leading))
    )
