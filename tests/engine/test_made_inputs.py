"""Inputs that are made: they fit annotations, and a smaller one still shows the difference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_engine.compare.ensemble import Ensemble, votes_on
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.policy import Policy
from assay_engine.compare.versions import compare, pair, smaller, smallest
from assay_engine.compare.votes import ACCUSING, Standing
from assay_engine.inputs.admission import Admission
from assay_engine.inputs.made_calls import (
    Known,
    kinds_of,
    literals_in,
    made_calls,
    unknown_kinds,
)
from assay_engine.types import Input, Origin
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Program, Returned, Value, encode
from support.specifying import specified

CLASSES = """
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Callable, Iterator, Literal, NewType, TypedDict, TypeVar

T = TypeVar("T", int, str)
Name = NewType("Name", str)
Row = list[tuple[int, str]]

class Colour(Enum):
    RED = 1

class Box(TypedDict):
    size: int

@dataclass
class Point:
    x: int
    y: float
"""


def made(signature: str, *known: Call) -> tuple[Call, ...]:
    text = f'{CLASSES}\ndef f({signature}):\n    """Words."""\n    return 12, 2.5, "a b", b"c"\n'
    specification = specified(text, "f")
    calls = made_calls(specification, Known(known, literals_in(text)), limit=60)
    assert calls == made_calls(specification, Known(known, literals_in(text)), limit=60)
    assert len(set(map(call_key, (*known, *calls)))) == len(known) + len(calls)
    assert all(map(Admission(specification).admits, calls))
    return calls


@pytest.mark.parametrize(
    "annotation",
    [
        *("int", "float", "complex", "bool", "str", "bytes", "None", "int | None", "T", "Name"),
        *("list[int]", "set[str]", "frozenset[bytes]", "dict[str, list[int]]", "Row", "Box"),
        *("tuple[int, str]", "tuple[int, ...]", "Literal[1, 'a']", "Annotated[int, 3]"),
        *("Colour", "Point", "list[Point]", "Any", "Callable[[int], int]", "Iterator[int]"),
    ],
)
def test_made_calls_fit_the_annotations(annotation: str) -> None:
    assert made(f"value: {annotation}")


def test_calls_like_a_known_one_fit_too() -> None:
    known = Call(([1, 2, 3], "one two"), (("more", {"a": 1.5}),))
    calls = made("a: list[int], b: str, *rest: int, more: dict[str, float] | None = None", known)
    assert {len(call.args) for call in calls} >= {2, 3}
    assert any(call.kwargs == known.kwargs and call.args != known.args for call in calls)


def test_known_values_and_defaults_tell_the_kinds_of_what_has_no_annotation() -> None:
    specification = specified("def f(a, b, c=2, d=None):\n    pass\n")
    known = Known((Call(({"k": [1, "x"]},)), Call(((1, 2),))))
    assert kinds_of(specification, known) == {
        "a": ("dict[str, list[int | str]]", "tuple[int, int]", "tuple[int, ...]"),
        "c": ("int",),
    }
    assert unknown_kinds(specification, known) == ("b", "d")
    assert made_calls(specification, known, limit=5) == ()


def size(value: Value) -> float:
    match value:
        case dict():
            return 1 + sum(1 + size(key) + size(item) for key, item in value.items())
        case list() | tuple():
            return 1 + sum(1 + size(item) for item in value)
        case str() | bytes():
            return 1 + len(value)
        case int() | float():
            return abs(value) + (value < 0) / 2
        case _:
            return 0


VALUES = st.recursive(
    st.booleans()
    | st.integers(-99, 99)
    | st.integers(-36, 36).map(lambda quarters: quarters / 4)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=1), inner),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_each_step_is_smaller(one: Value, other: Value) -> None:
    call = Call((one,), (("other", other),))
    for each in smaller(call):
        assert sum(map(size, each.values)) + len(each.kwargs) < size(one) + size(other) + 1


async def test_a_smaller_input_shows_the_same_difference(executor: Executor) -> None:
    own = specified("def f(values: list[int], top: int = 9) -> int:\n    return max(values)\n")
    other = Program("def f(values, top=9):\n    return min(max(values), 2)\n", "f")
    ensemble = pair(own, other, ())
    first = Call(([3, 90, 61, 4],), (("top", 7),))
    found = await compare(executor, ensemble, [Input(first, Origin.MADE)], within=executor)
    assert found.difference is not None
    shown = await smallest(executor, ensemble, found.difference)
    assert shown.input.call == Call(([3],))
    (again,) = await votes_on(executor, ensemble, [shown.input])
    assert again.standing in ACCUSING
    assert again.original.observation == Returned(encode(3))


async def test_the_policy_of_an_ensemble_says_what_differs(executor: Executor) -> None:
    own = specified("def f(x: float) -> float:\n    return x * 1.001\n")
    other = Program("def f(x):\n    return x\n", "f")
    entry = Input(Call((2.0,)), Origin.PROPOSED)
    for policy, standing in [(Policy(), Standing.DIFFERS), (Policy(0.01), Standing.AGREES)]:
        ensemble = Ensemble((program_of(own), other), (4,), (), policy)
        (seen,) = await votes_on(executor, ensemble, [entry])
        assert seen.standing is standing
