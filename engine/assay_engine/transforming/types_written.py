"""Takes apart types as they are written in a header."""

from __future__ import annotations

import ast

from assay_engine.syntax.alternatives import alternatives, is_ellipsis
from assay_engine.syntax.parsing import parse_expression

_SEQUENCES = ("list", "List", "Sequence", "Iterable")


def element_type(annotation: str | None) -> str | None:
    """The element type of a list: ``int`` of ``list[int]``; None if the annotation does not say."""
    match parse_expression(annotation or ""):
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _SEQUENCES:
            return ast.unparse(inner)
        case _:
            return None


def parts_of_tuple(annotation: str | None, size: int) -> tuple[str | None, ...]:
    """The types of a tuple's `size` parts, None for each part whose type is not given.

    ``int`` and ``str`` of ``tuple[int, str]``; `size` times ``int`` of ``tuple[int, ...]``.
    """
    match parse_expression(annotation or ""):
        case ast.Subscript(
            value=ast.Name(id="tuple" | "Tuple"),
            slice=ast.Tuple(elts=[inner, last]),
        ) if is_ellipsis(last):
            return (ast.unparse(inner),) * size
        case ast.Subscript(
            value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=elements)
        ) if len(elements) == size:
            return tuple(map(ast.unparse, elements))
        case _:
            return (None,) * size


def disjuncts(annotation: str | None) -> tuple[str, ...]:
    """The types of a union as written, including ``None``; one type if it is no union."""
    return tuple(dict.fromkeys(map(ast.unparse, alternatives(annotation))))
