"""The names of a text that stand for exceptions, whatever they are called."""

from __future__ import annotations

import ast
import builtins
from functools import lru_cache

from assay_engine.syntax.lineage import Classes
from assay_engine.syntax.names import last_name
from assay_engine.syntax.source import Source


# As `read_source`: the functions of a file ask for the same.
@lru_cache(maxsize=4)
def exceptions_known(source: Source) -> frozenset[str]:
    """Classes that derive from an exception of Python's, and what is raised or caught by name."""
    classes = Classes(source.tree.body)
    found = {
        name
        for name, node in classes.items()
        if any(_is_pythons(base) for each in classes.lineage(node) for base in each.bases)
    }
    for node in ast.walk(source.tree):
        match node:
            case ast.Raise(exc=ast.expr() as raised):
                found.add(last_name(raised.func if isinstance(raised, ast.Call) else raised))
            case ast.ExceptHandler(type=ast.expr() as caught):
                kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
                found.update(map(last_name, kinds))
            case _:
                pass
    # A variable that holds one is no name that a docstring speaks of.
    return frozenset(name for name in found if name[:1].isupper())


def _is_pythons(base: ast.expr) -> bool:
    known = getattr(builtins, last_name(base), None)
    return isinstance(known, type) and issubclass(known, BaseException)
