"""Makes an input that separates programs as small as possible while it still separates them.

Shrinking is greedy and goes in rounds: one-step reductions of the current input are run in batches,
smallest first, and the smallest that still shows the same thing becomes current. Shrinking ends
when no reduction does, or when the calls are spent. A number approaches the value that a program
compares it with by bisection. The result is deterministic.

Simplifies source text that makes objects within objects, by leaving some of them out.
"""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from math import isfinite
from typing import TypeVar, cast

from assay_engine.inputs.written import ends_of, rewritings, rows_of, with_rows
from assay_engine.source.parsing import parse_expression
from assay_engine.values.carried import call_key
from assay_engine.values.parts import is_of_fitting_parts, nodes_of, parts_of, with_parts
from assay_sandbox import Call, Container, Expression, Instance, Value

_Text = TypeVar("_Text", str, bytes)

CALLS_MAX = 768
BATCH = 24
# How many smaller versions of a source text are written, the boldest first. Each of them is about
# as long as the text.
REWRITINGS_MAX = 500
# How many objects within an object of the same class are tried in its place, the outermost first.
OBJECTS_MAX = 16


async def shrink(
    call: Call, still_shows: Callable[[Sequence[Call]], Awaitable[Sequence[bool]]]
) -> Call:
    """The smallest call found. `still_shows` is asked about `BATCH` calls at a time."""
    current, asked = call, {call_key(call)}
    waiting = _reductions(current, asked)
    while waiting and len(asked) <= CALLS_MAX:
        batch, waiting = waiting[:BATCH], waiting[BATCH:]
        asked.update(map(call_key, batch))
        shown = await still_shows(batch)
        better = next((c for c, holds in zip(batch, shown, strict=True) if holds), None)
        if better is not None:
            current = better
            waiting = _reductions(current, asked)
    return current


def _reductions(call: Call, asked: Collection[str]) -> list[Call]:
    """Distinct smaller calls that have not been asked about yet, smallest first."""
    size = _size(call)
    distinct = {call_key(smaller): smaller for smaller in _smaller_calls(call)}
    ordered = sorted((c for key, c in distinct.items() if key not in asked), key=_size)
    return [smaller for smaller in ordered if _size(smaller) < size]


def _size(call: Call) -> tuple[int, str]:
    key = call_key(call)
    return len(key), key


def _smaller_calls(call: Call) -> Iterator[Call]:
    for position, value in enumerate(call.args):
        for smaller in smaller_values(value):
            yield replace(call, args=(*call.args[:position], smaller, *call.args[position + 1 :]))
    for position, (name, value) in enumerate(call.kwargs):
        for smaller in smaller_values(value):
            pair = (name, smaller)
            yield replace(
                call, kwargs=(*call.kwargs[:position], pair, *call.kwargs[position + 1 :])
            )
    yield from (replace(call, stdin=text) for text in _shorter(call.stdin) if call.stdin)
    scene = call.scene
    if scene is None:
        return
    for position, (name, content) in enumerate(scene.files):
        for smaller in smaller_values(content):
            file = (name, cast("str | bytes", smaller))
            files = (*scene.files[:position], file, *scene.files[position + 1 :])
            yield replace(call, scene=replace(scene, files=files))


def smaller_values(value: Value) -> Iterator[Value]:
    """Values of the same type that are simpler, the boldest steps first."""
    match value:
        case bool():
            if value:
                yield False
        case int():
            if value > 0:
                yield from (1, *_towards(value))
            elif value < 0:
                yield from (-value, *(-nearer for nearer in _towards(-value)))
        case float():
            if isfinite(value) and not value.is_integer():
                yield float(int(value))
                yield round(value, 1)
            elif value:
                yield from (0.0, 1.0, value / 2)
        case str():
            yield from _shorter(value)
        case bytes():
            yield from _shorter(value)
        case list():
            yield from (list(items) for items in _smaller_items(cast("list[Value]", value)))
        case tuple():
            yield from (tuple(items) for items in _inside(cast("tuple[Value, ...]", value)))
        case set() | frozenset():
            rebuild = set if isinstance(value, set) else frozenset
            yield from (rebuild(items) for items in _without_some(parts_of(value)))
        case dict():
            items = list(cast("dict[Value, Value]", value).items())
            yield from (dict(fewer) for fewer in _without_some(items))
            for position, (key, item) in enumerate(items):
                for smaller in smaller_values(item):
                    yield dict([*items[:position], (key, smaller), *items[position + 1 :]])
        case Instance():
            yield from islice(_of_its_kind(value), OBJECTS_MAX)
            for position, (name, item) in enumerate(value.fields):
                for smaller in smaller_values(item):
                    fields = list(value.fields)
                    fields[position] = (name, smaller)
                    yield Instance(value.type_name, tuple(fields))
        case Expression():
            smaller = chain(with_less(value), rewritings(value, _smaller_literals))
            yield from islice(smaller, REWRITINGS_MAX)
        case Container() if not is_of_fitting_parts(value):
            yield from (Container(value.type_name, items) for items in smaller_values(value.items))
        case _:
            return


def _of_its_kind(value: Instance) -> Iterator[Instance]:
    """The objects of the same class within an object: a tree's subtrees, a linked list's rest."""
    for each in nodes_of(value):
        if isinstance(each, Instance) and each.type_name == value.type_name and each is not value:
            yield each


def _smaller_literals(value: Value) -> Iterator[Value]:
    """Values with fewer rows (but at least one) or smaller cells; the columns stay."""
    rows = rows_of(value)
    if not rows:
        yield from _smaller_cells(value)
        return
    yield from (with_rows(value, fewer) for fewer in _without_some(rows) if fewer)
    for position, row in enumerate(rows):
        for smaller in _smaller_cells(row):
            yield with_rows(value, [*rows[:position], smaller, *rows[position + 1 :]])
            if rows.count(row) > 1:
                yield with_rows(value, [smaller if other == row else other for other in rows])


def _smaller_cells(value: Value) -> Iterator[Value]:
    """The value with a smaller part at one of its ends."""
    parts = parts_of(value)
    if not parts and not isinstance(value, list | tuple | dict):
        yield from smaller_values(value)
    for at in ends_of(value):
        for smaller in _smaller_cells(parts[at]):
            yield with_parts(value, [*parts[:at], smaller, *parts[at + 1 :]])


def _towards(value: int) -> Iterator[int]:
    """0, then numbers that halve the rest of the way to the value each time, up to value - 1."""
    step = value
    while step:
        yield value - step
        step //= 2


def _shorter(text: _Text) -> Iterator[_Text]:
    yield from (text[:start] + text[end:] for start, end in _stretches(len(text)))


def _smaller_items(items: Sequence[Value]) -> Iterator[Sequence[Value]]:
    yield from _without_some(items)
    yield from _inside(items)


def _without_some(items: Sequence[Value]) -> Iterator[Sequence[Value]]:
    yield from ([*items[:start], *items[end:]] for start, end in _stretches(len(items)))


def _stretches(length: int) -> Iterator[tuple[int, int]]:
    """The stretches to leave out: all, each half, each quarter, and so on down to single items."""
    step = length
    while step:
        yield from ((start, start + step) for start in range(0, length, step))
        step //= 2


def _inside(items: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """The items with one of them made smaller, and with all its equals as well: ties stay ties."""
    for position, item in enumerate(items):
        for smaller in smaller_values(item):
            yield [*items[:position], smaller, *items[position + 1 :]]
            if items.count(item) > 1:
                yield [smaller if other == item else other for other in items]


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
