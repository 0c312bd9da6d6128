"""From votes to a verdict. Thresholds are in `statistics` and `voting`; nothing is run here."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.deciding.calibration import SUSPECT, TRUSTED
from assay_engine.deciding.domain import turns_away
from assay_engine.deciding.statistics import probability_of_share_above, support
from assay_engine.deciding.voting import Standing, Vote
from assay_engine.types import Input, Origin, Status, Verdict

# A reading of the docstring that at most this share of samples would have is a stray one.
STRAY_SHARE = 0.1
# Where the original stands if it is to be found wrong.
ACCUSING = (Standing.DIFFERS, Standing.ALONE)
# Inputs that nobody thought of: they look like inputs that are meant, and that is all.
_SUGGESTED_BY_TYPES = (Origin.TYPED, Origin.MUTATED, Origin.SEARCHED)


def separating(
    votes: Sequence[Vote], inputs: Sequence[Input], standing: Standing, documented: Collection[str]
) -> list[int]:
    """The inputs with that standing: clearest vote first, of equals the most trusted origin.

    Left out are those that only types and mutations suggest and that the original turns away.
    """
    trust = {origin: rank for rank, origin in enumerate(Origin)}

    def key(index: int) -> tuple[int, int, int]:
        vote = votes[index]
        clearness = vote.leading.weight if standing in ACCUSING else _runner_up(vote)
        return -clearness, trust[inputs[index].origin], index

    def counts(index: int) -> bool:
        disputed = turns_away(votes[index].original.observation, documented)
        return votes[index].standing is standing and not (
            disputed and inputs[index].origin in _SUGGESTED_BY_TYPES
        )

    return sorted(filter(counts, range(len(votes))), key=key)


def decide(
    votes: Sequence[Vote],
    shown: Vote | None,
    *,
    fails_example: bool,
    doubts_example: bool = False,
    deterministic: bool = True,
) -> Verdict:
    """The verdict on all votes.

    `shown` is the vote on the input that separates the original from its rivals, once that has
    been shrunk and reproduced; None if there is none. A function that is not deterministic can be
    found wrong, but not right. Nor is one that fails an example, though it agrees with candidates
    that fail it alike: prose and example of its docstring say different things.
    """
    run = len(votes)
    counted = [vote for vote in votes if vote.standing is not Standing.OUTSIDE]

    def verdict(status: Status, confidence: float | None, vote: Vote | None) -> Verdict:
        seen = None if vote is None else support(vote.leading.weight, vote.total)
        return Verdict(status, confidence, seen, run, len(counted))

    if fails_example:
        return verdict(Status.SUSPECT, 1.0, shown)
    if shown is not None and shown.standing in ACCUSING:
        wrong = SUSPECT.probability(shown.leading.weight, shown.total)
        return verdict(Status.SUSPECT, wrong, shown)
    if shown is not None and shown.standing is Standing.SPLIT:
        doubt = probability_of_share_above(STRAY_SHARE, _runner_up(shown), shown.total)
        return verdict(Status.AMBIGUOUS, doubt, shown)
    agreeing = [vote for vote in counted if vote.standing is Standing.AGREES]
    if not agreeing or len(agreeing) < len(counted) / 2 or not deterministic:
        return verdict(Status.ABSTAINED, None, None)
    weakest = min(agreeing, key=lambda vote: vote.leading.weight / vote.total)
    if doubts_example:
        return verdict(Status.AMBIGUOUS, None, weakest)
    right = TRUSTED.probability(weakest.leading.weight, weakest.total)
    return verdict(Status.TRUSTED, right, weakest)


def unsupported() -> Verdict:
    return Verdict(Status.UNSUPPORTED, None, None, 0, 0)


def abstained() -> Verdict:
    return Verdict(Status.ABSTAINED, None, None, 0, 0)


def _runner_up(vote: Vote) -> int:
    return vote.behaviours[1].weight if len(vote.behaviours) > 1 else 0
