"""A name that stands in sentences holds nothing but a name."""

from __future__ import annotations

import pytest

from assay_sandbox import (
    Call,
    Cycle,
    Instance,
    Iterated,
    Member,
    Opaque,
    Program,
    Returned,
    Sandbox,
    Scalar,
    Told,
    decode,
    render,
)
from assay_sandbox.entries import UNNAMED, type_name


@pytest.mark.parametrize(
    "name",
    [
        "ValueError",
        "make.<locals>.Odd",
        "list[int]",
        "Größe",
        "numpy.ndarray:<i8",
        "numpy.ndarray:|V12",
        "numpy.ndarray:<M8[ns]",
        "numpy.ndarray:<M8[25s]",
    ],
)
def test_what_looks_like_a_name_stays(name: str) -> None:
    assert type_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "a b", "a\n\n![x](y)", "<mailto:x>", "numpy.ndarray:<i8>\n", "a" * 201, "\x1b[31m", "x:y"],
)
def test_what_does_not_is_replaced(name: str) -> None:
    assert type_name(name) == UNNAMED


ESCAPING = "A\n\x1b[31mPASSED"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Member("Colour", "RED"), "Colour.RED"),
        (Member("Rights", "READ|WRITE"), "Rights.READ|WRITE"),
        (Member("Colour", ESCAPING), r"Colour['A\n\x1b[31mPASSED']"),
        (Member("Colour", ""), "Colour['']"),
        (Instance("Point", (("x", 1), ("größe", 2))), "Point(x=1, größe=2)"),
        (Instance("Point", ((ESCAPING, 1),)), r"Point('A\n\x1b[31mPASSED'=1)"),
        (Instance("Point", (("x=1)", 1),)), "Point('x=1)'=1)"),
        (Instance("Point", (("__extra__", None), ("x", None))), "Point(x=None)"),
        (Instance("Point", (("__extra__", {"y": 1}),)), "Point(__extra__={'y': 1})"),
        (Iterated("map", (), True), "<map yielding nothing>"),
        (Iterated("map", (0,), True), "<map yielding 0>"),
        (Iterated("map", (0, "a"), False), "<map yielding 0, 'a', ...>"),
        (Scalar("range", "7,0,-2"), "range(7, 0, -2)"),
        (Scalar("range", "1,2,3,4"), "range('1,2,3,4')"),
        (Scalar("datetime.timezone", "0"), "datetime.timezone.utc"),
        (
            Scalar("datetime.timezone", "-1800"),
            "datetime.timezone(datetime.timedelta(days=-1, seconds=84600))",
        ),
        (Opaque("Point", "a function"), "<Point: a function>"),
        (Opaque("Point", ESCAPING), r"<Point: 'A\n\x1b[31mPASSED'>"),
        (Told("function", "math.sqrt"), "math.sqrt"),
        (Told("function", 1), "<function>"),
        (Told("function", (0, ("kept", [1]), ("n", {}))), "<function with kept=[1], n={}>"),
        (Told("function", (0, (ESCAPING, [1]))), r"<function: (0, ('A\n\x1b[31mPASSED', [1]))>"),
        (Told("_thread.lock", "unlocked"), "<_thread.lock: unlocked>"),
        (Told("logging.Logger", ESCAPING), r"<logging.Logger: 'A\n\x1b[31mPASSED'>"),
        (Told("function", ESCAPING), r"<function: 'A\n\x1b[31mPASSED'>"),
        (Told("builtin_function_or_method", (["a"], "append")), "['a'].append"),
        (Told("method", (["a"], "List.append")), "['a'].append"),
        (Told("method", (["a"], "append", 1)), "<method: (['a'], 'append', 1)>"),
        (Told("method", (["a"], ESCAPING)), r"<method: (['a'], 'A\n\x1b[31mPASSED')>"),
        ([1, Cycle(1)], "[1, ...]"),
        (
            Scalar("datetime.datetime", "2024-07-01T09:30:00+02:00[Europe/Berlin]"),
            "datetime.datetime(2024, 7, 1, 9, 30, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin'))",
        ),
        (
            Scalar("datetime.time", "09:30:00[UTC]"),
            "datetime.time(9, 30, tzinfo=zoneinfo.ZoneInfo('UTC'))",
        ),
        (Scalar("datetime.datetime", "soon[UTC]"), "datetime.datetime('soon[UTC]')"),
        (Scalar("type", "decimal.Decimal"), "decimal.Decimal"),
        (Scalar("type", ESCAPING), r"type('A\n\x1b[31mPASSED')"),
    ],
)
def test_what_is_no_name_is_shown_as_text(value: object, shown: str) -> None:
    assert render(value) == shown


def test_what_a_program_calls_its_members_and_fields_breaks_no_line(sandbox: Sandbox) -> None:
    source = f"""
import enum
class Colour(enum.Enum):
    RED = 1
class Point: pass
def f():
    Colour.RED._name_ = {ESCAPING!r}
    point = Point()
    point.__dict__[{ESCAPING!r}] = Colour.RED
    return point
"""
    (seen,) = sandbox.run(Program(source, "f"), [Call(())])
    assert isinstance(seen, Returned)
    assert render(decode(seen.value)).isprintable()
