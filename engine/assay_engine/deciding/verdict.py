"""From votes to a verdict; nothing is run here."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.deciding.calibration import SUSPECT, trusted
from assay_engine.deciding.ground import Ground
from assay_engine.deciding.statistics import probability_of_share_above, support
from assay_engine.deciding.voting import ACCUSING, Standing, Vote
from assay_engine.types import Status, Verdict

# A reading of the docstring that at most this share of samples would have is a stray one.
STRAY_SHARE = 0.1
# Of fewer inputs that somebody meant it cannot be said that they stand for all that is meant.
MEANT_MIN = 5


def decide(
    votes: Sequence[Vote],
    shown: Vote | None,
    *,
    fails_example: bool,
    disputes_example: bool = False,
    doubts_example: bool = False,
    deterministic: bool = True,
    ground: Ground = Ground.MADE_UP,
    meant_votes: Sequence[Vote] = (),
    left_open: bool = False,
) -> Verdict:
    """The verdict on all votes.

    `shown` is the vote on the input that separates the original from its rivals, once that has
    been shrunk and reproduced, and `ground` what that input is worth; None if there is none. A
    function that is not deterministic, or differs in a way that does not recur, can be found wrong,
    but not right. Nor is one that fails an example, though it agrees with candidates that fail it
    alike: prose and example of its docstring say different things. Where at least as many fail it
    as meet it (`disputes_example`), nobody knows how likely the function is wrong.

    `meant_votes` are those of `votes` on inputs that somebody meant. Where there are enough of them
    that agree, they alone say how right the function is: candidates part on what nobody means, an
    interval that ends before it starts, and a split there makes no docstring ambiguous if the
    function goes with the larger part.

    `left_open`: nobody is accused of what the docstring does not decide, whoever else agrees on it;
    and if only a made-up input shows it, the docstring need not speak of it.
    """
    run, counted, known = len(votes), _counted(votes), _counted(meant_votes)

    def verdict(status: Status, confidence: float | None, vote: Vote | None) -> Verdict:
        seen = None if vote is None else support(vote.leading.weight, vote.total)
        return Verdict(status, confidence, seen, run, len(counted))

    suffices = len(_agreeing(known)) >= MEANT_MIN
    # Otherwise what is shown may be something that the docstring does not mean.
    is_telling = ground is not Ground.UNCORROBORATED or not suffices
    if fails_example:
        return verdict(Status.SUSPECT, None if disputes_example else 1.0, shown)
    if left_open and is_telling:
        return verdict(Status.AMBIGUOUS, None, shown)
    if shown is not None and shown.standing in ACCUSING and not left_open:
        wrong = SUSPECT[ground].probability(shown.leading.weight, shown.total)
        return verdict(Status.SUSPECT, wrong, shown)
    if (
        shown is not None
        and shown.standing is Standing.SPLIT
        and (is_telling or not shown.leading.is_original)
    ):
        doubt = probability_of_share_above(STRAY_SHARE, shown.second_weight, shown.total)
        # That the samples read it in two ways is not known of what nobody meant.
        known_doubt = None if ground is Ground.UNCORROBORATED else doubt
        return verdict(Status.AMBIGUOUS, known_doubt, shown)
    decisive = known if suffices else counted
    agreeing = _agreeing(decisive)
    if not agreeing or len(agreeing) < len(decisive) / 2 or not deterministic:
        return verdict(Status.ABSTAINED, None, None)
    weakest = min(agreeing, key=lambda vote: vote.leading.weight / vote.total)
    if doubts_example:
        return verdict(Status.AMBIGUOUS, None, weakest)
    right = trusted(weakest.leading.weight, weakest.total)
    return verdict(Status.TRUSTED, right, weakest)


def unsupported() -> Verdict:
    return Verdict(Status.UNSUPPORTED, None, None, 0, 0)


def abstained() -> Verdict:
    return Verdict(Status.ABSTAINED, None, None, 0, 0)


def _counted(votes: Sequence[Vote]) -> list[Vote]:
    return [vote for vote in votes if vote.standing is not Standing.OUTSIDE]


def _agreeing(votes: Sequence[Vote]) -> list[Vote]:
    return [vote for vote in votes if vote.standing is Standing.AGREES]
