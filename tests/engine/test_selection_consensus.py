"""Consensus: the largest agreeing block, and the classes of samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

from hypothesis import strategies as st

from assay_engine.methods.triangulation.selection import (
    Block,
    behaviour_classes,
    discriminating,
    ransac,
)
from support.properties import given

agreements = st.lists(st.frozensets(st.integers(0, 5)), max_size=6)


def best_score(agreement: Sequence[frozenset[int]]) -> int:
    """Over all groups of programs: their number times what all of them agree with."""
    indices = range(len(agreement))
    groups = chain.from_iterable(combinations(indices, size) for size in range(1, len(indices) + 1))
    return max(
        (
            len(group) * len(frozenset.intersection(*(agreement[i] for i in group)))
            for group in groups
        ),
        default=0,
    )


@given(agreements)
def test_the_block_is_the_largest_there_is(agreement: list[frozenset[int]]) -> None:
    consensus = ransac(agreement)
    assert (consensus.block.score if consensus else 0) == best_score(agreement)
    if consensus:
        for program in consensus.block.programs:
            assert set(consensus.block.witnesses) <= agreement[program]


@given(agreements, st.randoms(use_true_random=False))
def test_the_score_does_not_depend_on_order(
    agreement: list[frozenset[int]], random: object
) -> None:
    found, shuffled = ransac(agreement), list(agreement)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    moved = ransac(shuffled)
    assert (found and found.block.score) == (moved and moved.block.score)


@given(agreements)
def test_a_sample_that_is_drawn_twice_counts_twice(agreement: list[frozenset[int]]) -> None:
    found, doubled = ransac(agreement), ransac(agreement * 2)
    assert (doubled.block.score if doubled else 0) == 2 * (found.block.score if found else 0)


@given(agreements)
def test_a_witness_listed_twice_for_a_program_is_one(agreement: list[frozenset[int]]) -> None:
    assert ransac([[*row, *row] for row in agreement]) == ransac(agreement)


def test_overlapping_sets_of_witnesses_are_allies() -> None:
    found = ransac([[0, 1, 2], [0, 1], [0, 1], [5]])
    assert found is not None
    assert found.block == Block((0, 1, 2), (0, 1))
    assert found.block.score == 6


def test_ties_go_to_more_witness_classes_then_more_programs() -> None:
    """Four witnesses of one class are worth less than two of two classes."""
    agreement = [[0, 1, 2, 3], [4, 5], [4, 5]]
    found = ransac(agreement, witness_classes=[0, 0, 0, 0, 1, 2])
    assert found is not None
    assert found.block.programs == (1, 2)
    by_samples = ransac(agreement)
    assert by_samples is not None
    assert by_samples.block.programs == (0,)
    same_classes = ransac(agreement, witness_classes=[0] * 6)
    assert same_classes is not None
    assert same_classes.block.programs == (1, 2)


def test_ties_go_to_the_larger_class_of_programs_then_to_the_first() -> None:
    """Sample 3 agrees with nothing, but behaves as sample 1 does."""
    agreement = [[0], [1], [2], []]
    found = ransac(agreement, program_classes=[0, 1, 2, 1])
    assert found is not None
    assert found.block.programs == (1,)
    first = ransac(agreement)
    assert first is not None
    assert first.block.programs == (0,)


def test_an_arbitrary_choice_names_its_rivals() -> None:
    found = ransac([[0, 1], [2, 3], [2]])
    assert found is not None
    assert found.block == Block((0,), (0, 1))
    assert set(found.rivals) == {Block((1,), (2, 3)), Block((1, 2), (2,))}
    alone = ransac([[0, 1], [2]])
    assert alone is not None
    assert alone.rivals == ()


def test_no_agreement_is_no_consensus() -> None:
    assert ransac([]) is None
    assert ransac([[], []]) is None


def test_adversarially_many_closed_sets_end() -> None:
    """Every subset of 24 witnesses would be closed."""
    rows = [frozenset(range(24)) - {n} for n in range(24)]
    found = ransac(rows)
    assert found is not None
    assert found.block.score >= 23


def equivalence(*outputs: object) -> list[list[int]]:
    """The relation between samples by what they do; one that crashes (None) equals nothing."""
    return [
        [j for j, other in enumerate(outputs) if own is not None and own == other]
        for own in outputs
    ]


def test_of_equally_large_classes_the_first_is_taken() -> None:
    assert behaviour_classes(equivalence("a", "b", "b", "a")) == ((0, 3), (1, 2))


def test_tolerance_does_not_chain_a_class() -> None:
    """1 is close to 0 and to 2, which are not close to each other."""
    assert behaviour_classes([[0, 1], [0, 1, 2], [1, 2]]) == ((0, 1), (2,))


def test_a_witness_of_contradicting_samples_is_dropped() -> None:
    """Witness 0 agrees with everybody; samples 0 and 2 return different values."""

    def contradict(left: int, right: int) -> bool:
        return {left, right} == {0, 2}

    agreement = [[0, 1], [0, 1, 2], [0, 2]]
    assert discriminating(agreement, contradict) == ((1,), (1, 2), (2,))
