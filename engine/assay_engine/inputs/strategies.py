"""Shared by the strategies of types: limits, the error for no strategy, choices among several.

Isolates Hypothesis: the same values in every process, and no folder in the user's project.

By default Hypothesis mixes in constants that it collects from the modules of the running process.
These modules are Assay's, not the user's. Their constants would make inputs depend on how Assay
was installed, cost time, and be cached in a folder `.hypothesis` wherever the process started.
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.internal.constants_ast import Constants

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


BACKEND = "assay"


class _WithoutLocalConstants(HypothesisProvider):
    """Hypothesis' own provider of values, without the constants of local modules."""

    @cached_property
    def _local_constants(self) -> Constants:
        return Constants()


def register() -> str:
    """Makes the backend known; returns its name, for `settings(backend=…)`."""
    AVAILABLE_PROVIDERS[BACKEND] = _WithoutLocalConstants
    # The cached tables of Unicode categories are worth keeping for as long as this machine runs.
    set_hypothesis_home_dir(Path(tempfile.gettempdir(), "assay-hypothesis"))
    return BACKEND
