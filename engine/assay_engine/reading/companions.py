"""Finds imports that inputs need besides those that a function refers to.

A function that takes moments may be given zones, one that takes tables may be given numpy's NaN,
and one that awaits may be given what asyncio makes, whether or not the function's own code mentions
these. A function that uses an unannotated argument like a moment or a table may be given one.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import fractions
from collections.abc import Iterable, Mapping
from functools import lru_cache

from assay_engine.reading.input_output import imported_names
from assay_engine.reading.units import Cut
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.source import Source

_MOMENTS = frozenset({"datetime", "zoneinfo"})
_NUMBERS = frozenset({"decimal", "fractions"})
_TABLES = frozenset({"numpy", "pandas"})
_FAMILIES = (_MOMENTS, _NUMBERS, _TABLES)
_OF_COROUTINES = frozenset({"asyncio"})
_BUILT_IN = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, range)
_OF_BUILT_INS = frozenset[str]().union(*map(dir, _BUILT_IN))
# Attributes that are common in the use of tables and arrays, and that no other values have.
_OF_TABLES = """
astype columns corr cumsum describe drop_duplicates dropna dtype dtypes fillna flatten groupby iloc
iterrows itertuples loc melt merge ndim nunique pivot pivot_table quantile ravel reset_index reshape
resample rolling set_index sort_index sort_values to_dict to_frame to_numpy value_counts
"""


def _of(*kinds: type) -> frozenset[str]:
    return frozenset[str]().union(*map(dir, kinds)) - _OF_BUILT_INS


_ATTRIBUTES: Mapping[frozenset[str], frozenset[str]] = {
    _MOMENTS: _of(datetime.datetime, datetime.time, datetime.timedelta),
    _NUMBERS: _of(decimal.Decimal, fractions.Fraction),
    _TABLES: frozenset(_OF_TABLES.split()),
}


def companions(source: Source, cut: Cut, imports: Iterable[ast.AST]) -> frozenset[str]:
    """The further names that the module imports and that the function's inputs may need.

    They come from modules of the same family as the imports that the function needs, from asyncio
    for a coroutine function, or from modules that the use of an unannotated parameter suggests.
    """
    brought = _roots(imported_names(imports))
    roots = brought.values()
    wanted = frozenset[str]().union(*(each for each in _FAMILIES if not each.isdisjoint(roots)))
    if isinstance(cut.node, ast.AsyncFunctionDef):
        wanted |= _OF_COROUTINES
    wanted |= _given_by_use(cut)
    found = frozenset(name for name, root in _imported(source).items() if root in wanted)
    return found - brought.keys()


def _given_by_use(cut: Cut) -> frozenset[str]:
    """The modules whose values the unannotated parameters may be given.

    They are told by the attributes that the function uses of such a parameter, or of its items:
    ``df["a"].fillna(0)``.
    """
    unannotated = {each.arg for each in cut.given if each.annotation is None}
    used = {
        node.attr
        for node in ast.walk(cut.node)
        if isinstance(node, ast.Attribute) and _owner(node.value) in unannotated
    }
    return frozenset[str]().union(
        *(family for family, attributes in _ATTRIBUTES.items() if not used.isdisjoint(attributes))
    )


def _owner(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _roots(names: Mapping[str, str]) -> dict[str, str]:
    return {name: dotted.partition(".")[0] for name, dotted in names.items()}


# A memo, like that of `read_source`: every function of a file asks for the same names.
@lru_cache(maxsize=4)
def _imported(source: Source) -> dict[str, str]:
    return _roots(imported_names(statements_in(source.tree.body)))
