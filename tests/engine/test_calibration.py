"""Confidence: what came true of verdicts, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assay_engine.compare.statistics import (
    DIVIDED,
    SUSPECT,
    UNANIMOUS,
    WITNESSED,
    Curve,
    expected_share,
    suspect,
    trusted,
)

VOTES = some.integers(1, 50).flatmap(
    lambda total: some.tuples(some.integers(0, total), some.just(total))
)


@pytest.mark.parametrize("curve", [UNANIMOUS, DIVIDED, WITNESSED, SUSPECT])
@given(VOTES)
def test_nothing_is_certain(curve: Curve, votes: tuple[int, int]) -> None:
    assert 0.0 < curve.probability(*votes) < 1.0


@given(VOTES)
def test_more_agreement_never_means_less_trust(votes: tuple[int, int]) -> None:
    agreeing, total = votes
    more = agreeing + 1, total + 1
    assert trusted(*votes) <= trusted(*more)
    assert WITNESSED.probability(*votes) <= WITNESSED.probability(*more)


@pytest.mark.parametrize("agreeing", [8, 9, 10])
def test_a_model_that_repeats_its_mistakes_is_not_taken_at_its_word(agreeing: int) -> None:
    assert 0.5 <= trusted(agreeing, 10) < expected_share(agreeing, 10)
    assert 0.5 < WITNESSED.probability(agreeing, 10) < expected_share(agreeing, 10)


def test_one_that_differs_says_more_than_how_many_agree() -> None:
    assert trusted(4, 4) == trusted(10, 10) > trusted(9, 10) == trusted(6, 10)


def test_what_several_models_agree_on_is_right_more_often() -> None:
    assert trusted(4, 4, models=2) == trusted(4, 4) < trusted(4, 4, models=3)
    two, three = (suspect(models).probability(9, 10) for models in (2, 3))
    assert two < three


def test_the_curve_that_changes_nothing_is_the_share_itself() -> None:
    assert Curve(0.0, 1.0).probability(7, 10) == pytest.approx(expected_share(7, 10))
