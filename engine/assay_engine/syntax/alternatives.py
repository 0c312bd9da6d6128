"""The types among which an annotation leaves the choice."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType

from assay_engine.syntax.names import last_name
from assay_engine.syntax.parsing import parse_expression

# What says something of a name, and not of its type.
QUALIFIERS = frozenset(
    ("Annotated", "ClassVar", "Final", "InitVar", "NotRequired", "ReadOnly", "Required")
)
_NOTHING: Mapping[str, ast.expr] = MappingProxyType({})


def alternatives(
    annotation: ast.expr | str | None, aliases: Mapping[str, ast.expr] = _NOTHING
) -> list[ast.expr]:
    """``int`` and ``None`` of ``Optional["int"]``, in the order in which they are written.

    Sees through unions, texts, qualifiers and those names that are among the `aliases`, however
    deep they are; what an alias leaves is there once, wherever it stands. What types hold stays as
    it is. Nothing of what cannot be read.
    """
    seen: set[str] = set()
    found: list[ast.expr] = []
    waiting = [parse_expression(annotation) if isinstance(annotation, str) else annotation]
    while waiting:
        match waiting.pop():
            case None:
                pass
            case ast.Constant(value=str() as text):
                waiting.append(parse_expression(text))
            case ast.BinOp(left=one, op=ast.BitOr(), right=other):
                waiting += [other, one]
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) == "Optional":
                waiting += [ast.Constant(None), inner]
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) == "Union":
                waiting += reversed(inner.elts if isinstance(inner, ast.Tuple) else [inner])
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) in QUALIFIERS:
                waiting.append(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
            case ast.Name(id=name) if name in aliases:
                waiting += [] if name in seen else [aliases[name]]
                seen.add(name)
            case other:
                found.append(other)
    return found


def is_ellipsis(annotation: ast.expr) -> bool:
    """The last one of ``tuple[int, ...]``."""
    return isinstance(annotation, ast.Constant) and annotation.value is Ellipsis
