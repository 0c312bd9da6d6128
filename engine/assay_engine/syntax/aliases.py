"""Finds what a text assigns to names that annotations may use."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from assay_engine.syntax.source import Source


def aliases_in(body: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """The last value assigned to each name, whether or not it is a type."""
    found: dict[str, ast.expr] = {}
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
            case _ if is_alias(node):
                # Typed as Any, because only the parser of Python 3.12 and later knows this node.
                declared: Any = node
                found[declared.name.id] = declared.value
            case _:
                pass
    return found


# A memo, like that of `read_source`.
@lru_cache(maxsize=4)
def aliases_of(source: Source) -> Mapping[str, ast.expr]:
    """The aliases of a text, at its top level."""
    return aliases_in(source.tree.body)


def is_alias(node: ast.stmt) -> bool:
    """Whether a statement is ``type X = …``."""
    return type(node).__name__ == "TypeAlias"
