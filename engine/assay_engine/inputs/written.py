"""Changes the literals in arguments that are source text: cells change, and rows come and go.

Such arguments are tables, arrays, and objects that cannot be carried. A text that no longer makes
an object is left out when it is evaluated (`running.materialising`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import TypeAlias, cast

from assay_engine.inputs.boundaries import bounded, planted
from assay_engine.inputs.editing import edited
from assay_engine.inputs.literals import Literal, literals_in
from assay_engine.inputs.material import Material
from assay_engine.values.parts import parts_of, with_parts
from assay_engine.values.spelling import source_of
from assay_sandbox import Expression, Value

# How often rows come or go; else a cell changes.
ROWS = 0.5
# How often a cell becomes a limit case of its type, and how often a constant.
BOUNDED, PLANTED = 0.3, 0.2
ROWS_MAX = 60

_Row: TypeAlias = Value
_Change: TypeAlias = Callable[[Value], Value]


def rewritings(
    expression: Expression, others: Callable[[Value], Iterable[Value]]
) -> Iterator[Expression]:
    """The text with one literal replaced, for each literal and each of its other values."""
    for literal in literals_in(expression.source):
        for other in others(literal.value):
            yield _with_literal(expression, literal, other)


def rewritten(expression: Expression, material: Material, random: Random) -> Expression:
    """The text with one change in one of its literals; unchanged if it has no literals."""
    literals = literals_in(expression.source)
    if not literals:
        return expression
    literal = random.choice(literals)

    def change(leaf: Value) -> Value:
        if material.constants and random.random() < PLANTED:
            return planted(leaf, material, random)
        limit = random.random() < BOUNDED
        return (bounded if limit else edited)(leaf, material, random)

    return _with_literal(expression, literal, _changed(literal.value, change, random))


def rows_of(value: Value) -> list[_Row] | None:
    """The parts that can come and go while the value keeps its shape; None if it has none.

    They are the items of a list, or the rows of a dict of equally long columns.
    """
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
    """The value with these rows, at least one: the list of them, or the columns made of them."""
    if not isinstance(value, dict):
        return list(rows)
    names = list(cast("dict[Value, Value]", value))
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _with_literal(expression: Expression, literal: Literal, value: Value) -> Expression:
    text = expression.source
    return Expression(f"{text[: literal.start]}{source_of(value)}{text[literal.end :]}")


def _changed(value: Value, change: _Change, random: Random) -> Value:
    rows = rows_of(value)
    if rows and random.random() < ROWS:
        return with_rows(value, _other_rows(rows, change, random))
    return _with_other_leaf(value, change, random)


def _other_rows(rows: list[_Row], change: _Change, random: Random) -> list[_Row]:
    """The rows after one change; there is always at least one row.

    The result is a single row, all rows in reverse, or all rows twice. Or one row is removed,
    repeated, added in changed form or made partly like another, or two rows are swapped. Columns
    without rows would have lost the kinds of their cells.
    """
    a, b = random.randrange(len(rows)), random.randrange(len(rows))
    match random.randrange(8):
        case 0:
            return [rows[a]]
        case 1:
            return rows[::-1]
        case 2 if 2 * len(rows) <= ROWS_MAX:
            return rows + rows
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
    """The row with one part of the other row, which makes a tie in one column.

    It is the other row where the rows have no parts to match, and the same row where two dicts
    share no key.
    """
    if isinstance(row, dict) and isinstance(other, dict):
        own, others_own = cast("dict[Value, Value]", row), cast("dict[Value, Value]", other)
        shared = [name for name in own if name in others_own]
        name = random.choice(shared) if shared else None
        return {**own, name: others_own[name]} if shared else own
    parts, others = parts_of(row), parts_of(other)
    if not parts or len(parts) != len(others):
        return other
    at = random.randrange(len(parts))
    return with_parts(row, [*parts[:at], others[at], *parts[at + 1 :]])


def _with_other_leaf(value: Value, change: _Change, random: Random) -> Value:
    """The value with one of its leaves changed; its shape and its keys stay."""
    parts = parts_of(value)
    if not parts:
        return change(value) if not isinstance(value, list | tuple | dict) else cast(Value, value)
    at = random.choice(ends_of(value))
    parts[at] = _with_other_leaf(parts[at], change, random)
    return with_parts(value, parts)


def ends_of(value: Value) -> range:
    """The indices of the value's parts that are data.

    The parts of a dict are keys and values in turn, and its keys are not data.
    """
    parts = len(parts_of(value))
    return range(1, parts, 2) if isinstance(value, dict) else range(parts)
