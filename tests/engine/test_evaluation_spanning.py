"""Which arguments are such as the seeds show."""

from __future__ import annotations

import pytest

from assay_engine.evaluation.spanning import span_of, within
from assay_sandbox import Value

Arguments = tuple[Value, ...]

ALIKE: list[tuple[Arguments, Arguments]] = [
    ((3,), (-7,)),
    ((3,), (0.5,)),
    (("ab c",), ("z",)),
    (([3, 4],), ([9, -1, 0],)),
    (([-1, 2],), ([5, -5],)),
    (({"a": 1},), ({"b": 2, "c": -3},)),
    (([[1], [2, 3]],), ([[4, 5, 6]],)),
]


@pytest.mark.parametrize(("seed", "like"), ALIKE)
def test_what_differs_in_size_order_or_its_own_sign_is_alike(
    seed: Arguments, like: Arguments
) -> None:
    assert within(like, span_of([seed]))


UNLIKE: list[tuple[Arguments, Arguments]] = [
    ((3,), ("3",)),
    ((3,), (True,)),
    ((3,), (None,)),
    (("ab",), ("",)),
    (("ab",), ("aB",)),
    (("ab",), ("a1",)),
    (("ab",), ("a-b",)),
    (("ab",), ("\u00df",)),
    (("a b",), ("a\tb",)),
    (([3, 4],), ([],)),
    (([3, 4],), ((3, 4),)),
    (([3, 4],), ([3, "a"],)),
    (([3, 4],), ([0, -1],)),
    (([3, "a"],), ([3],)),
    (([[1], [2]],), ([[1], []],)),
    (({"a": 1},), ({1: 1},)),
    (({"a": 1},), ({"a": 0},)),
]


@pytest.mark.parametrize(("seed", "unlike"), UNLIKE)
def test_what_no_seed_shows_or_every_seed_holds_makes_it_unlike(
    seed: Arguments, unlike: Arguments
) -> None:
    assert not within(unlike, span_of([seed]))


def test_one_seed_that_lacks_it_is_enough() -> None:
    span = span_of([([3, "a"],), ([-4],), ([],)])
    assert all(within((items,), span) for items in ([], [0], ["b"], [3]))
    assert not within(([1.5, None],), span)


def test_arguments_have_traits_of_their_own() -> None:
    span = span_of([("a", 3)])
    assert not within((3, "a"), span)


def test_seeds_are_like_themselves() -> None:
    seeds: list[Arguments] = [("",), ([(1, "x")],), ({2: {3.5}},), (None,)]
    assert all(within(seed, span_of(seeds)) for seed in seeds)
