"""From votes to a verdict. Thresholds are in `statistics` and `voting`; nothing is run here."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay_engine.deciding.calibration import TRUSTED, accusing
from assay_engine.deciding.domain import accepts, turns_away
from assay_engine.deciding.emptiness import emptiness, empty_items, steps_before
from assay_engine.deciding.statistics import probability_of_share_above, support
from assay_engine.deciding.voting import Standing, Vote
from assay_engine.inputs.choose import call_key
from assay_engine.types import MEANT, Input, Origin, Status, Verdict
from assay_sandbox import Observation, Returned

# A reading of the docstring that at most this share of samples would have is a stray one.
STRAY_SHARE = 0.1
# Of fewer inputs that somebody meant it cannot be said that they stand for all that is meant.
MEANT_MIN = 5
# Where the original stands if it is to be found wrong.
ACCUSING = (Standing.DIFFERS, Standing.ALONE)


def separating(
    votes: Sequence[Vote],
    inputs: Sequence[Input],
    standings: Sequence[Standing],
    documented: Collection[str],
) -> list[int]:
    """The inputs with one of these standings, the most telling first.

    Examples come before proposals and both before what is made up, which need not be an input that
    the docstring speaks of. Then come the standings in their order, clear votes, those on which
    fewest do what the original does if that is accused, plain differences, trusted origins, few
    steps, inputs that are something, short ones. Left out is what nobody thought of and the
    original turns away.
    """
    trust = {origin: rank for rank, origin in enumerate(Origin)}

    def key(index: int) -> tuple[int, ...]:
        vote, entry = votes[index], inputs[index]
        accusing = vote.standing in ACCUSING
        clearness = vote.leading.weight if accusing else _runner_up(vote)
        other = vote.original if accusing else vote.behaviours[1]
        return (
            trust[entry.origin] if entry.origin in MEANT else len(MEANT),
            standings.index(vote.standing),
            -clearness,
            vote.original.weight if accusing else 0,
            _obscurity(vote.leading.observation, other.observation, documented),
            trust[entry.origin],
            steps_before(entry.call),
            emptiness(entry.call),
            empty_items(entry.call),
            len(call_key(entry.call)),
            index,
        )

    def counts(index: int) -> bool:
        disputed = turns_away(votes[index].original.observation, documented)
        return votes[index].standing in standings and not (
            disputed and inputs[index].origin not in MEANT
        )

    return sorted(filter(counts, range(len(votes))), key=key)


def decide(
    votes: Sequence[Vote],
    shown: Vote | None,
    *,
    fails_example: bool,
    doubts_example: bool = False,
    deterministic: bool = True,
    meant: bool | None = None,
    meant_votes: Sequence[Vote] = (),
    left_open: bool = False,
) -> Verdict:
    """The verdict on all votes.

    `shown` is the vote on the input that separates the original from its rivals, once that has
    been shrunk and reproduced; None if there is none. A function that is not deterministic can be
    found wrong, but not right. Nor is one that fails an example, though it agrees with candidates
    that fail it alike: prose and example of its docstring say different things.

    `meant`: whether `shown` is on an input that somebody meant; False if such inputs show nothing
    of the kind, None if there are none. The docstring may not speak at all of what nobody meant:
    who differs there is wrong less often, and that the samples read it in two ways is not known.

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
    # Whether what is shown has to be something that the docstring means.
    is_meant = meant is not False or not suffices
    if fails_example:
        return verdict(Status.SUSPECT, 1.0, shown)
    if left_open and is_meant:
        return verdict(Status.AMBIGUOUS, None, shown)
    if shown is not None and shown.standing in ACCUSING and not left_open:
        wrong = accusing(meant).probability(shown.leading.weight, shown.total)
        return verdict(Status.SUSPECT, wrong, shown)
    if (
        shown is not None
        and shown.standing is Standing.SPLIT
        and (is_meant or not shown.leading.original)
    ):
        doubt = probability_of_share_above(STRAY_SHARE, _runner_up(shown), shown.total)
        return verdict(Status.AMBIGUOUS, None if meant is False else doubt, shown)
    decisive = known if suffices else counted
    agreeing = _agreeing(decisive)
    if not agreeing or len(agreeing) < len(decisive) / 2 or not deterministic:
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


def _obscurity(one: Observation, other: Observation, documented: Collection[str]) -> int:
    """How hard a difference is to see: two answers that the docstring speaks of, one alone, or
    neither, as what was done beside returning the same."""
    if not (accepts(one, documented) and accepts(other, documented)):
        return 1
    alike = isinstance(one, Returned) and isinstance(other, Returned) and one.value == other.value
    return 2 if alike else 0


def _counted(votes: Sequence[Vote]) -> list[Vote]:
    return [vote for vote in votes if vote.standing is not Standing.OUTSIDE]


def _agreeing(votes: Sequence[Vote]) -> list[Vote]:
    return [vote for vote in votes if vote.standing is Standing.AGREES]


def _runner_up(vote: Vote) -> int:
    return vote.behaviours[1].weight if len(vote.behaviours) > 1 else 0
