"""Imports that inputs need beside those that a function refers to.

Who is given moments may be given zones, who is given tables may be given numpy's NaN, and who
awaits may be given what asyncio makes, whether or not the function itself has anything to do with
these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache

from assay_engine.reading.input_output import imported_names
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.source import Source

_FAMILIES = (
    frozenset({"datetime", "zoneinfo"}),
    frozenset({"decimal", "fractions"}),
    frozenset({"numpy", "pandas"}),
)
_OF_COROUTINES = frozenset({"asyncio"})


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
    found = frozenset(name for name, root in _imported(source).items() if root in wanted)
    return found - brought.keys()


def _roots(names: Mapping[str, str]) -> dict[str, str]:
    return {name: dotted.partition(".")[0] for name, dotted in names.items()}


# As `read_source`: every function of a file asks for the same.
@lru_cache(maxsize=4)
def _imported(source: Source) -> dict[str, str]:
    return _roots(imported_names(statements_in(source.tree.body)))
