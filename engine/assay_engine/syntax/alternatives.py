"""Finds the types among which an annotation leaves the choice."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType

from assay_engine.syntax.names import last_name
from assay_engine.syntax.parsing import parse_expression

# Qualifiers say something about a name, and not about its type.
QUALIFIERS = frozenset(
    ("Annotated", "ClassVar", "Final", "InitVar", "NotRequired", "ReadOnly", "Required")
)
_NOTHING: Mapping[str, ast.expr] = MappingProxyType({})


def alternatives(
    annotation: ast.expr | str | None, aliases: Mapping[str, ast.expr] = _NOTHING
) -> list[ast.expr]:
    """The alternatives of an annotation: ``int`` and ``None`` of ``Optional["int"]``.

    They are in the order in which they are written. The function sees through unions, texts,
    qualifiers and the names in `aliases`, however deep they are. The types of an alias are given
    once, however often it occurs. Types within other types stay as they are. An annotation that
    cannot be read has no alternatives.
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
    """Whether an annotation is the ellipsis that ends ``tuple[int, ...]``."""
    return isinstance(annotation, ast.Constant) and annotation.value is Ellipsis
