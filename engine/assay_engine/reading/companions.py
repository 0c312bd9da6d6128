"""Imports that inputs need beside those that a function refers to.

Who is given moments may be given zones, who is given tables may be given numpy's NaN, and who
awaits may be given what asyncio makes, whether or not the function itself has anything to do with
these. And who uses an unannotated argument as moments or tables are used may be given such.
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
# What tables and arrays are commonly used by, and no other values.
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
    """What else the module imports from modules of one family with those of the imports that the
    function needs."""
    brought = _roots(imported_names(imports))
    roots = brought.values()
    wanted = frozenset[str]().union(*(each for each in _FAMILIES if not each.isdisjoint(roots)))
    if isinstance(cut.node, ast.AsyncFunctionDef):
        wanted |= _OF_COROUTINES
    wanted |= _given_by_use(cut)
    found = frozenset(name for name, root in _imported(source).items() if root in wanted)
    return found - brought.keys()


def _given_by_use(cut: Cut) -> frozenset[str]:
    """The modules whose values unannotated parameters may be given, by the attributes that the
    function uses of these, or of their items: ``df["a"].fillna(0)``."""
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


# As `read_source`: every function of a file asks for the same.
@lru_cache(maxsize=4)
def _imported(source: Source) -> dict[str, str]:
    return _roots(imported_names(statements_in(source.tree.body)))
