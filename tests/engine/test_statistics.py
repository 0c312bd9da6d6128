"""Exact binomial statements, against textbook values and brute force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_engine.compare.statistics import (
    expected_share,
    is_consensus,
    probability_of_share_above,
    support,
    tail,
)


@pytest.mark.parametrize(
    ("agreeing", "total", "low", "high"),
    [
        # Clopper and Pearson's intervals as tabulated for n = 10.
        (0, 10, 0.0, 0.3085),
        (5, 10, 0.1871, 0.8129),
        (9, 10, 0.5550, 0.9975),
        (10, 10, 0.6915, 1.0),
    ],
)
def test_the_interval_is_the_tabulated_one(
    agreeing: int, total: int, low: float, high: float
) -> None:
    seen = support(agreeing, total)
    assert seen.low == pytest.approx(low, abs=5e-5)
    assert seen.high == pytest.approx(high, abs=5e-5)


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_what_was_seen(counts: tuple[int, int]) -> None:
    agreeing, total = counts
    seen = support(agreeing, total)
    assert 0.0 <= seen.low <= agreeing / total <= seen.high <= 1.0


@pytest.mark.parametrize(
    ("total", "least"), [(4, 4), (5, 5), (6, 6), (7, 6), (8, 7), (9, 7), (10, 8), (20, 14)]
)
def test_the_least_consensus(total: int, least: int) -> None:
    assert is_consensus(least, total)
    assert not is_consensus(least - 1, total)


@pytest.mark.parametrize("total", [0, 1, 2, 3])
def test_three_voices_are_no_consensus(total: int) -> None:
    assert not is_consensus(total, total)


def test_the_tail_is_a_probability() -> None:
    assert tail(0, 7, 0.3) == pytest.approx(1.0)
    assert tail(8, 7, 0.3) == 0.0
    assert tail(1, 1, 0.3) == pytest.approx(0.3)


def test_the_expected_share_is_modest() -> None:
    assert expected_share(10, 10) == pytest.approx(11 / 12)
    assert expected_share(0, 0) == pytest.approx(0.5)


def test_the_posterior_of_a_uniform_prior() -> None:
    # One of one seen: the density is 2p, so P(p > 0.1) = 1 - 0.01.
    assert probability_of_share_above(0.1, 1, 1) == pytest.approx(0.99)
    assert probability_of_share_above(0.5, 5, 10) == pytest.approx(0.5)
