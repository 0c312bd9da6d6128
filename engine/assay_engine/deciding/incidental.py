"""Finds where the original does otherwise than a consensus in what may be nobody's business.

The order of a dict's items, the names of a table's axes, an exception that the docstring does not
mention, an argument left alone, a part that the result shares with an argument: candidates often
agree on these because the docstring asks for them, and sometimes because that is how one writes
such a function. What no consensus of candidates shares is no ground, and what they share accuses
nobody before the docstring was asked.
"""

from __future__ import annotations

from assay_engine.deciding.balloting import Ballot
from assay_engine.deciding.separating import Case, Contest, separate, votes_on
from assay_engine.deciding.shared_parts import sharing
from assay_engine.deciding.voting import Standing, Vote
from assay_engine.inputs.parts import nodes_of
from assay_engine.running.carried import value_of
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Input
from assay_sandbox import Container, Expression, Instance, Returned, Value

_HOLDERS = (list, dict, set, Container, Expression, Instance)


async def incidental_cases(
    laboratory: Laboratory, contest: Contest, ballot: Ballot
) -> tuple[Case, ...]:
    """The inputs by which the original could be accused if everything counted.

    `ballot` holds inputs that somebody meant. Parts that results share with arguments are looked
    for only if nothing else is found, since the programs have to be run once more for it.
    """
    strict = [vote.strictly or vote for vote in ballot.votes]
    differing = [index for index, vote in enumerate(ballot.votes) if vote.strictly is not None]
    found = await separate(
        laboratory,
        contest.strictly,
        [ballot.inputs[index] for index in differing],
        [strict[index] for index in differing],
        [Standing.DIFFERS],
    )
    if found or not contest.takes_values:
        return found
    pairs = zip(ballot.inputs, ballot.votes, strict=True)
    inputs = [entry for entry, vote in pairs if _may_share(entry, vote)]
    changing = sharing(contest)
    votes = await votes_on(laboratory, changing, [entry.call for entry in inputs])
    return await separate(laboratory, changing, inputs, votes, [Standing.DIFFERS])


def _may_share(entry: Input, vote: Vote) -> bool:
    """Whether the original agrees with the candidates, and returns and is given what can change."""
    seen = vote.original.observation
    return (
        vote.standing is Standing.AGREES
        and isinstance(seen, Returned)
        and _holds(value_of(seen.value))
        and any(map(_holds, entry.call.values))
    )


def _holds(value: Value) -> bool:
    return any(isinstance(node, _HOLDERS) for node in nodes_of(value))
