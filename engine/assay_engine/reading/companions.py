"""Imports that inputs need beside those that a function refers to.

Who is given moments may be given zones, who is given tables may be given numpy's NaN, and who
awaits may be given what asyncio makes, whether or not the function itself has anything to do with
these. And who does with an unannotated argument what can be done with no built-in value may be
given any of these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache

from assay_engine.reading.input_output import imported_names
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.source import Source

_FAMILIES = (
    frozenset({"datetime", "zoneinfo"}),
    frozenset({"decimal", "fractions"}),
    frozenset({"numpy", "pandas"}),
)
_OF_COROUTINES = frozenset({"asyncio"})
_BUILT_IN = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, range)
_OF_BUILT_INS = frozenset[str]().union(*map(dir, _BUILT_IN))
_RECEIVERS = frozenset({"self", "cls"})


def companions(
    source: Source, function: FunctionNode, imports: Iterable[ast.AST]
) -> frozenset[str]:
    """What else the module imports from modules of one family with those of the imports that the
    function needs."""
    brought = _roots(imported_names(imports))
    roots = brought.values()
    wanted = frozenset[str]().union(*(each for each in _FAMILIES if not each.isdisjoint(roots)))
    if isinstance(function, ast.AsyncFunctionDef):
        wanted |= _OF_COROUTINES
    if _takes_others(function):
        wanted = wanted.union(*_FAMILIES)
    found = frozenset(name for name, root in _imported(source).items() if root in wanted)
    return found - brought.keys()


def _takes_others(function: FunctionNode) -> bool:
    """Whether the function uses an attribute of what it is given (or of an item: ``df["a"].sum()``)
    that no built-in type has."""
    unannotated = {each.arg for each in arguments_of(function.args) if each.annotation is None}
    return any(
        isinstance(node, ast.Attribute)
        and node.attr not in _OF_BUILT_INS
        and _owner(node.value) in unannotated - _RECEIVERS
        for node in ast.walk(function)
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
