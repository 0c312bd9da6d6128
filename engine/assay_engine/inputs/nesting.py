"""Objects within objects, as source text makes them: fewer, and one in the other's place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Expression


def with_less(expression: Expression) -> Iterator[Expression]:
    """The text with a call in the place of one of the same that it is an argument within, and with
    an item less in one of its lists; the outermost first.

    ``Node(1, Node(2, None))`` becomes ``Node(2, None)``. None of what is no expression of one line.
    """
    text = expression.source.strip()
    tree = None if "\n" in text else parse_expression(text)
    if tree is None:
        return
    # Positions in a tree count bytes.
    source = text.encode()
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                smaller = _within(node, source)
            case ast.List():
                smaller = _fewer(node, source)
            case _:
                continue
        for other in smaller:
            changed = source[: node.col_offset] + other + source[node.end_col_offset :]
            yield Expression(changed.decode())


def _within(call: ast.Call, source: bytes) -> Iterator[bytes]:
    if isinstance(call.func, ast.Name):
        for inner in ast.walk(call):
            match inner:
                case ast.Call(func=ast.Name(id=name)) if name == call.func.id and inner != call:
                    yield _text(inner, source)
                case _:
                    pass


def _fewer(items: ast.List, source: bytes) -> Iterator[bytes]:
    texts = [_text(item, source) for item in items.elts]
    for position in range(len(texts)):
        yield b"[" + b", ".join([*texts[:position], *texts[position + 1 :]]) + b"]"


def _text(node: ast.expr, source: bytes) -> bytes:
    return source[node.col_offset : node.end_col_offset]
