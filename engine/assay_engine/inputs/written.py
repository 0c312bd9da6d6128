"""Arguments that are source text (tables, arrays, objects that cannot be carried): the literals in
it, changed.

What a constructor is handed is data: cells and rows of it are changed, as a list's items and a
value's leaves are. What names columns or kinds, and what is handed to a method of the object
made, says how it is made, and stays. A text that no longer makes anything is left out when it is
evaluated (`running.materialising`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import TypeAlias, cast

from assay_engine.inputs.boundaries import bounded
from assay_engine.inputs.editing import edited
from assay_engine.inputs.material import Material
from assay_engine.inputs.parts import parts_of, with_parts
from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Expression, Value
from assay_sandbox.codec import render

# How often rows come and go, and not a cell changes.
ROWS = 0.5
# How often a cell becomes a limit case of its type.
BOUNDED = 0.3
ROWS_MAX = 60

_NOT_FINITE = ("nan", "inf")
_NAMING = frozenset({"columns", "dtype", "name", "names"})

_Row: TypeAlias = Value
_Change: TypeAlias = Callable[[Value], Value]


def literals_in(expression: Expression) -> list[Value]:
    """The values of the literals that are data, in their order."""
    tree = parse_expression(expression.source)
    return [] if tree is None else [ast.literal_eval(node) for node in _literals(tree)]


def rewritings(
    expression: Expression, others: Callable[[Value], Iterable[Value]]
) -> Iterator[Expression]:
    """The text with one of its literals as another value, for each of the others of each."""
    for at, value in enumerate(literals_in(expression)):
        for other in others(value):
            yield _with_literal(expression, at, other)


def rewritten(expression: Expression, material: Material, random: Random) -> Expression:
    """The text with one change in one of its literals; as it was, where it has none."""
    values = literals_in(expression)
    if not values:
        return expression
    at = random.randrange(len(values))

    def change(leaf: Value) -> Value:
        limit = random.random() < BOUNDED
        return (bounded if limit else edited)(leaf, material, random)

    return _with_literal(expression, at, _changed(values[at], change, random))


def rows_of(value: Value) -> list[_Row] | None:
    """What can come and go without another shape: items of a list, rows of columns; else None."""
    match value:
        case list():
            return parts_of(cast("list[Value]", value))
        case dict():
            columns = list(cast("dict[Value, Value]", value).values())
            lists = [parts_of(each) for each in columns if isinstance(each, list)]
            level = len(lists) == len(columns) and len(set(map(len, lists))) == 1
            return list(zip(*lists, strict=True)) if level else None
        case _:
            return None


def with_rows(value: Value, rows: Sequence[_Row]) -> Value:
    """The list of these items, or the same columns with these rows."""
    if not isinstance(value, dict):
        return list(rows)
    names = list(cast("dict[Value, Value]", value))
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return dict(zip(names, map(list, columns), strict=True))


def source_of(value: Value) -> str:
    """Text that evaluates to the value, `nan` and `inf` included, which are no names."""
    text = render(value)
    tree = parse_expression(text)
    if tree is None or not any(map(text.count, _NOT_FINITE)):
        return text
    return ast.unparse(_SpellingOut().visit(tree))


class _SpellingOut(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in _NOT_FINITE:
            return node
        return ast.Call(ast.Name("float"), [ast.Constant(node.id)], [])


def _with_literal(expression: Expression, at: int, value: Value) -> Expression:
    tree, literal = parse_expression(expression.source), parse_expression(source_of(value))
    if tree is None or literal is None:
        return expression
    node = list(_literals(tree))[at]
    return Expression(ast.unparse(_Exchange(node, literal).visit(tree)))


class _Exchange(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else cast("ast.AST", super().visit(node))


def _literals(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case (
            ast.Call(func=ast.Attribute(value=ast.Call() | ast.Subscript() as made))
            | ast.Attribute(value=made)
            | ast.Subscript(value=made)
        ):
            yield from _literals(made)
        case ast.BinOp(left=left, right=right):
            yield from _literals(left)
            yield from _literals(right)
        case ast.Call(args=args, keywords=keywords):
            data = [each.value for each in keywords if each.arg not in _NAMING]
            for argument in (*args, *data):
                if _is_number(argument):
                    yield argument
                yield from _literals(argument)
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() if _is_literal(node):
            yield node
        case ast.List(elts=items) | ast.Tuple(elts=items):
            for item in items:
                yield from _literals(item)
        case ast.Dict(values=items):
            for item in items:
                yield from _literals(item)
        case _:
            return


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _is_number(node: ast.expr) -> bool:
    return _is_literal(node) and type(ast.literal_eval(node)) in (int, float)


def _changed(value: Value, change: _Change, random: Random) -> Value:
    rows = rows_of(value)
    if rows is not None and random.random() < ROWS:
        return with_rows(value, _other_rows(rows, change, random))
    return _with_other_leaf(value, change, random)


def _other_rows(rows: list[_Row], change: _Change, random: Random) -> list[_Row]:
    """One of them, all in reverse, twice; one less, one again, one changed, two alike in part, or
    two swapped. Never none: columns without rows have lost the kinds of what was in them."""
    if not rows:
        return rows
    a, b = random.randrange(len(rows)), random.randrange(len(rows))
    match random.randrange(8):
        case 0:
            return [rows[a]]
        case 1:
            return rows[::-1]
        case 2:
            return (rows + rows)[:ROWS_MAX]
        case 3 if len(rows) > 1:
            return [*rows[:a], *rows[a + 1 :]]
        case 4:
            return [*rows[:b], rows[a], *rows[b:]]
        case 5:
            return [*rows[:b], _with_other_leaf(rows[a], change, random), *rows[b:]]
        case 6:
            return [*rows[:a], _more_alike(rows[a], rows[b], random), *rows[a + 1 :]]
        case _:
            rows[a], rows[b] = rows[b], rows[a]
            return rows


def _more_alike(row: _Row, other: _Row, random: Random) -> _Row:
    """The row with one part of the other: a tie in one column, the other row if it has none."""
    parts, others = parts_of(row), parts_of(other)
    if not parts or len(parts) != len(others):
        return other
    at = random.randrange(len(parts))
    return with_parts(row, [*parts[:at], others[at], *parts[at + 1 :]])


def _with_other_leaf(value: Value, change: _Change, random: Random) -> Value:
    """The value with what is at one of its ends changed: its shape and its keys stay."""
    parts = parts_of(value)
    if not parts:
        return change(value) if not isinstance(value, list | tuple | dict) else cast(Value, value)
    # Of a dict keys and values take turns, and keys stay.
    ends = range(1, len(parts), 2) if isinstance(value, dict) else range(len(parts))
    at = random.choice(ends)
    parts[at] = _with_other_leaf(parts[at], change, random)
    return with_parts(value, parts)
