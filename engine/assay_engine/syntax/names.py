"""Finds the names of expressions, and the names that imports bind."""

from __future__ import annotations

import ast
import re

_WORD = re.compile(r"\w+")


def last_name(node: ast.expr) -> str:
    """``Optional`` of ``typing.Optional[int]``; empty for an expression that is no name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return last_name(value)
        case _:
            return ""


def bound_name(alias: ast.alias) -> str:
    """The name that an import binds: ``os`` for ``import os.path``."""
    return alias.asname or alias.name.partition(".")[0]


def names_in(annotation: ast.expr) -> list[str]:
    """The names that an annotation mentions, at any depth, and in texts, too."""
    found: list[str] = []
    for node in ast.walk(annotation):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.append(name)
            case ast.Constant(value=str() as text):
                found += _WORD.findall(text)
            case _:
                pass
    return found
