"""Functions of abstract classes and protocols: inputs are objects of the classes behind these."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.sampling.prompting import sample_call
from assay_engine.specification.specification import FAMILY_MAX, specify
from assay_engine.types import Code, Status
from support.specifying import unit_of
from support.trials import put_on_trial, scripted

SHAPES = '''\
from __future__ import annotations
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Protocol


class Shape(ABC):
    @abstractmethod
    def area(self) -> int: ...

    def is_larger(self, other: Shape) -> bool:
        """Whether this shape's area is greater than that of the other."""
        return self.area() COMPARED other.area()


@dataclass
class Rectangle(Shape):
    width: int
    height: int

    def area(self) -> int:
        return abs(self.width * self.height)


@dataclass
class Square(Shape):
    side: int

    def area(self) -> int:
        return self.side**2


@dataclass
class Drawing:
    shapes: list[Shape] = field(default_factory=list)


class Measured(Protocol):
    def area(self) -> int: ...


class Unrelated:
    pass


def total(drawing: Drawing) -> int:
    """The sum of the areas of all shapes of the drawing."""
    return sum(shape.area() for shape in drawing.shapes) BODY


def doubled(measured: Measured) -> int:
    """Twice the area."""
    return measured.area() * 2 BODY
'''
TOTAL = (
    "def total(drawing: Drawing) -> int:\n    return sum(map(lambda s: s.area(), drawing.shapes))"
)
DOUBLED = "def doubled(measured: Measured) -> int:\n    return 2 * measured.area()"
LARGER = "def is_larger(self, other: Shape) -> bool:\n    return other.area() < self.area()"
PROPOSED = {
    "total": [
        "total(Drawing())",
        "total(Drawing([Square(2)]))",
        "total(Drawing([Rectangle(1, 2), Square(3)]))",
    ],
    "doubled": ["doubled(Square(1))", "doubled(Rectangle(2, 5))"],
    "Shape.is_larger": [
        "Square(2).is_larger(Square(1))",
        "Square(1).is_larger(Rectangle(1, 1))",
        "Rectangle(1, 3).is_larger(Square(2))",
    ],
}


def module(body: str = "", compared: str = ">") -> str:
    return SHAPES.replace("BODY", body).replace("COMPARED", compared)


@pytest.mark.parametrize(
    ("qualname", "reply"),
    [("total", TOTAL), ("doubled", DOUBLED), ("Shape.is_larger", LARGER)],
)
async def test_what_is_right_is_trusted_on_objects_of_the_classes_behind_it(
    executor: Executor, qualname: str, reply: str
) -> None:
    model = scripted([reply] * 10, PROPOSED[qualname])
    report = await put_on_trial(executor, module(), qualname, model)
    assert report.verdict.status is Status.TRUSTED
    assert report.verdict.inputs_in_domain == len(PROPOSED[qualname])


@pytest.mark.parametrize(
    ("qualname", "reply", "text"),
    [
        ("total", TOTAL, module(body="- (len(drawing.shapes) > 1)")),
        ("doubled", DOUBLED, module(body="- (measured.area() > 3)")),
        ("Shape.is_larger", LARGER, module(compared=">=")),
    ],
)
async def test_a_fault_is_shown_with_an_object_of_a_class_behind_it(
    executor: Executor, qualname: str, reply: str, text: str
) -> None:
    model = scripted([reply] * 10, PROPOSED[qualname])
    report = await put_on_trial(executor, text, qualname, model)
    found = next(each for each in report.findings if each.code is Code.DIFFERS)
    assert found.witness is not None
    assert "Square(" in found.message or "Rectangle(" in found.message


@pytest.mark.parametrize(
    ("qualname", "named"),
    [
        ("total", {"Rectangle", "Square"}),
        ("doubled", {"Drawing", "Rectangle", "Square"}),
        ("Shape.is_larger", {"Rectangle", "Square"}),
        ("Rectangle.area", {"Rectangle"}),
    ],
)
def test_the_model_is_shown_the_classes_behind_it_and_no_others(
    qualname: str, named: set[str]
) -> None:
    text = module().replace(
        "    def area(self) -> int:\n", '    def area(self) -> int:\n        """Of it."""\n'
    )
    text = text.replace("    shapes: list", "    area = 3\n    shapes: list")
    specification = specify(text, unit_of(text, qualname))
    known = {"Drawing", "Rectangle", "Square", "Unrelated"}
    shown = {name for name in known if f"class {name}" in specification.context}
    assert shown - ({"Drawing"} if qualname == "total" else set()) == named


def test_a_method_of_an_abstract_class_is_called_on_what_derives_from_it() -> None:
    specification = specify(module(), unit_of(module(), "Shape.is_larger"))
    assert sample_call(specification) == "Rectangle(…).is_larger(other)"


def test_of_a_large_family_a_few_are_shown() -> None:
    members = "".join(
        f"class Leaf{number}(Tree):\n    number = {number}\n\n" for number in range(30)
    )
    function = 'def f(tree: Tree) -> int:\n    """Of a tree."""\n    return tree.number\n'
    text = f"class Tree:\n    pass\n\n\n{members}{function}"
    specification = specify(text, unit_of(text, "f"))
    assert specification.context.count("(Tree)") == FAMILY_MAX


EVENTS = '''\
from dataclasses import dataclass


@dataclass
class Event:
    title: str


@dataclass
class Assigned(Event):
    person: str = ""


@dataclass
class Closed(Event):
    pass


def assignments(events: list[Event]) -> int:
    """How many of the events say that something was assigned, of derived classes, too."""
    return sum(TESTED for event in events)
'''
EVENTS += "\n\n@dataclass\nclass Reassigned(Assigned):\n    pass\n"
ASSIGNED = (
    "def assignments(events):\n    return len([e for e in events if isinstance(e, Assigned)])"
)
OF_EVENTS = [
    "assignments([])",
    "assignments([Event('a'), Assigned('b', 'c'), Closed('d')])",
    "assignments([Reassigned('a', 'b'), Event('c')])",
]


@pytest.mark.parametrize(
    ("tested", "status"),
    [("isinstance(event, Assigned)", Status.TRUSTED), ("type(event) is Assigned", Status.SUSPECT)],
)
async def test_what_derives_from_a_class_can_be_given_beside_it(
    executor: Executor, tested: str, status: Status
) -> None:
    text = EVENTS.replace("TESTED", tested)
    model = scripted([ASSIGNED] * 10, OF_EVENTS)
    report = await put_on_trial(executor, text, "assignments", model)
    assert report.verdict.status is status


def test_what_derives_from_its_own_class_is_no_part_of_a_method() -> None:
    text = """\
class Base:
    def __init__(self, x: int) -> None:
        self.x = x

    def f(self) -> int:
        \'\'\'Twice x.\'\'\'
        return 2 * self.x


class Derived(Base):
    pass
"""
    assert "Derived" not in specify(text, unit_of(text, "Base.f")).program


RANGES = '''\
from dataclasses import dataclass


@dataclass
class Range:
    low: int
    high: int

    def width(self, other: "Range | None" = None) -> int:
        """From low to high, or to the other's high, and nothing if that lies below."""
        return max(0, (other or self).high - self.low)


@dataclass
class Reversed(Range):
    def width(self, other: "Range | None" = None) -> int:
        return -1


@dataclass
class Named(Range):
    name: str = ""
'''
WIDTH = "def width(self, other=None):\n    return max((other or self).high - self.low, 0)"


async def test_a_method_is_not_called_on_what_has_its_own(executor: Executor) -> None:
    proposed = ["Reversed(1, 5).width()", "Range(1, 5).width()", "Named(2, 3, 'a').width()"]
    model = scripted([WIDTH] * 10, proposed)
    report = await put_on_trial(executor, RANGES, "Range.width", model)
    assert report.verdict.status is Status.TRUSTED
    assert report.verdict.inputs_run == 2
    wrong = RANGES.replace(
        "max(0, (other or self).high - self.low)", "(other or self).high - self.low"
    )
    proposed += ["Reversed(5, 1).width()", "Range(1, 7).width(Named(5, -4, 'b'))"]
    report = await put_on_trial(executor, wrong, "Range.width", scripted([WIDTH] * 10, proposed))
    (finding,) = report.findings
    assert finding.message.startswith("Range(low=1, high=7).width(Named(")


def test_a_class_that_is_made_of_abstract_things_brings_these() -> None:
    text = (
        SHAPES
        + """

class Frame:
    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def room(self) -> int:
        \'\'\'Twice the area.\'\'\'
        return 2 * self.shape.area()


def listed(**shapes: Shape) -> int:
    \'\'\'How many.\'\'\'
    return len(shapes)
"""
    )
    for qualname in ("Frame.room", "listed"):
        assert "class Square" in specify(text, unit_of(text, qualname)).program


def test_what_is_no_object_stands_for_no_protocol() -> None:
    text = """\
from typing import Protocol, TypedDict

class Closing(Protocol):
    def close(self) -> int: ...

class Entry(TypedDict):
    close: int

class Door:
    def __init__(self):
        self.close = lambda: 3

def f(closing: Closing) -> int:
    \'\'\'What it gives.\'\'\'
    return closing.close()
"""
    program = specify(text, unit_of(text, "f")).program
    assert "class Door" in program
    assert "class Entry" not in program


@pytest.mark.parametrize("given", ["int | {}", "'int | {}'", "Held"])
def test_an_annotation_may_be_as_deep_as_python_reads_it(given: str) -> None:
    deep = " | ".join(["int"] * 900)
    text = f"""\
class Held:
    def __init__(self, x: {deep}) -> None:
        self.x = x

def f(x: {given.format(deep)}) -> int:
    \'\'\'Doc.\'\'\'
    return 3
"""
    assert specify(text, unit_of(text, "f")).parameters
