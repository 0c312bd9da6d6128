"""What annotations say of a parameter: the types among which they leave the choice, by their
aliases.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from assay_engine.syntax.parsing import last_name, parse_expression
from assay_engine.syntax.text import Source

# Qualifiers say something about a name, and not about its type.
_QUALIFIERS = frozenset(
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
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) in _QUALIFIERS:
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
