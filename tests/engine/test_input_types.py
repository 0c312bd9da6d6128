"""Inputs by type: what annotations give, the same with the same seed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import PurePosixPath

import pytest
from msgspec.structs import replace

from assay_engine.inputs.typed import typed_calls
from assay_engine.types import Specification
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Member, Scalar, Value, render
from support.specifying import specified

CONTEXT = """
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, InitVar, dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Callable, Generic, Literal, NamedTuple, NewType, Optional, Protocol
from typing import TypedDict, TypeVar, Union

Money = Decimal
UserId = NewType("UserId", int)
T = TypeVar("T")
Second = TypeVar("Second")


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


Pair = tuple[T, T]
Table = dict[tuple[T], Second]
Again = T | Again[list[T]] | Again[set[T]] | Again[dict[T, T]] | Again[tuple[T]] | Again[deque[T]]
Json = Union[dict[str, "Json"], list["Json"], str, int, float, bool, None]


@dataclass
class Node:
    value: int
    next: "Node | None" = None


@dataclass
class Tree:
    value: int
    children: list["Tree"] = field(default_factory=list)


class Box(Generic[T]):
    def __init__(self, item: T) -> None:
        self.item = item


class Ringed(Generic[T]):
    def __init__(self, item: "T", kind: "Literal['T'] | T", after: "Ringed[T] | None") -> None:
        self.item = item


class Mixed(Box[Second], Generic[T, Second]):
    def __init__(self, k: T, v: Second) -> None:
        self.pair = k, v


@dataclass
class Chained:
    next: Self | None


class Schema(TypedDict):
    kind: str
    one: Schema | None
    other: Schema | None
    several: list[Schema]
    named: dict[str, Schema] | None


class Ordered(Protocol):
    def __lt__(self, other: object, /) -> bool: ...


class Reader(Protocol):
    def read(self, count: int) -> bytes: ...


Least = TypeVar("Least", bound=Ordered)


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...


@dataclass
class Square(Shape):
    side: int

    def area(self) -> float:
        return self.side**2


class Rarely(Protocol):
    def __lt__(self, other: object, /) -> bool: ...

    def get(self, number: int) -> bytes: ...


class Endless(ABC):
    @abstractmethod
    def next(self) -> int: ...


@dataclass
class Rootless:
    again: "Rootless"


class Grown(ABC):
    @property
    @abstractmethod
    def size(self) -> int: ...


@dataclass
class Grain(Grown):
    size: int = 0


@dataclass
class Wide:
    left: "Wide | None"
    right: "Wide | None"
    below: list["Wide"]
    named: dict[str, "Wide"]


@dataclass
class Even:
    one: "Odd | None"
    other: "Odd | None"
    third: "Odd | None"


@dataclass
class Odd:
    one: "Even | None"
    other: "Even | None"
    third: "Even | None"


class Term:
    pass


@dataclass
class Number(Term):
    value: int


@dataclass
class Sum(Term):
    left: Term
    right: Term


class Linked:
    def __init__(self, value: int, after: "Linked | None" = None) -> None:
        self.value, self.after = value, after


class Kept:
    def __init__(self, number: int, log=None, call: Callable = print, *, name: str) -> None:
        self.number = number


class Marked(TypedDict):
    text: str
    size: NotRequired[int]
    parent: NotRequired["Marked"]


class Measured(ABC):
    @property
    @abstractmethod
    def size(self) -> int: ...

    @abstractmethod
    def unit(self) -> str: ...


class Metric:
    def unit(self) -> str:
        return "inch"


class Inch(Metric, Measured):
    def __init__(self, size: int) -> None:
        self.given = size

    size = property(lambda self: self.given)


class Step:
    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, count: int) -> int:
        'What becomes of the count.'
        raise NotImplementedError(self.name)


class Doubling(Step):
    def run(self, count: int) -> int:
        return 2 * count


class Unfinished(Step):
    def stop(self) -> None:
        raise NotImplementedError


class Lone:
    def __init__(self, name: str) -> None:
        self.name = name

    def run(self) -> int:
        raise NotImplementedError


class Partly(Lone):
    def run(self) -> int:
        if self.name:
            return len(self.name)
        raise NotImplementedError


class Giving(Protocol):
    given: bytes

    def give(self, count: int) -> bytes: ...


@dataclass
class Given:
    given: bytes

    def give(self, count: int) -> bytes:
        return self.given * count


@dataclass
class Ended:
    again: "Ended" = field(default=...)


@dataclass
class Late:
    first: int
    _: KW_ONLY
    seed: InitVar[int]


"""


def specification(parameters: str) -> Specification:
    used = (
        "Colour, Named, Point, Shown, Row, Money, UserId, T, Pair, Json, Node, Tree, Box, Ringed, "
    )
    used += "Ordered, Reader, Least, Rarely, Endless, Sum, Late, Again, "
    used += "Odd, Table, Mixed, Chained, Schema, "
    used += "Rootless, Wide, Linked, Marked, Measured, Ended, Kept"
    body = f'"""Does."""\n    return [{used}]'
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
        ("Point", lambda v: re.match(r"(Point|Placed|Shown)\(x=", v.source)),
        ("Placed", lambda v: re.fullmatch(r"(Placed|Shown)\(x=.*, label=.*, y=.*\)", v.source)),
        ("Shown", lambda v: re.fullmatch(r"Shown\(x=.*, label=.*, y=.*\)", v.source)),
        ("Named", lambda v: re.fullmatch(r"Named\(start=[-0-9]+, step=[-0-9]+\)", v.source)),
        ("Linked", lambda v: re.match(r"Linked\(value=[-0-9]+, after=(None|Linked)", v.source)),
        ("Kept", lambda v: re.fullmatch(r"Kept\(number=[-0-9]+, name=['\"].*\)", v.source)),
        ("Marked", lambda v: "text" in v and v.keys() <= {"text", "size", "parent"}),
        ("Measured", lambda v: re.fullmatch(r"Inch\(size=[-0-9]+\)", v.source)),
        ("Giving", lambda v: re.fullmatch(r"Given\(given=b.*\)", v.source)),
        ("Step", lambda v: v.source.startswith("Doubling(name=")),
        ("Unfinished", lambda v: v.source.startswith("Unfinished(name=")),
        ("Lone", lambda v: v.source.startswith("Partly(name=")),
        ("Ended", lambda v: re.match(r"Ended\((again=Ended\()*\)", v.source)),
        ("Row", lambda v: set(v) == {"name", "count"}),
        ("Priced", lambda v: set(v) == {"name", "count", "cents"}),
        ("list", lambda v: type(v) is list),
        ("Sized", lambda v: type(v) is list),
        ("Reversible[str]", lambda v: all(type(i) is str for i in v)),
        ("SupportsIndex", lambda v: type(v) is int),
        ("bytearray", lambda v: type(v) is bytearray),
        ("range", lambda v: v.type_name == "range"),
        ("UUID", lambda v: re.fullmatch("[0-9a-f]{32}", v.text)),
        ("Table[str, bool]", lambda v: all(type(k[0]) is str for k in v)),
        ("Mixed[int, str]", lambda v: re.match(r"Mixed\(k=[-0-9]+, v=['\"]", v.source)),
        ("Again[int]", lambda v: len(str(v)) < 3_000),
        ("Schema", lambda v: len(str(v)) < 3_000),
        ("list[str] | bytes | bool | float | dict[int, int] | set[int] | None", lambda v: True),
        ("Pair[str]", lambda v: len(v) == 2 and all(type(i) is str for i in v)),
        ("Box[bool]", lambda v: re.fullmatch(r"Box\(item=\w+\)|Mixed\(k=.*, v=\w+\)", v.source)),
        ("Ringed[bytes]", lambda v: re.match(r"Ringed\(item=b.*, kind=(b|'T').*\)", v.source)),
        ("Box", lambda v: re.fullmatch(r"Box\(item=[-0-9]+\)|Mixed\(k=.*\)", v.source)),
        ("list[Least]", lambda v: all(type(i) is int for i in v)),
        ("Ordered", lambda v: type(v) is int),
        ("Shape", lambda v: re.fullmatch(r"Square\(side=[-0-9]+\)", v.source)),
        ("Grown", lambda v: re.fullmatch(r"Grain\(size=[-0-9]+\)", v.source)),
        ("Term", lambda v: re.match(r"(Number|Sum)\(", v.source) and "Term(" not in v.source),
        ("Late", lambda v: re.fullmatch(r"Late\(first=.*, seed=[-0-9]+\)", v.source)),
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
        "Reader",
        "Endless",
        "1 + 1",
        "list[",
        "Literal[{[]: 1}]",
        "Literal[()]",
        "Union[()]",
        "Rootless",
        "Rarely",
    ],
)
def test_an_unknown_type_is_named(annotation: str) -> None:
    parameters = f"x: {annotation!r}" if annotation == "list[" else f"x: {annotation}"
    calls, missing = typed_calls(specification(parameters), (), count=10, seed=0)
    assert calls == ()
    assert missing


@pytest.mark.parametrize(
    ("annotation", "levels"),
    [
        ("Node", {"Node(value=1, next=None)", "Node(value=1, next=Node(value=1, next=None))"}),
        (
            "Tree",
            {
                "Tree(value=1, children=[])",
                "Tree(value=1, children=[Tree(value=1, children=[])])",
                "Tree(value=1, children=[Tree(value=1, children=[]), Tree(value=1, children=[])])",
            },
        ),
        (
            "Sum",
            {
                "Sum(left=Number(value=1), right=Number(value=1))",
                "Sum(left=Sum(left=Number(value=1), right=Number(value=1)), right=Number(value=1))",
            },
        ),
        ("Chained", {"Chained(next=None)", "Chained(next=Chained(next=None))"}),
        ("Even", {"Even(one=None, other=None, third=None)"}),
        ("Wide", {"Wide(left=None, right=None, below=[], named={})"}),
        ("Linked", {"Linked(value=1, after=Linked(value=1, after=None))"}),
    ],
)
def test_what_leads_back_to_itself_does_so_a_few_times(annotation: str, levels: set[str]) -> None:
    calls, _ = typed_calls(specification(f"x: {annotation}"), (), count=300, seed=0)
    sources = [re.sub("-?[0-9]+", "1", call.args[0].source) for call in calls]
    assert levels <= set(sources)
    assert max(map(len, sources)) < 3_000


def test_a_type_of_several_that_leads_back_to_itself_is_each_of_them() -> None:
    found = values("x: Json")
    assert {dict, list, str, int, float, bool, type(None)} == set(map(type, found))
    assert any(isinstance(value, list) and value for value in found)


NEWER = """
type Pair[K, V] = tuple[V, K]
type Nested = list[Nested] | int


class Stack[T: bytes]:
    def __init__(self, item: T) -> None:
        self.item = item


"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="this Python does not parse it")
@pytest.mark.parametrize(
    ("header", "fits"),
    [
        ("def f[T](x: list[T]):", lambda v: all(type(i) is int for i in v)),
        ("def f[T: str](x: T):", lambda v: type(v) is str),
        ("def f[T: (bytes, str)](x: T):", lambda v: type(v) is bytes),
        ("def f(x: Stack):", lambda v: v.source.startswith(("Stack(item=b'", 'Stack(item=b"'))),
        ("def f(x: Pair[int, str]):", lambda v: type(v[0]) is str and type(v[1]) is int),
        ("def f(x: Stack[bool]):", lambda v: v.source.startswith(("Stack(item=T", "Stack(item=F"))),
        ("def f(x: Nested):", lambda v: type(v) in (int, list)),
    ],
)
def test_parameters_of_types_may_stand_in_brackets(
    header: str, fits: Callable[[Value], bool]
) -> None:
    text = f'{NEWER}{header}\n    """Does."""\n    return [Pair, Stack, Nested]\n'
    calls, missing = typed_calls(specified(text, "f"), (), count=40, seed=0)
    assert missing is None
    assert calls
    assert all(fits(call.args[0]) for call in calls)


@pytest.mark.parametrize(
    ("annotation", "kind"), [("*tuple[str, ...]", str), ("*tuple[str, str]", str), ("*Ts", int)]
)
def test_the_types_of_further_arguments_may_be_unpacked(annotation: str, kind: type) -> None:
    text = f'def f(*rest: {annotation}):\n    """Does."""\n    return rest\n'
    calls, missing = typed_calls(specified(text), (), count=20, seed=0)
    assert missing is None
    assert any(call.args for call in calls)
    assert all(type(each) is kind for call in calls for each in call.args)


def test_a_method_is_given_objects_of_its_own_class() -> None:
    text = (
        "class Money:\n    def __init__(self, cents: int) -> None:\n        self.cents = cents\n"
        '    def plus(self, other: Self) -> int:\n        """Does."""\n        return 1\n'
    )
    calls, missing = typed_calls(specified(text, "Money.plus"), (), count=20, seed=0)
    assert missing is None
    assert all(call.args[1].source.startswith("Money(cents=") for call in calls)


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


DERIVED = '''
from enum import IntEnum


class Weekday(IntEnum):
    MON = 0
    SUN = 6

    def following(self) -> "Weekday":
        """The next day."""


class Slug(str):
    def __new__(cls, text: str) -> "Slug":
        return super().__new__(cls, text.lower())

    def words(self) -> list[str]:
        """The words."""


class Stack(list[int]):
    def top(self) -> int:
        """The last."""


class Prices(dict[str, float]):
    def cheapest(self) -> str:
        """The name of the cheapest."""
'''


@pytest.mark.parametrize(
    ("method", "written"),
    [
        ("Weekday.following", "Weekday.SUN"),
        ("Slug.words", "Slug(text='"),
        ("Stack.top", "Stack([1"),
        ("Prices.cheapest", "Prices({'"),
    ],
)
def test_objects_of_what_derives_from_a_built_in_type_are_made_of_its_values(
    method: str, written: str
) -> None:
    calls, missing = typed_calls(specified(DERIVED, method), [], count=40, seed=0)
    assert missing is None
    assert any(render(call.args[0]).startswith(written) for call in calls)
