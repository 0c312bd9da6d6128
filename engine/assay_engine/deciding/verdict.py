"""From votes to a verdict; nothing is run here."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.deciding.calibration import suspect, trusted
from assay_engine.deciding.statistics import probability_of_share_above, support
from assay_engine.deciding.voting import ACCUSING, Standing, Vote
from assay_engine.types import Status, Verdict

# A reading of the docstring is a stray one if at most this share of samples would have it.
STRAY_SHARE = 0.1
# Fewer inputs that somebody meant cannot stand for everything that is meant.
MEANT_MIN = 5


def decide(
    votes: Sequence[Vote],
    shown: Vote | None,
    *,
    fails_example: bool,
    disputes_example: bool = False,
    doubts_example: bool = False,
    deterministic: bool = True,
    made_up: bool = False,
    meant_votes: Sequence[Vote] = (),
    left_open: bool = False,
    models: int = 1,
) -> Verdict:
    """The verdict on all votes.

    `shown` is the vote on the input that separates the original from its rivals, after that input
    has been reproduced; None if there is no such input. `made_up` tells that nobody meant that
    input. If a function is not deterministic (`deterministic`), or differs in a way
    that does not recur, it can be found wrong but not right. If a function fails an example, it is
    not found right either, even if it agrees with candidates that fail the example alike: prose and
    example of its docstring then say different things. If at least as many candidates agree with
    the function there as meet the example (`disputes_example`), nobody knows how likely the
    function is wrong.

    `meant_votes` are those of `votes` on inputs that somebody meant. If enough of them agree, they
    alone say how right the function is. Candidates also part on inputs that nobody means, such as
    an interval that ends before it starts.

    If `left_open`, the function is not accused: the docstring does not decide the case, however
    many candidates agree on it. `models` is how many models the candidates are by.
    """
    run, counted, known = len(votes), _counted(votes), _counted(meant_votes)

    def verdict(status: Status, confidence: float | None, vote: Vote | None) -> Verdict:
        seen = None if vote is None else support(vote.leading.weight, vote.total)
        return Verdict(status, confidence, seen, run, len(counted))

    suffices = len(_agreeing(known)) >= MEANT_MIN
    if fails_example:
        return verdict(Status.SUSPECT, None if disputes_example else 1.0, shown)
    if left_open:
        return verdict(Status.AMBIGUOUS, None, shown)
    if shown is not None and shown.standing in ACCUSING:
        curve = suspect(models, made_up=made_up)
        wrong = curve.probability(shown.leading.weight, shown.total)
        return verdict(Status.SUSPECT, wrong, shown)
    if shown is not None and shown.standing is Standing.SPLIT:
        doubt = probability_of_share_above(STRAY_SHARE, shown.second_weight, shown.total)
        return verdict(Status.AMBIGUOUS, doubt, shown)
    decisive = known if suffices else counted
    agreeing = _agreeing(decisive)
    if not agreeing or len(agreeing) < len(decisive) / 2 or not deterministic:
        return verdict(Status.ABSTAINED, None, None)
    weakest = min(agreeing, key=lambda vote: vote.leading.weight / vote.total)
    if doubts_example:
        return verdict(Status.AMBIGUOUS, None, weakest)
    right = trusted(weakest.leading.weight, weakest.total, models)
    return verdict(Status.TRUSTED, right, weakest)


def unsupported() -> Verdict:
    return Verdict(Status.UNSUPPORTED, None, None, 0, 0)


def abstained() -> Verdict:
    return Verdict(Status.ABSTAINED, None, None, 0, 0)


def _counted(votes: Sequence[Vote]) -> list[Vote]:
    return [vote for vote in votes if vote.standing is not Standing.OUTSIDE]


def _agreeing(votes: Sequence[Vote]) -> list[Vote]:
    return [vote for vote in votes if vote.standing is Standing.AGREES]
