"""The paper's quantities: known values, and what must hold in every world."""

from __future__ import annotations

from itertools import permutations
from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_bench.incoherence import (
    Rows,
    detect,
    detection_trials,
    draw_pairs,
    error_lower_bound,
    estimation_trials,
    functional_error,
    functional_incoherence,
    hoeffding_interval,
    pointwise_error,
    pointwise_incoherence,
    sampled_error,
    sampled_incoherence,
    semantic_entropy,
)

# Four programs on two inputs: all alike on the first, three and one on the second.
SPLIT = ((0, 0, 0, 0), (5, 5, 5, 9))


@st.composite
def worlds(draw: st.DrawFn, *, least: int = 1) -> tuple[Rows, tuple[int, ...]]:
    """What some programs did on some inputs, and what was right."""
    programs = draw(st.integers(least, 6))
    inputs = draw(st.integers(1, 8))
    label = st.integers(0, 3)
    rows = draw(
        st.lists(st.tuples(*[label] * programs), min_size=inputs, max_size=inputs).map(tuple)
    )
    return rows, draw(st.tuples(*[label] * inputs))


def test_disagreement_is_counted_over_distinct_pairs() -> None:
    assert pointwise_incoherence(SPLIT) == pytest.approx((0 + 6 / 12) / 2)
    assert functional_incoherence(SPLIT) == pytest.approx(6 / 12)


def test_with_replacement_a_program_may_meet_itself() -> None:
    assert pointwise_incoherence(SPLIT, replacement=True) == pytest.approx((0 + 6 / 16) / 2)
    assert functional_incoherence(SPLIT, replacement=True) == pytest.approx(6 / 16)


def test_error_is_counted_over_programs() -> None:
    assert pointwise_error(SPLIT, (0, 5)) == pytest.approx(1 / 8)
    assert functional_error(SPLIT, (0, 5)) == pytest.approx(1 / 4)
    assert functional_error(SPLIT, (0, 9)) == pytest.approx(3 / 4)


@pytest.mark.parametrize("inputs", [1, 7, 49, 1000])
def test_equal_shares_are_equal_however_many_inputs_they_are_of(inputs: int) -> None:
    rows = [(0, 0, 1)] * inputs
    assert pointwise_incoherence(rows) == 2 / 3
    assert pointwise_error(rows, [0] * inputs) == 1 / 3


def test_one_program_is_coherent_and_no_input_shows_nothing() -> None:
    assert pointwise_incoherence(((1,), (2,))) == 0.0
    assert pointwise_incoherence(()) == 0.0
    assert functional_incoherence(()) == 0.0
    assert pointwise_error((), ()) == 0.0


@given(worlds(), st.booleans())
def test_every_quantity_is_a_share(world: tuple[Rows, tuple[int, ...]], replacement: bool) -> None:
    rows, truth = world
    for quantity in (
        pointwise_incoherence(rows, replacement=replacement),
        functional_incoherence(rows, replacement=replacement),
        pointwise_error(rows, truth),
        functional_error(rows, truth),
    ):
        assert 0.0 <= quantity <= 1.0


@given(worlds())
def test_functional_quantities_are_no_less_than_pointwise(
    world: tuple[Rows, tuple[int, ...]],
) -> None:
    rows, truth = world
    assert functional_incoherence(rows) >= pointwise_incoherence(rows) - 1e-12
    assert functional_error(rows, truth) >= pointwise_error(rows, truth) - 1e-12


@given(worlds(), st.booleans())
def test_error_is_at_least_half_the_incoherence(
    world: tuple[Rows, tuple[int, ...]], replacement: bool
) -> None:
    rows, truth = world
    pointwise = pointwise_incoherence(rows, replacement=replacement)
    functional = functional_incoherence(rows, replacement=replacement)
    assert pointwise_error(rows, truth) >= error_lower_bound(pointwise) - 1e-12
    assert functional_error(rows, truth) >= error_lower_bound(functional) - 1e-12


@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_programs_and_inputs_does_not_matter(
    world: tuple[Rows, tuple[int, ...]], random: Random
) -> None:
    rows, _truth = world
    order = list(range(len(rows[0])))
    random.shuffle(order)
    shuffled = [[row[index] for index in order] for row in rows]
    random.shuffle(shuffled)
    assert pointwise_incoherence(shuffled) == pytest.approx(pointwise_incoherence(rows))
    assert functional_incoherence(shuffled) == pytest.approx(functional_incoherence(rows))


@given(worlds(least=2))
def test_the_exact_value_is_the_mean_over_every_draw(
    world: tuple[Rows, tuple[int, ...]],
) -> None:
    rows, truth = world
    pairs = list(permutations(range(len(rows[0])), 2))
    differing = [row[a] != row[b] for row in rows for a, b in pairs]
    assert pointwise_incoherence(rows) == pytest.approx(sum(differing) / len(differing))
    wrong = [label != right for row, right in zip(rows, truth, strict=True) for label in row]
    assert pointwise_error(rows, truth) == pytest.approx(sum(wrong) / len(wrong))


@given(worlds(least=2), st.integers(0, 1 << 32))
def test_sampling_stays_within_its_interval(world: tuple[Rows, tuple[int, ...]], seed: int) -> None:
    rows, truth = world
    # At this level a world outside would be seen once in a hundred million examples.
    incoherence = hoeffding_interval(sampled_incoherence(rows, 2000, Random(seed)), 2000, 1e-8)
    error = hoeffding_interval(sampled_error(rows, truth, 2000, Random(seed)), 2000, 1e-8)
    assert incoherence.low <= pointwise_incoherence(rows) <= incoherence.high
    assert error.low <= pointwise_error(rows, truth) <= error.high


def test_the_same_seed_draws_the_same_pairs_of_distinct_programs() -> None:
    drawn = draw_pairs(4, 500, Random(7))
    assert drawn == draw_pairs(4, 500, Random(7))
    assert set(drawn) == set(permutations(range(4), 2))


def test_one_program_makes_no_pair() -> None:
    with pytest.raises(ValueError, match="no pair"):
        draw_pairs(1, 3, Random(0))


@given(st.floats(0.01, 0.5), st.floats(0.001, 0.5))
def test_the_numbers_of_trials_are_the_least_that_suffice(epsilon: float, delta: float) -> None:
    needed = detection_trials(epsilon, delta)
    assert (1 - epsilon) ** needed <= delta * (1 + 1e-9)
    assert (1 - epsilon) ** (needed - 1) > delta * (1 - 1e-9)
    trials = estimation_trials(epsilon, delta)
    wide = hoeffding_interval(0.5, trials, delta)
    assert wide.high - wide.low <= 2 * epsilon * (1 + 1e-9)


def test_published_budgets_are_met() -> None:
    assert detection_trials(0.01, 0.05) == 299
    assert estimation_trials(0.05, 0.05) == 738


@pytest.mark.parametrize("outside", [0.0, 1.0, -0.5, 2.0])
def test_probabilities_outside_the_open_interval_are_refused(outside: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        detection_trials(outside, 0.05)
    with pytest.raises(ValueError, match="between 0 and 1"):
        hoeffding_interval(0.5, 10, outside)


def test_an_interval_without_trials_holds_everything() -> None:
    interval = hoeffding_interval(0.0, 0)
    assert (interval.low, interval.high) == (0.0, 1.0)


@given(st.lists(st.booleans(), min_size=60, max_size=60))
def test_detection_stops_at_the_first_difference_and_never_invents_one(seen: list[bool]) -> None:
    found = detect(seen, 0.05, 0.05)
    needed = detection_trials(0.05, 0.05)
    assert needed <= 60
    assert found.incoherent == any(seen[:needed])
    expected = seen.index(True) + 1 if found.incoherent else needed
    assert found.trials == expected


def test_detection_asks_for_enough_comparisons() -> None:
    with pytest.raises(ValueError, match="comparisons are needed"):
        detect([False] * 10, 0.05, 0.05)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_entropy_is_least_for_one_class_and_greatest_for_equal_ones(weights: list[int]) -> None:
    entropy = semantic_entropy(weights)
    assert -1e-12 <= entropy <= log(len(weights)) + 1e-12
    assert (entropy < 1e-12) == (len(weights) == 1)


@given(st.lists(st.integers(1, 50), min_size=2, max_size=8))
def test_merging_two_classes_loses_entropy(weights: list[int]) -> None:
    merged = [weights[0] + weights[1], *weights[2:]]
    assert semantic_entropy(merged) < semantic_entropy(weights)


def test_empty_classes_weigh_nothing() -> None:
    assert semantic_entropy([]) == 0.0
    assert semantic_entropy([3, 0, 3]) == pytest.approx(log(2))
