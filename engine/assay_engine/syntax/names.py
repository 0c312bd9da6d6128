"""What expressions are called."""

from __future__ import annotations

import ast


def last_name(node: ast.expr) -> str:
    """``Optional`` of ``typing.Optional[int]``; nothing of what is no name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return last_name(value)
        case _:
            return ""
