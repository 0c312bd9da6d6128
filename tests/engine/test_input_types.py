"""Inputs by type: what annotations give, the same with the same seed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

import pytest
from msgspec.structs import replace

from assay_engine.inputs.choose import call_key
from assay_engine.inputs.typed import typed_calls
from assay_engine.types import Specification
from assay_sandbox import Call, Expression, Member, Scalar, Value
from support.specifying import specified

CONTEXT = """
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Callable, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar

Money = Decimal
UserId = NewType("UserId", int)
T = TypeVar("T")


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass
class Point:
    x: int
    label: str = ""
    tags: list[str] = field(default_factory=list)


@dataclass
class Placed(Point):
    y: int = 0


class Shown(Placed):
    pass


class Counter:
    def __init__(self, start: int, step: int = 1) -> None:
        self.at = start


class Named(Counter):
    def name(self) -> str:
        return str(self.at)


class Row(TypedDict):
    name: str
    count: int


class Priced(Row):
    cents: int


"""


def specification(parameters: str) -> Specification:
    body = '"""Does."""\n    return [Colour, Named, Point, Shown, Row, Money, UserId, T]'
    text = f"{CONTEXT}def f({parameters}):\n    {body}\n"
    return specified(text, "f")


def values(parameters: str, seen: tuple[Call, ...] = ()) -> list[Value]:
    calls, missing = typed_calls(specification(parameters), seen, count=40, seed=0)
    assert missing is None
    assert calls
    return [call.args[0] for call in calls]


@pytest.mark.parametrize(
    ("annotation", "fits"),
    [
        ("int", lambda v: type(v) is int),
        ("float", lambda v: type(v) is float),
        ("bool", lambda v: type(v) is bool),
        ("str", lambda v: type(v) is str),
        ("list[int]", lambda v: all(type(i) is int for i in v)),
        ("tuple[int, str]", lambda v: type(v) is tuple and type(v[1]) is str),
        ("tuple[int, ...]", lambda v: type(v) is tuple),
        ("dict[str, list[int]]", lambda v: all(type(k) is str for k in v)),
        ("set[int]", lambda v: type(v) is set),
        ("int | None", lambda v: v is None or type(v) is int),
        ("'int'", lambda v: type(v) is int),
        ("Literal['a', 2]", lambda v: v in ("a", 2)),
        ("date", lambda v: isinstance(v, Scalar) and v.type_name == "datetime.date"),
        ("Money", lambda v: isinstance(v, Scalar) and v.type_name == "decimal.Decimal"),
        ("Path", lambda v: isinstance(v, Scalar) and str(PurePosixPath(v.text)) == v.text),
        ("pathlib.PurePath", lambda v: v.type_name == "pathlib.PurePosixPath"),
        ("UserId", lambda v: type(v) is int),
        ("list[T]", lambda v: type(v) is list),
        ("Colour", lambda v: v in (Member("Colour", "RED"), Member("Colour", "BLUE"))),
        ("Point", lambda v: isinstance(v, Expression) and v.source.startswith("Point(x=")),
        ("Placed", lambda v: re.fullmatch(r"Placed\(x=.*, label=.*, y=.*\)", v.source)),
        ("Shown", lambda v: re.fullmatch(r"Shown\(x=.*, label=.*, y=.*\)", v.source)),
        ("Named", lambda v: re.fullmatch(r"Named\(start=[-0-9]+\)", v.source)),
        ("Row", lambda v: set(v) == {"name", "count"}),
        ("Priced", lambda v: set(v) == {"name", "count", "cents"}),
        ("list", lambda v: type(v) is list),
    ],
)
def test_an_annotation_gives_values_of_its_type(
    annotation: str, fits: Callable[[Value], bool]
) -> None:
    assert all(fits(value) for value in values(f"x: {annotation}"))


@pytest.mark.parametrize(
    "annotation",
    [
        "Callable[[int], int]",
        "Unheard",
        "1 + 1",
        "list[",
        "Literal[{[]: 1}]",
    ],
)
def test_an_unknown_type_is_named(annotation: str) -> None:
    parameters = f"x: {annotation!r}" if annotation == "list[" else f"x: {annotation}"
    calls, missing = typed_calls(specification(parameters), (), count=10, seed=0)
    assert calls == ()
    assert missing


def test_a_program_that_does_not_parse_has_no_inputs_by_type() -> None:
    broken = replace(specification("x: int"), program="def f(:\n")
    assert typed_calls(broken, (), count=10, seed=0) == ((), "a program that does not parse")


def test_the_same_seed_gives_the_same_calls() -> None:
    def keys(seed: int) -> list[str]:
        own = specification("x: dict[str, list[int]], *rest: int, flag: bool")
        return [call_key(call) for call in typed_calls(own, (), count=30, seed=seed)[0]]

    assert keys(0) == keys(0)
    assert keys(0) != keys(1)


def test_parameters_without_annotation_take_after_what_was_seen() -> None:
    drawn = values("x", (Call(([("a", 1)],)),))
    assert all(type(value) is list for value in drawn)
    assert any(value and type(value[0]) is tuple for value in drawn)


def test_text_uses_the_characters_of_the_examples() -> None:
    drawn = values("x: str", (Call(("1h30m",)),))
    assert any(value and set(value) <= set("1h30m") for value in drawn)


def test_keyword_only_and_variadic_parameters_are_passed_as_such() -> None:
    calls, _ = typed_calls(specification("*rest: int, flag: bool"), (), count=20, seed=0)
    assert any(len(call.args) > 1 for call in calls)
    assert all(call.kwargs[0][0] == "flag" for call in calls)
