"""The numbers of the TRAILS paper's tables, on cases that can be counted by hand."""

from __future__ import annotations

import pytest

from assay_bench.judges.metrics import (
    Confusion,
    Ruled,
    best_threshold,
    confusion,
    overlap,
    stability,
    stable_samples,
    unaccused,
)
from assay_bench.judges.picking import Picked, pick, truth_of
from assay_bench.judges.tasks import ExpectedCall
from assay_engine.types import Ruling
from assay_sandbox import Call, Observation, Raised, Returned, TimedOut, encode

YES, NO, NEITHER = Ruling.CORRECT, Ruling.INCORRECT, Ruling.ABSTAINED


def runs(*rulings: tuple[str, bool, Ruling]) -> list[Ruled]:
    return [Ruled(*each) for each in rulings]


def test_mcc_and_p4_of_a_table_of_counts() -> None:
    table = Confusion(true_positive=6, true_negative=3, false_positive=1, false_negative=2)
    # (6*3 - 1*2) / sqrt(7 * 8 * 4 * 5), and 4*6*3 / (4*6*3 + (6+3)*(1+2)).
    assert table.mcc == pytest.approx(16 / 1120**0.5)
    assert table.p4 == pytest.approx(72 / 99)
    # The harmonic mean of precision, recall, specificity and negative predictive value.
    assert table.p4 == pytest.approx(4 / (7 / 6 + 8 / 6 + 4 / 3 + 5 / 3))


def test_a_constant_judge_is_worth_nothing() -> None:
    constant = confusion(runs(("a", True, YES), ("b", False, YES)))
    assert (constant.mcc, constant.p4) == (0.0, 0.0)


def test_abstentions_are_left_out_or_accuse_nobody() -> None:
    ruled = runs(("a", True, NEITHER), ("b", False, NEITHER), ("c", False, NO))
    assert confusion(ruled) == Confusion(true_negative=1)
    assert confusion(unaccused(ruled)) == Confusion(1, 1, 1, 0)


def test_stability_is_all_runs_right_of_those_any_run_reached() -> None:
    ruled = runs(
        ("a", True, YES), ("a", True, YES),
        ("b", True, YES), ("b", True, NO),
        ("c", False, YES), ("c", False, YES),
        ("d", False, NO), ("d", False, NO),
        ("e", False, NO), ("e", False, NEITHER),
    )  # fmt: skip
    correct, incorrect = stability(ruled, YES), stability(ruled, NO)
    # Reached as correct: a, b and c; as incorrect: b, d and e.
    assert (correct.stable, correct.reachable, correct.share) == (1, 3, pytest.approx(1 / 3))
    assert (incorrect.stable, incorrect.reachable) == (1, 3)
    assert stable_samples(ruled, NO) == {"d"}


def test_overlap_counts_each_sample_once() -> None:
    found = {"t": {"a", "b", "c"}, "h": {"b", "c", "d"}, "z": {"c"}}
    assert overlap(found) == {
        ("t",): 1,
        ("h",): 1,
        ("z",): 0,
        ("t", "h"): 1,
        ("t", "z"): 0,
        ("h", "z"): 0,
        ("t", "h", "z"): 1,
    }


def test_a_threshold_is_tuned_by_mcc_and_stays_near_the_default() -> None:
    scored = [(1.0, True), (0.6, True), (0.5, False), (0.2, False)]
    assert best_threshold(scored, 0.8) == 0.6
    assert best_threshold([(1.0, True), (0.5, False)], 0.8) == 0.8
    assert best_threshold([], 0.8) == 0.8


@pytest.mark.parametrize(
    ("observed", "expected", "truth"),
    [
        (Returned(encode([1, 2])), [1, 2], True),
        (Returned(encode(0.1 + 0.2)), 0.3, True),
        (Returned(encode(3)), 3.0, True),
        (Returned(encode([1, 2])), [2, 1], False),
        (Returned(encode(10**400)), 6.5, False),
        (Returned(encode(None)), [], False),
        (Raised("ValueError", "no"), 3, False),
        (Returned(encode([1, (2,)])), (1, [2]), None),
        (TimedOut(1.0), 3, None),
    ],
)
def test_truth_is_only_what_is_clear_cut(
    observed: Observation, expected: object, truth: bool | None
) -> None:
    assert truth_of([observed], [expected]) is truth


def test_picking_takes_halves_and_depends_on_the_seed_alone() -> None:
    names = {f"T/{number}": "f" for number in range(40)}
    tests = {name: [ExpectedCall(Call(()), 1)] for name in names}
    samples = {name: ["right", "wrong", "unclear"] for name in names}
    results: dict[str, Observation] = {
        "right": Returned(encode(1)),
        "wrong": Returned(encode(2)),
        "unclear": TimedOut(1.0),
    }

    def picked(seed: int) -> tuple[Picked, ...]:
        return pick(
            10, tests, samples, names, lambda _, source, __: [results[source]], first=3, seed=seed
        )

    found = picked(0)
    assert [each.right for each in found].count(True) == 5
    assert len({each.task_id for each in found}) == 10
    texts = {samples[each.task_id][each.sample] for each in found if each.right}
    assert texts == {"right"}
    assert picked(0) == found
    assert picked(1) != found
