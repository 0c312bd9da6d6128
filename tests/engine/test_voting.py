"""Where the original stands on one input."""

from __future__ import annotations

import pytest

from assay_engine.compare.votes import Standing, vote
from assay_engine.types import Input, Origin
from assay_sandbox import Call, Observation, Raised, Returned, TimedOut, encode


def r(value: object) -> Observation:
    return Returned(encode(value))


ENTRY = Input(Call((1,)), Origin.PROPOSED)
REFUSED = Raised("ValueError", "")
CRASHED = Raised("IndexError", "")
UNSEEN = TimedOut(1.0, whole_batch=True)


def check(
    own: Observation, candidates: list[Observation], documented: tuple[str, ...] = ()
) -> Standing:
    return vote(ENTRY, own, candidates, [1] * len(candidates), documented).standing


@pytest.mark.parametrize(
    ("own", "candidates", "standing"),
    [
        (r(3), [r(3)] * 10, Standing.AGREES),
        (r(3), [r(3)] * 8 + [r(4)] * 2, Standing.AGREES),
        (r(2), [r(3)] * 8 + [r(2)] * 2, Standing.DIFFERS),
        (r(2), [r(3)] * 10, Standing.DIFFERS),
        # What nobody else does where most are of one mind settles that it is not meant.
        (r(2), [r(3)] * 7 + [r(4)] * 3, Standing.ALONE),
        (r(2), [r(3)] * 6 + [r(4), r(5), r(6), r(7)], Standing.ALONE),
        (r(2), [r(3)] * 5 + [r(4)] * 5, Standing.SPLIT),
        (r(2), [r(3)] * 6 + [r(4)] * 3 + [r(2)], Standing.SPLIT),
        (r(2), [r(3)] * 4 + [r(4)] * 3, Standing.ALONE),
        (r(2), [r(3)] * 3 + [r(4)] * 2, Standing.SPLIT),
        (CRASHED, [r(3)] * 7 + [r(4)] * 3, Standing.SPLIT),
        (REFUSED, [r(3)] * 7 + [r(4)] * 3, Standing.SPLIT),
        (TimedOut(1.0), [r(3)] * 7 + [r(4)] * 3, Standing.SPLIT),
        # Nor where the candidates differ about the domain.
        (r(2), [r(3)] * 5 + [r(4)] + [REFUSED] * 3, Standing.OUTSIDE),
        (r(3), [r(3)] * 5 + [r(4)] * 5, Standing.SPLIT),
        # One stray voice splits nothing, and seven of ten decide nothing.
        (r(3), [r(3)] * 7 + [r(4), r(5), r(6)], Standing.UNDECIDED),
        (r(3), [r(3)] * 4 + [r(4)], Standing.UNDECIDED),
        # It is no stray that goes with the original, of which there are two then.
        (r(4), [r(3)] * 4 + [r(4)], Standing.SPLIT),
        (r(4), [r(3)] * 7 + [r(4), r(5), r(6)], Standing.SPLIT),
        (r(4), [r(3)] * 8 + [r(4), r(5)], Standing.DIFFERS),
        # Three of three are no consensus.
        (r(3), [r(3)] * 3, Standing.OUTSIDE),
        (r(3), [REFUSED] * 10, Standing.OUTSIDE),
        (REFUSED, [REFUSED] * 10, Standing.OUTSIDE),
        (REFUSED, [r(3)] * 10, Standing.DIFFERS),
        # Those that reject what most accept do not vote; half of them are not most.
        (r(3), [r(3)] * 7 + [REFUSED] * 3, Standing.AGREES),
        (r(2), [r(3)] * 7 + [REFUSED] * 3, Standing.DIFFERS),
        (r(2), [r(3)] * 6 + [REFUSED] * 2 + [CRASHED] * 2, Standing.DIFFERS),
        (r(3), [r(3)] * 5 + [REFUSED] * 5, Standing.OUTSIDE),
        # Nor does the original's refusal accuse it, unless all but a few accept.
        (REFUSED, [r(3)] * 7 + [REFUSED] * 3, Standing.OUTSIDE),
        (CRASHED, [r(3)] * 7 + [REFUSED] * 3, Standing.OUTSIDE),
        (REFUSED, [r(3)] * 8 + [REFUSED] * 2, Standing.DIFFERS),
        # Those who differ about the domain do not read the docstring in two ways.
        (r(3), [r(3)] * 4 + [r(4)] * 2 + [CRASHED] * 4, Standing.OUTSIDE),
        (r(3), [r(3)] * 6 + [CRASHED] * 2 + [r(4)] * 2, Standing.SPLIT),
        # Whoever was not seen on an input for lack of time has no say in it.
        (r(2), [r(3)] * 6 + [UNSEEN] * 4, Standing.DIFFERS),
        (r(2), [r(3)] * 5 + [UNSEEN] * 5, Standing.OUTSIDE),
        (r(2), [r(3)] * 5 + [TimedOut(1.0)] * 5, Standing.OUTSIDE),
        (r(2), [UNSEEN] * 10, Standing.OUTSIDE),
        (TimedOut(1.0), [r(3)] * 9 + [TimedOut(1.0)], Standing.DIFFERS),
    ],
)
def test_standing(own: Observation, candidates: list[Observation], standing: Standing) -> None:
    assert check(own, candidates) is standing


def test_a_documented_exception_is_an_answer() -> None:
    assert check(r(3), [REFUSED] * 10, ("ValueError",)) is Standing.DIFFERS
    assert check(REFUSED, [REFUSED] * 10, ("ValueError",)) is Standing.AGREES


def test_samples_count_by_weight() -> None:
    seen = vote(ENTRY, r(2), [r(3), r(2)], [9, 1], ())
    assert seen.standing is Standing.DIFFERS
    assert [behaviour.weight for behaviour in seen.behaviours] == [9, 1]
    assert seen.original.weight == 1


def test_a_behaviour_of_the_original_alone_comes_last() -> None:
    seen = vote(ENTRY, r(1), [r(3)] * 9 + [r(4)], [1] * 10, ())
    assert [b.is_original for b in seen.behaviours] == [False, False, True]
    assert seen.behaviours[-1].weight == 0


def test_behaviours_that_accept_the_input_come_before_those_that_do_not() -> None:
    seen = vote(ENTRY, r(3), [*[r(3)] * 5, *[CRASHED] * 2, *[r(4)] * 3], [1] * 10, ())
    assert [behaviour.observation for behaviour in seen.behaviours] == [r(3), r(4), CRASHED]
