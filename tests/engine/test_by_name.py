"""What a function finds by a name that stands nowhere in it comes along."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import ProblemKind, Status
from support.specifying import specified
from support.trials import put_on_trial, scripted

SUBCLASSES = '''
class Shape:
    name = ""


class Square(Shape):
    name = "square"


def is_known(name: str) -> bool:
    """Whether there is a shape of this name, which is "square"."""
    return any(each.name == name for each in Shape.__subclasses__())
'''
NOTED = '''
class Codec:
    known: dict[str, type] = {}

    def __init_subclass__(cls) -> None:
        Codec.known[cls.__name__.lower()] = cls


class Square(Codec):
    pass


def is_known(name: str) -> bool:
    """Whether there is a codec of this name, which is "square"."""
    return name in Codec.known
'''
IN_MODULE = '''
import sys


def do_square() -> None:
    pass


def is_known(name: str) -> bool:
    """Whether something can be done of this name, which is "square"."""
    return hasattr(sys.modules[__name__], f"do_{name}")
'''
IN_GLOBALS = '''
KIND_square = 1


def is_known(name: str) -> bool:
    """Whether there is a kind of this name, which is "square"."""
    return f"KIND_{name}" in globals()
'''
MADE_BY = '''
KNOWN = []


class Noting(type):
    def __init__(cls, name, bases, content):
        KNOWN.append(name.lower())


class Base(metaclass=Noting):
    pass


class Square(Base):
    pass


def is_known(name: str) -> bool:
    """Whether there is a class of this name, which is "base" or "square"."""
    return name in KNOWN and isinstance(Base, Noting)
'''
RIGHT = 'def is_known(name):\n    return name == "square"\n'
BY_NAME = {
    "subclasses": SUBCLASSES,
    "noted": NOTED,
    "in its module": IN_MODULE,
    "in globals": IN_GLOBALS,
    "by a metaclass": MADE_BY,
}


@pytest.mark.parametrize("text", BY_NAME.values(), ids=BY_NAME)
async def test_what_is_found_by_name_is_there(executor: Executor, text: str) -> None:
    right = RIGHT if text is not MADE_BY else RIGHT.replace('== "square"', 'in ("base", "square")')
    proposed = ['is_known("square")', 'is_known("round")', 'is_known("")']
    report = await put_on_trial(executor, text, "is_known", scripted([right], proposed))
    assert report.findings == ()
    assert report.verdict.status is Status.TRUSTED


@pytest.mark.parametrize("text", [SUBCLASSES, NOTED, IN_MODULE, IN_GLOBALS])
def test_no_model_needs_to_see_it(text: str) -> None:
    found = specified(text, "is_known")
    told = ("class Square", "do_square", "KIND_square")
    assert any(each in found.running_text for each in told)
    assert not any(each in found.context for each in told)


def test_who_names_what_it_needs_takes_no_more() -> None:
    text = SUBCLASSES + "\n\ndef twice(n: int) -> int:\n    '''Twice n.'''\n    return 2 * n\n"
    assert "Square" not in specified(text, "twice").program


DISPATCHED = '''
from functools import singledispatch, singledispatchmethod


@singledispatch
def shown(value: object) -> str:
    """The value as text; a number with "#" before it."""
    return str(value)


@shown.register
def _(value: int) -> str:
    return f"#{value}"


class Printer:
    @singledispatchmethod
    def show(self, value: object) -> str:
        """The value as text; a number with "#" before it."""
        return str(value)

    @show.register
    def _(self, value: int) -> str:
        return f"#{value}"
'''


@pytest.mark.parametrize("name", ["shown", "Printer.show"])
async def test_a_function_that_others_are_registered_with_is_not_judged_without_them(
    executor: Executor, name: str
) -> None:
    report = await put_on_trial(
        executor, DISPATCHED, name, scripted(["def shown(value):\n    return ''\n"], [])
    )
    assert report.verdict.status is Status.UNSUPPORTED
    (problem,) = report.problems
    assert problem.kind is ProblemKind.UNSUPPORTED_SHAPE
    assert "calls a registered function" in problem.message
