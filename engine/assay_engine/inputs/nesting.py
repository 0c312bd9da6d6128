"""Simplifies source text that makes objects within objects, by leaving some of them out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Expression


def with_less(expression: Expression) -> Iterator[Expression]:
    """Simpler versions of the text, with changes of the outermost objects first.

    In each version, an inner object takes the place of an object of the same class that holds it
    (``Node(1, Node(2, None))`` becomes ``Node(2, None)``), or a list of objects has lost one item.
    There are no versions unless the text is an expression of one line.
    """
    text = expression.source.strip()
    tree = None if len(text.splitlines()) != 1 else parse_expression(text)
    if tree is None:
        return
    # Positions in the tree count bytes.
    source = text.encode()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                smaller = _within(node, name, source)
            case ast.List(elts=items) if all(map(_is_object, items)):
                smaller = _fewer(items, source)
            case _:
                continue
        for other in smaller:
            changed = source[: node.col_offset] + other + source[node.end_col_offset :]
            yield Expression(changed.decode())


def _is_object(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _within(call: ast.Call, name: str, source: bytes) -> Iterator[bytes]:
    for inner in ast.walk(call):
        match inner:
            case ast.Call(func=ast.Name(id=other)) if other == name and inner is not call:
                yield _text(inner, source)
            case _:
                pass


def _fewer(items: Sequence[ast.expr], source: bytes) -> Iterator[bytes]:
    texts = [_text(item, source) for item in items]
    for position in range(len(texts)):
        yield b"[" + b", ".join([*texts[:position], *texts[position + 1 :]]) + b"]"


def _text(node: ast.expr, source: bytes) -> bytes:
    return source[node.col_offset : node.end_col_offset]
