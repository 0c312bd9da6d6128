"""Ranks inputs by how much they tell of where a function stands."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.deciding.domain import accepts, turns_away
from assay_engine.deciding.simplicity import emptiness, empty_items, steps_before
from assay_engine.deciding.voting import ACCUSING, Standing, Vote
from assay_engine.running.call_keys import call_key
from assay_engine.types import MADE_UP, Input, Origin
from assay_sandbox import Observation, Returned

# Of longer inputs a reader, or the model that is asked about them, sees only a part.
LONG_CHARACTERS = 600

_TRUST = {origin: rank for rank, origin in enumerate(Origin)}


def most_telling(
    votes: Sequence[Vote],
    inputs: Sequence[Input],
    standings: Sequence[Standing],
    documented: Collection[str],
) -> list[int]:
    """The indices of the inputs with one of these standings, the most telling first.

    Examples come before proposals, and both before made-up inputs, which the docstring need not
    mention. Among equals, these come first, in this order: the earlier standing, clear votes, votes
    in which fewest candidates do what an accused original does, plain differences, trusted origins,
    inputs that are not long, few steps, few empty arguments, few empty items, and short inputs.
    Made-up inputs that the original turns away are left out.
    """

    def key(index: int) -> tuple[int, ...]:
        vote, entry = votes[index], inputs[index]
        accusing = vote.standing in ACCUSING
        clearness = vote.leading.weight if accusing else vote.second_weight
        other = vote.original if accusing else vote.behaviours[1]
        return (
            len(Origin) if entry.origin in MADE_UP else _TRUST[entry.origin],
            standings.index(vote.standing),
            -clearness,
            vote.original.weight if accusing else 0,
            _obscurity(vote.leading.observation, other.observation, documented),
            _TRUST[entry.origin],
            len(call_key(entry.call)) > LONG_CHARACTERS,
            steps_before(entry.call),
            emptiness(entry.call),
            empty_items(entry.call),
            len(call_key(entry.call)),
            index,
        )

    def counts(index: int) -> bool:
        disputed = turns_away(votes[index].original.observation, documented)
        return votes[index].standing in standings and not (
            disputed and inputs[index].origin in MADE_UP
        )

    return sorted(filter(counts, range(len(votes))), key=key)


def _obscurity(one: Observation, other: Observation, documented: Collection[str]) -> int:
    """How hard a difference is to see, from 0 (plain) to 2.

    0: both outcomes are returned values or documented exceptions, and they differ. 1: only one of
    them is, or neither. 2: both return the same value, and differ only in what was done besides.
    """
    if not (accepts(one, documented) and accepts(other, documented)):
        return 1
    alike = isinstance(one, Returned) and isinstance(other, Returned) and one.value == other.value
    return 2 if alike else 0
