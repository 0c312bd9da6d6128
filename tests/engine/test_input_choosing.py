"""Which inputs are run: the order of origins, and what fits the annotations."""

from __future__ import annotations

import pytest

from assay_engine.inputs.admission import Admission
from assay_engine.inputs.gather import AFFORDED_MAX, AFFORDED_MIN, chosen, inputs_within
from assay_engine.inputs.proposed import Proposal
from assay_engine.types import Origin, Specification
from assay_sandbox import Call, Container, Expression, Instance, Member, Scalar, Value
from support.specifying import specified

MODULE = """
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any, Iterable, Literal, Mapping, NewType, Optional, Protocol, Sequence, TypedDict
from typing import NotRequired, Required, TypeVar, Union

T = TypeVar("T", int, str)
UserId = NewType("UserId", int)
Pairs = list[tuple[int, str]]


class Colour(Enum):
    RED = 1


class Row(TypedDict):
    name: str


class Derived(Row):
    age: int


class Partial(TypedDict, total=False):
    name: str


class Marked(TypedDict):
    name: NotRequired[str]
    age: "int"


class Sparse(TypedDict, total=False):
    name: Required[str]
    age: int


@dataclass
class Point:
    x: int
    tags: list


"""


def specification(parameters: str) -> Specification:
    body = '"""Does."""\n    return [Colour, Row, Point, T, UserId, Pairs]'
    text = f"{MODULE}def f({parameters}):\n    {body}\n"
    return specified(text, "f")


def numbered(*numbers: int) -> list[Call]:
    return [Call((number,)) for number in numbers]


def test_examples_come_first_and_each_call_once() -> None:
    proposed = [Proposal(call) for call in numbered(2, 1, 3, 2, 4)]
    found = chosen(numbered(1), proposed, limit=3)
    assert [(entry.call.args[0], entry.origin) for entry in found] == [
        (1, Origin.EXAMPLE),
        (2, Origin.PROPOSED),
        (3, Origin.PROPOSED),
    ]
    assert len(chosen(numbered(1), proposed, limit=40)) == 4
    assert chosen([], [], limit=40) == ()


def test_the_budget_is_in_calls() -> None:
    assert inputs_within(1200, 12) == 100
    assert inputs_within(1200, 6) == 200
    assert inputs_within(10, 12) == AFFORDED_MIN
    assert inputs_within(10**6, 2) == AFFORDED_MAX


@pytest.mark.parametrize(
    ("annotation", "fits", "misfits"),
    [
        ("int", [1, True], [1.0, "1", None]),
        ("float", [1.5, 1], ["1", None]),
        ("str", [""], [b"", 1]),
        ("None", [None], [0]),
        ("list[int]", [[], [1]], [["a"], [1, None], (1,)]),
        ("Sequence[int]", [[1], (1,)], [["a"], {1}, 1]),
        ("Iterable[int]", [[1], (1,), {1}], [["a"], {"a"}]),
        ("tuple[int, str]", [(1, "a")], [(1,), ("a", 1), [1, "a"], (1, "a", "b")]),
        ("tuple[int, ...]", [(), (1, 2)], [("a",)]),
        ("dict[str, list[int]]", [{}, {"a": [1]}], [{1: [1]}, {"a": ["b"]}, [("a", [1])]]),
        ("Mapping[str, int]", [{"a": 1}], [{"a": "b"}, [1]]),
        ("set[int]", [{1}], [{"a"}, [1]]),
        ("Optional[int]", [None, 1], ["a"]),
        ("int | None", [None, 1], ["a"]),
        ("Union[int, list[str]]", [1, ["a"]], [[1]]),
        ("'list[int]'", [[1]], [["a"]]),
        ("Literal['a', 2]", ["a", 2], ["b"]),
        ("UserId", [1], ["a"]),
        ("Pairs", [[(1, "a")]], [[(1, 2)]]),
        (
            "Colour",
            [Member("Colour", "RED")],
            [1, Member("Colour", "BLUE"), Member("Other", "RED")],
        ),
        ("Row", [{"name": "a"}], [{"name": 1}, {"other": "a"}, {}, []]),
        ("Partial", [{}, {"name": "a"}], [{"name": 1}]),
        ("Marked", [{"age": 1}, {"age": 1, "name": "a"}], [{}, {"name": "a"}]),
        ("Derived", [{"name": "a", "age": 1}], [{"name": "a"}, {"age": 1}, {"name": 1, "age": 1}]),
        ("Sparse", [{"name": "a"}, {"name": "a", "age": 1}], [{}, {"age": 1}]),
        ("Point", [Instance("Point", ()), Instance("Sub", ())], [1, {"x": 1}]),
        ("date", [Scalar("datetime.date", "2024-01-01")], ["2024-01-01"]),
        ("Decimal", [Scalar("decimal.Decimal", "1")], [1]),
        # What is not understood refuses nothing.
        ("T", [1, "a", None], []),
        ("Protocol", [1], []),
        ("Any", [1], []),
        ("1 + 1", [1], []),
        ("int", [Expression("make()")], []),
        (
            "deque[int]",
            [Container("collections.deque", [1])],
            [Container("collections.deque", ["a"])],
        ),
    ],
)
def test_arguments_of_the_annotated_type(
    annotation: str, fits: list[Value], misfits: list[Value]
) -> None:
    admission = Admission(specification(f"x: {annotation}"))
    assert [value for value in fits if not admission.admits(Call((value,)))] == []
    assert [value for value in misfits if admission.admits(Call((value,)))] == []


def test_every_way_of_passing_an_argument_is_looked_at() -> None:
    admission = Admission(specification("x, /, *rest: int, flag: bool = False, **more: str"))
    assert admission.admits(Call(("anything", 1, 2), (("flag", True),)))
    assert not admission.admits(Call((0, 1, "2")))
    assert not admission.admits(Call((0,), (("flag", "yes"),)))
    assert admission.admits(Call((0,), (("other", 1),)))
