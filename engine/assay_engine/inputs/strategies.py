"""Shared by the strategies of types: limits, the error for no strategy, choices among several."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from assay_sandbox import Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

ITEMS_MAX = 6
TEXT_MAX = 12

# Gives the strategy for an annotation, a number of levels further down. Raises `NoStrategy`.
Of: TypeAlias = "Callable[[ast.expr, int], SearchStrategy[Value]]"

_Kind = TypeVar("_Kind")


class NoStrategy(Exception):
    """The annotation asks for something that inputs cannot be made of."""


class TooDeep(NoStrategy):
    """There is no room for another level."""

    def __init__(self) -> None:
        super().__init__("a type nested too deeply")


def one_of(
    kinds: Sequence[_Kind], of: Callable[[_Kind], SearchStrategy[Value]]
) -> SearchStrategy[Value]:
    """A strategy for any of these kinds that there is room for.

    Raises `TooDeep` if there is room for none.
    """
    return _any_of(kinds, of, TooDeep)


def some_of(
    kinds: Sequence[_Kind], of: Callable[[_Kind], SearchStrategy[Value]]
) -> SearchStrategy[Value]:
    """A strategy for those of these kinds that have one, at least one."""
    return _any_of(kinds, of, NoStrategy)


def _any_of(
    kinds: Sequence[_Kind],
    of: Callable[[_Kind], SearchStrategy[Value]],
    skipped: type[NoStrategy],
) -> SearchStrategy[Value]:
    import hypothesis.strategies as st

    found: list[SearchStrategy[Value]] = []
    missing = NoStrategy("a type of nothing")
    for each in kinds:
        try:
            found.append(of(each))
        except skipped as reason:
            missing = reason
    if not found:
        raise missing
    return st.one_of(found)
