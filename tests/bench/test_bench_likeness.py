"""The source experiments' equality, on the objects themselves."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import Any

import pytest

from assay_bench.worker.likeness import alike

NAN = float("nan")
INFINITY = float("inf")


@dataclass
class Point:
    x: float
    tags: list[str]


class Slotted:
    __slots__ = ()


def cycle() -> list[Any]:
    items: list[Any] = [1]
    items.append(items)
    return items


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (True, 1),
        (1000, 1001),
        (-1000.0, -1000.9),
        (0, 0.0),
        (NAN, NAN),
        (INFINITY, INFINITY),
        ("a", "a"),
        (None, None),
        ([1, (2, 3)], (1, [2, 3])),
        ({1, 2}, frozenset({1, 2})),
        ({"a": [1]}, Counter({"a": [1]})),
        (ValueError("this"), ValueError("that")),
        (Point(1000, ["a"]), Point(1001, ["a"])),
        (b"ab", b"ab"),
        (2 + 1j, 2 + 1j),
        (deque([1]), deque([1])),
        # Functions have a type and no attributes.
        (lambda: 1, lambda: 2),
        (cycle(), cycle()),
    ],
)
def test_equal_to_the_experiments(left: Any, right: Any) -> None:
    assert alike(left, right)
    assert alike(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1000, 1002),
        (0.0, 1e-300),
        (NAN, float("nan")),
        (INFINITY, float("inf")),
        (INFINITY, -INFINITY),
        (1, "1"),
        (0, None),
        (False, None),
        ("a", "b"),
        ([1], [1, 1]),
        ([1], {1}),
        ([1], "1"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (ValueError("this"), TypeError("this")),
        (Point(1, ["a"]), Point(1, ["b"])),
        (b"ab", b"ac"),
        (2 + 1j, 2 + 1.0000001j),
        (iter([1]), iter([2])),
        (Slotted(), 3),
    ],
)
def test_different_to_the_experiments(left: Any, right: Any) -> None:
    assert not alike(left, right)
    assert not alike(right, left)


def test_nought_equals_what_is_no_number_if_it_comes_first() -> None:
    assert alike(0.0, NAN)
    assert not alike(NAN, 0.0)


def test_sets_are_compared_in_the_order_in_which_they_iterate() -> None:
    # Small integers that share a slot iterate in the order they came in.
    first, second = {0, 8}, {8, 0}
    assert first == second
    assert list(first) != list(second)
    assert not alike(first, second)


def test_an_integer_beyond_floats_cannot_be_compared() -> None:
    with pytest.raises(OverflowError):
        alike(10**400, 10**400 + 1)


def test_deep_values_end_in_a_recursion_error() -> None:
    left: list[Any] = []
    right: list[Any] = []
    for _ in range(100_000):
        left, right = [left], [right]
    with pytest.raises(RecursionError):
        alike(left, right)
