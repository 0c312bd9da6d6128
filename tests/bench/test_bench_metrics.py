"""Columns of the paper's table, and a rank correlation that agrees with its definition."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_bench.metrics import Point, columns, mean, spearman

SHARES = st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.5, 1.0])
PAIRS = st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=30)


def test_columns_are_what_the_paper_says() -> None:
    found = columns(
        [
            Point(incoherence=0.2, error=0.4),
            Point(incoherence=0.0, error=0.6),
            Point(incoherence=0.0, error=0.0),
            Point(incoherence=0.1, error=0.0),
        ]
    )
    assert found.tasks == 4
    assert found.mean_error == pytest.approx(0.25)
    assert found.mean_incoherence == pytest.approx(0.075)
    assert found.detection_rate == pytest.approx(1 / 2)
    assert found.undetected_mean_error == pytest.approx(0.3)
    assert found.false_alarm_rate == pytest.approx(1 / 2)


def test_what_there_is_nothing_of_has_no_mean() -> None:
    found = columns([])
    assert found.tasks == 0
    assert found.mean_error is None
    assert found.spearman is None
    assert columns([Point(0.0, 0.0)]).detection_rate is None
    assert mean([]) is None


def test_order_alone_counts() -> None:
    assert spearman([1, 2, 3, 4], [10, 100, 1000, 1001]) == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1.0)


def test_tied_values_share_their_ranks() -> None:
    # Ranks 1.5 1.5 3 4 against 1 2.5 2.5 4: 3.75 over the root of 4.5 times 4.5.
    assert spearman([5, 5, 6, 7], [1, 2, 2, 9]) == pytest.approx(3.75 / 4.5)


def test_one_constant_side_has_no_correlation() -> None:
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert spearman([1], [1]) is None


@given(PAIRS)
def test_correlation_is_symmetric_and_bounded(pairs: list[tuple[float, float]]) -> None:
    left, right = zip(*pairs, strict=True)
    found = spearman(left, right)
    if found is None:
        assert len(set(left)) == 1 or len(set(right)) == 1
        return
    assert -1.0 - 1e-9 <= found <= 1.0 + 1e-9
    assert spearman(right, left) == pytest.approx(found)
    assert spearman([sqrt(value) for value in left], right) == pytest.approx(found)
    assert spearman([-value for value in left], right) == pytest.approx(-found)


@given(st.permutations(range(8)))
def test_without_ties_it_is_the_textbook_formula(order: list[int]) -> None:
    squares = sum((index - rank) ** 2 for index, rank in enumerate(order))
    assert spearman(range(8), order) == pytest.approx(1 - 6 * squares / (8 * (64 - 1)))
