"""Finds where in a value two programs differ, as expressions whose value a prompt shows."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from assay_engine.running.imported import as_imported
from assay_engine.syntax.parsing import parse_expression
from assay_sandbox import Expression, Instance, Value, render

# How deep objects within each other are looked into.
DEPTH_MAX = 6


def questions(
    at: ast.expr, mine: Value, theirs: Value, program: str, depth: int = DEPTH_MAX
) -> Iterator[ast.expr]:
    """Expressions that ask for the difference between `mine` and `theirs`, two values left at `at`.

    Objects are looked into. What a prompt shows of an object, if anything, would say more than the
    difference.
    """
    match mine, theirs:
        case _ if not depth:
            yield at
        case Instance(), Instance() if _fields(mine).keys() == _fields(theirs).keys():
            differing = [name for name in _fields(mine) if _differ(mine, theirs, name)]
            for name in _public_first(differing):
                one, other = _fields(mine)[name], _fields(theirs)[name]
                yield from questions(_attribute(at, name), one, other, program, depth - 1)
        case (Expression(), Instance() as known) | (Instance() as known, Expression()):
            # The value that the expression makes is known only inside the sandbox.
            yield from (_attribute(at, name) for name in _public_first(_fields(known)))
        case (list() | tuple(), list() | tuple()) | (dict(), dict()) if _has_objects(mine, theirs):
            one, other = _items(mine), _items(theirs)
            for key in one:
                if render(one[key]) != render(other[key]):
                    yield from questions(
                        _item(at, key, program), one[key], other[key], program, depth - 1
                    )
        case (None, _) | (_, None):
            # A prompt shows nothing for None, and for many objects it shows where they are in
            # memory.
            yield at
            yield ast.Compare(at, [ast.Is()], [ast.Constant(None)])
        case _:
            yield at


def _fields(value: Instance) -> dict[str, Value]:
    return {name: item for name, item in value.fields if name.isidentifier()}


def _differ(mine: Instance, theirs: Instance, name: str) -> bool:
    return render(_fields(mine)[name]) != render(_fields(theirs)[name])


def _public_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: name.startswith("_"))


def _has_objects(mine: Value, theirs: Value) -> bool:
    """Whether both values have the same indices or keys, and objects among their items differ."""
    one, other = _items(mine), _items(theirs)
    return [*one] == [*other] and any(
        isinstance(each, Instance) and render(each) != render(other[key])
        for key, each in one.items()
    )


def _items(value: Value) -> dict[Value, Value]:
    if isinstance(value, dict):
        return cast("dict[Value, Value]", value)
    return dict(enumerate(cast("Sequence[Value]", value)))


def _attribute(at: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(at, name, ast.Load())


def _item(at: ast.expr, key: Value, program: str) -> ast.expr:
    written = parse_expression(as_imported(render(key), program))
    return ast.Subscript(at, written or ast.Constant(None), ast.Load())
