"""Finds the literals that are data in an argument that is source text.

The arguments of a constructor are data. Literals that name columns or kinds, and arguments of a
method of the object made, are not: they say how the object is made. In a list or a dict, an
expression that is no literal and has no list in it (``pd.Timestamp("2024-02-29")``, ``pd.NA``) is
kept as text among the values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import cast

from msgspec import Struct

from assay_engine.source.expressions import NotLiteral, literal
from assay_engine.source.parsing import parse_expression
from assay_engine.source.steps import parts_after
from assay_engine.values.spelling import MODULES, NOT_FINITE
from assay_sandbox import Expression, Value

_NAMING = frozenset({"columns", "dtype", "name", "names"})
_LISTS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


class Literal(Struct, frozen=True):
    """A value, and the position of its text."""

    start: int
    end: int
    value: Value


# Not state but a memo of a pure function: many other texts are made from one text.
@lru_cache(maxsize=64)
def literals_in(source: str) -> tuple[Literal, ...]:
    """The literals that are data, in order; none unless the source is an expression of one line."""
    tree = None if "\n" in source else parse_expression(source)
    if tree is None:
        return ()
    try:
        tree = cast("ast.expr", _Finite().visit(tree))
        data = _used(tree.body) if isinstance(tree, ast.Lambda) else _data(tree)
        return tuple(_literal(source, node) for node in data)
    except RecursionError:
        return ()


class _Finite(ast.NodeTransformer):
    """Replaces expressions for non-finite numbers by constants, which have no literal in text."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(ast.Name("float"), [ast.Constant(str() as text)], []) if (
                text in NOT_FINITE
            ):
                return ast.copy_location(ast.Constant(NOT_FINITE[text]), node)
            case _:
                return cast("ast.expr", self.generic_visit(node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(ast.Name(module), "nan" | "inf" as name) if module in MODULES:
                return ast.copy_location(ast.Constant(NOT_FINITE[name]), node)
            case _:
                return cast("ast.expr", self.generic_visit(node))


def _data(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Await(value=awaited):
            yield from _data(awaited)
        case ast.Subscript() if steps := parts_after(node):
            for step in steps:
                yield from _data(step.value if isinstance(step, ast.NamedExpr) else step)
        case ast.Call(ast.Attribute(attr="StringIO" | "BytesIO"), [ast.Constant() as content]):
            yield content
        case ast.Call(func=ast.Name("__import__")):
            return
        case ast.Call(func=ast.Attribute(value=made)) if _is_made(made):
            yield from _data(made)
        case ast.Call(args=args, keywords=keywords):
            data = [each.value for each in keywords if each.arg not in _NAMING]
            for argument in (*args, *data):
                if _is_number(argument):
                    yield argument
                else:
                    yield from _data(argument)
        case ast.Attribute(value=made) | ast.Subscript(value=made) | ast.UnaryOp(operand=made):
            yield from _data(made)
        case ast.BinOp(left=left, right=right):
            yield from _data(left)
            yield from _data(right)
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() if _is_level(node):
            yield node
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            for item in items:
                yield from _data(item)
        case _:
            return


def _used(use: ast.expr) -> Iterator[ast.expr]:
    """The literals that a use (`syntax.uses`) gives to its calls or binds in its steps."""
    for node in ast.walk(use):
        given: list[ast.expr] = []
        match node:
            case ast.Call(args=args, keywords=keywords):
                given = [*args, *(each.value for each in keywords)]
            case ast.NamedExpr(value=value):
                given = [value]
            case _:
                pass
        for each in given:
            is_list = isinstance(each, _LISTS) and _is_level(each)
            if is_list or _is_number(each) or _is_text(each):
                yield each


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_made(node: ast.expr) -> bool:
    """Whether the node is an object that some expression made, and not just a dotted name."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.BinOp | ast.UnaryOp):
        match node:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                node = inner
            case ast.BinOp(left=inner) | ast.UnaryOp(operand=inner):
                node = inner
    return not isinstance(node, ast.Name)


def _is_level(node: ast.expr) -> bool:
    """Whether the node is a literal, an expression without a list, or a list or dict of these."""
    match node:
        case ast.Constant():
            return True
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return not any(isinstance(each, ast.Starred) for each in items) and all(
                map(_is_level, items)
            )
        case ast.Dict(keys=keys, values=items):
            return all(key is not None and _is_plain(key) for key in keys) and all(
                map(_is_level, items)
            )
        case _:
            return not any(isinstance(each, _LISTS) for each in ast.walk(node))


def _is_plain(node: ast.expr) -> bool:
    try:
        hash(literal(node))
    except (NotLiteral, TypeError):
        return False
    return True


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(ast.USub() | ast.UAdd(), ast.Constant(value)) | ast.Constant(value):
            return type(value) in (int, float)
        case _:
            return False


def _literal(source: str, node: ast.expr) -> Literal:
    start, end = _span(source, node)
    return Literal(start, end, _value(source, node))


def _span(source: str, node: ast.expr) -> tuple[int, int]:
    start, end = node.col_offset, node.end_col_offset or 0
    if source.isascii():
        return start, end
    # Positions in the tree count bytes.
    written = source.encode()
    return len(written[:start].decode()), len(written[:end].decode())


def _value(source: str, node: ast.expr) -> Value:
    match node:
        case ast.Constant(value=value) if value is not ...:
            return value
        case ast.List(elts=items):
            return [_value(source, each) for each in items]
        case ast.Tuple(elts=items):
            return tuple(_value(source, each) for each in items)
        case ast.Set(elts=items):
            return {_value(source, each) for each in items}
        case ast.Dict(keys=keys, values=items):
            names = [literal(key) for key in keys if key is not None]
            return {name: _value(source, item) for name, item in zip(names, items, strict=True)}
        case ast.UnaryOp() | ast.BinOp() if _is_plain(node):  # -1, 1 + 2j
            return literal(node)
        case _:
            start, end = _span(source, node)
            return Expression(source[start:end])
