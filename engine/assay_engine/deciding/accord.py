"""Tells whether there is nothing to decide, because all programs do the same on every input."""

from __future__ import annotations

from collections.abc import Collection

from assay_engine.deciding.balloting import Ballot
from assay_engine.deciding.domain import accepts
from assay_engine.deciding.voting import Standing, Vote


def in_accord(ballot: Ballot, documented: Collection[str]) -> bool:
    """Whether all candidates do what the original does, on every input that any of them accepts."""
    steady = ballot.instability is None and ballot.disorder is None
    return steady and all(_is_of_one_mind(vote, documented) for vote in ballot.votes)


def _is_of_one_mind(vote: Vote, documented: Collection[str]) -> bool:
    if vote.strictly is not None:
        return False
    if vote.standing is Standing.OUTSIDE:
        return not any(accepts(each.observation, documented) for each in vote.behaviours)
    return vote.standing is Standing.AGREES and vote.leading.weight == vote.total
