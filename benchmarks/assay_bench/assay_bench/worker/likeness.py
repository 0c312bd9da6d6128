"""Compares results as the source experiments do (arXiv:2507.00057, their public code).

This is not Assay's own comparison, which is `assay_engine.compare.behaviours`. It works on live
objects, since it looks at identity and at the order in which sets iterate; so it runs where the
objects are, in the sandbox. It calls methods of the objects, and may raise whatever these raise.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from itertools import chain, repeat
from typing import Any

RELATIVE_DIFFERENCE = 0.001

# Tuples, and not unions: the interpreter may be as old as 3.9.
_NUMBERS: tuple[Any, ...] = (int, float)
_PLAIN = (bool, str, type(None))
_SEQUENCES: tuple[Any, ...] = (list, tuple)
_SETS: tuple[Any, ...] = (set, frozenset)

Visited = dict[tuple[int, int], bool]


def alike(left: Any, right: Any) -> bool:
    """Whether the experiments would have called the two results equal.

    Raises OverflowError for integers beyond the range of floats, as the experiments did.
    """
    return _alike(left, right, {})


def _alike(left: Any, right: Any, visited: Visited) -> bool:
    if left is right:
        return True
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        return _close(float(left), float(right))
    if isinstance(left, _PLAIN) and isinstance(right, _PLAIN):
        return bool(left == right)
    pair = (id(left), id(right))
    if pair in visited:
        return visited[pair]
    # The pair counts as equal while it is being compared, so that cycles end.
    visited[pair] = True
    visited[pair] = _alike_inside(left, right, visited)
    return visited[pair]


def _close(left: float, right: float) -> bool:
    if left == right:
        return left - right == 0.0  # infinities have no difference
    larger = max(abs(left), abs(right))
    # If `left` is 0 and `right` is NaN, `max` gives 0, and the two count as equal.
    return larger == 0.0 or abs(left - right) / larger <= RELATIVE_DIFFERENCE


def _alike_inside(left: Any, right: Any, visited: Visited) -> bool:
    for kind in (_SEQUENCES, _SETS):
        if isinstance(left, kind) and isinstance(right, kind):
            return _alike_in_order(left, right, visited)
    if _is_mapping(left) and _is_mapping(right):
        return _alike_in_order(_flat(left), _flat(right), visited)
    if not _same_type(left, right):
        return False
    try:
        attributes = _attributes(left), _attributes(right)
    except TypeError:
        return _same_bytes(left, right)
    return _alike(*attributes, visited)


def _attributes(value: object) -> Any:
    return vars(value)


def _same_type(left: object, right: object) -> bool:
    return type(left) is type(right)


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _flat(mapping: Any) -> list[Any]:
    """The keys and values in turn."""
    return list(chain.from_iterable(mapping.items()))


def _alike_in_order(left: Any, right: Any, visited: Visited) -> bool:
    if len(left) != len(right):
        return False
    return all(map(_alike, list(left), list(right), repeat(visited)))


def _same_bytes(left: object, right: object) -> bool:
    try:
        return pickle.dumps(left) == pickle.dumps(right)
    except Exception:
        # An object that cannot be pickled equals only itself, and that case was handled above.
        return False
