"""Shrinking: smaller, still showing the same, and the same every time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_engine.search.shrinking import shrink, smaller_values
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Expression, Instance, Scene, Value


def smallest(value: Value, holds: Callable[[Value], bool]) -> Value:
    async def still_shows(calls: Sequence[Call]) -> list[bool]:
        return [holds(call.args[0]) for call in calls]

    return asyncio.run(shrink(Call((value,)), still_shows)).args[0]


def chain(first: int, second: int, rest: Value) -> Instance:
    last = Instance("Node", (("value", second), ("next", rest)))
    return Instance("Node", (("value", first), ("next", last)))


@pytest.mark.parametrize(
    ("value", "holds", "expected"),
    [
        ([5, 9, 9, 2, 7], lambda v: len(v) != len(set(v)), [0, 0]),
        (1000, lambda v: v >= 12, 12),
        (-40, lambda v: v < 0, -1),
        (73, lambda v: v > 50, 51),
        (2**40, lambda v: v > 987_654_321, 987_654_322),
        ([3, -343, 12], lambda v: any(n < -99 for n in v), [-100]),
        ([(900, 7), (8, 345)], lambda v: any(a > b + 100 for a, b in v), [(101, 0)]),
        ([97] * 60, lambda v: len(v) > 40, [0] * 41),
        ([97] * 20, lambda v: len(v) > 9 and v[-1] > 50, [0] * 9 + [51]),
        ("x" * 500 + "!" + "y" * 300, lambda v: "!" in v, "!"),
        ("hello world", lambda v: " " in v, " "),
        (b"hello world", lambda v: b" " in v, b" "),
        ({"a": [1, 2], "b": [3]}, lambda v: "b" in v, {"b": []}),
        ((7, "abc"), lambda v: v[0] > 2, (3, "")),
        (Instance("P", (("x", 9),)), lambda v: v.fields[0][1] > 0, Instance("P", (("x", 1),))),
        (
            chain(7, 5, chain(3, 4, None)),
            lambda v: v.fields[1][1] is not None,
            chain(0, 0, None),
        ),
        ([], lambda v: True, []),
        (None, lambda v: True, None),
    ],
)
def test_the_smallest(value: Value, holds: Callable[[Value], bool], expected: Value) -> None:
    assert smallest(value, holds) == expected


@pytest.mark.parametrize(
    ("source", "holds", "expected"),
    [
        (
            "Node(7, Node('é', Node(3, Node(3, Node(9, None)))))",
            lambda source: source.count("Node") > 2,
            "Node(0, Node(0, Node(0, None)))",
        ),
        (
            "Tree(1, [Tree(2, []), Tree(3, [Tree(4, []), Tree(5, [Tree(6, [])])])])",
            lambda source: "[Tree(" in source,
            "Tree(0, [Tree(0, [])])",
        ),
        ("Sum(Sum(Num(1), Num(2)), Num(3))", lambda source: "Sum" in source, "Sum(Num(0), Num(0))"),
        ("f(\n1)", lambda source: True, "f(\n1)"),
        ("not (an expression", lambda source: True, "not (an expression"),
    ],
)
def test_objects_within_objects_become_fewer(
    source: str, holds: Callable[[str], bool], expected: str
) -> None:
    found = smallest(Expression(source), lambda value: holds(value.source))
    assert found == Expression(expected)


@pytest.mark.parametrize("content", ["one\ntwo\n", b"one\ntwo\n"])
async def test_files_become_smaller_and_keep_their_kind(content: str | bytes) -> None:
    async def still_shows(calls: Sequence[Call]) -> list[bool]:
        return [call.scene is not None and len(call.scene.files[0][1]) >= 2 for call in calls]

    found = await shrink(Call(scene=Scene((("a", content),))), still_shows)
    assert found.scene is not None
    ((_name, left),) = found.scene.files
    assert type(left) is type(content)
    assert len(left) == 2


@given(st.recursive(st.integers() | st.text(max_size=4) | st.booleans(), st.lists, max_leaves=6))
def test_reductions_keep_the_type(value: Value) -> None:
    assert all(type(smaller) is type(value) for smaller in smaller_values(value))


@given(st.lists(st.integers(-50, 50), max_size=6))
def test_what_is_found_never_grows(value: list[int]) -> None:
    found = smallest(value, lambda v: sum(v) == sum(value))
    assert sum(found) == sum(value)
    assert len(call_key(Call((found,)))) <= len(call_key(Call((value,))))
