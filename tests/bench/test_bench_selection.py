"""What voting, tests and a cascade of schemes would select, and how well a method abstains."""

from __future__ import annotations

import pytest

from assay_bench.selection import (
    AbstentionCounts,
    abstention_metrics,
    first_selected,
    majority,
    max_test,
    plurality,
)
from assay_engine.methods.triangulation.selection import Block, ransac


def equivalence(*outputs: object) -> list[list[int]]:
    """The relation between samples by what they do; one that crashes (None) equals nothing."""
    return [
        [j for j, other in enumerate(outputs) if own is not None and own == other]
        for own in outputs
    ]


def test_plurality_counts_samples_and_ignores_crashes() -> None:
    assert plurality(equivalence("a", "b", "b", None, None, None)) == (1, 2)
    assert plurality(equivalence(None, None)) == ()
    assert plurality([]) == ()


@pytest.mark.parametrize(
    ("outputs", "selected"),
    [
        (["a", "a", None, None], (0, 1)),
        (["a", "a", None, None, None], ()),
        (["a", "a", "b"], (0, 1)),
        (["a", "b", "c"], ()),
        ([None], ()),
        ([], ()),
    ],
)
def test_a_majority_is_half_of_all_samples_crashed_ones_included(
    outputs: list[object], selected: tuple[int, ...]
) -> None:
    assert majority(equivalence(*outputs)) == selected


def test_tests_select_by_number_or_by_dual_agreement() -> None:
    """The last sample passes most tests; the first two pass the same three."""
    passed = [[0, 1, 2], [0, 1, 2], [1, 3, 4, 5]]
    assert max_test(passed) == 2
    consensus = ransac(passed)
    assert consensus is not None
    assert consensus.block == Block((0, 1), (0, 1, 2))
    assert max_test([[], []]) is None
    assert max_test([]) is None


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ({"ENUM-SINV": 4, "FWD-SINV": 2, "FWD-INV": 1}, ("ENUM-SINV", 4)),
        ({"FWD-INV": 1, "ENUM-SINV": None, "FWD-SINV": 0}, ("FWD-SINV", 0)),
        ({"FWD-INV": 1}, ("FWD-INV", 1)),
        ({"ENUM-SINV": None, "FWD-SINV": None, "FWD-INV": None}, None),
        ({}, None),
    ],
)
def test_the_first_scheme_that_selected_something_decides(
    outcomes: dict[str, int | None], expected: tuple[str, int] | None
) -> None:
    assert first_selected(outcomes) == expected


def test_metrics_are_shares_of_what_there_is() -> None:
    found = abstention_metrics(AbstentionCounts(40, 10, 20, 5, 25))
    assert found["reliable_accuracy"] == pytest.approx(40 / 55)
    assert found["abstention_recall"] == pytest.approx(25 / 40)
    assert found["effective_reliability"] == pytest.approx(0.25)
    assert found["over_conservativeness"] == pytest.approx(20 / 70)


def test_metrics_of_nothing_are_undefined() -> None:
    assert set(abstention_metrics(AbstentionCounts(0, 0, 0, 0, 0)).values()) == {None}
    never_abstained = abstention_metrics(AbstentionCounts(1, 1, 0, 0, 0))
    assert never_abstained["abstention_precision"] is None
    assert never_abstained["abstention_recall"] == 0
    assert never_abstained["abstention_f1"] is None
