"""The examples of a docstring: what is called, what is shown, and where it stands."""

from __future__ import annotations

from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_engine.types import Example
from support.specifying import specified, unit_of

HEAD = "from decimal import Decimal\nclass Item:\n    def f(self, x): return x\ndef other(): pass\n"


def examples(docstring: str, qualname: str = "f", quotes: str = '"""') -> list[Example]:
    body = indent(f"{quotes}{docstring}\n{quotes}\nreturn x", "    ")
    text = f"{HEAD}def f(x):\n{body}\n"
    if qualname == "Item.f":
        text = f"class Item:\n    @classmethod\n    def f(cls, x):\n{indent(body, '    ')}\n"
    unit, found = unit_of(text, qualname), list(specified(text, qualname).examples)
    for each in found:
        start = unit.span.start + each.span.start
        shown = text[start : unit.span.start + each.span.end]
        assert each.call.split("\n")[0].rsplit(".", 1)[-1] in shown
        assert shown == shown.strip()
    return found


def check(docstring: str, *expected: tuple[str, str, str], qualname: str = "f") -> None:
    """Each example as its setup (joined by ``;``), call and expected text."""
    found = examples(docstring, qualname)
    assert [("; ".join(each.setup), each.call, each.expected) for each in found] == list(expected)


DOCTESTS: dict[str, tuple[str, list[tuple[str, str, str]]]] = {
    "plain": (">>> f(2)\n4", [("", "f(2)", "4")]),
    "on several lines": (">>> f(\n...     2)\n[4,\n 5]", [("", "f(\n    2)", "[4,\n 5]")]),
    "an exception": (
        ">>> f(-1)\nTraceback (most recent call last):\n    ...\nValueError: no",
        [("", "f(-1)", "Traceback (most recent call last):\n    ...\nValueError: no")],
    ),
    "without output": (">>> f(2)", []),
    "skipped": (">>> f(2)  # doctest: +SKIP\n4", []),
    "setup by name": (
        ">>> x = 2\n>>> y = 3\n>>> f(x)\n4\n\nAnd:\n\n>>> f(y)\n6\n>>> f(1)\n2",
        [("x = 2", "f(x)", "4"), ("y = 3", "f(y)", "6"), ("", "f(1)", "2")],
    ),
    "setup by effect": (
        ">>> import random\n>>> random.seed(1)\n>>> f(1)\n2",
        [("import random; random.seed(1)", "f(1)", "2")],
    ),
    "an object that is used again": (
        ">>> x = []\n>>> f(x)\n1\n>>> x\n[1]",
        [("x = []", "f(x)", "1"), ("x = []; f(x)", "x", "[1]")],
    ),
    "a call shown again has state": (
        ">>> f(1)\n1\n>>> f(1)\n2",
        [("", "f(1)", "1"), ("f(1)", "f(1)", "2")],
    ),
    "one that raises is no setup": (
        ">>> x = []\n>>> f(x)\nTraceback (most recent call last):\nValueError\n>>> f(x)\n1",
        [
            ("x = []", "f(x)", "Traceback (most recent call last):\nValueError"),
            ("x = []", "f(x)", "1"),
        ],
    ),
    "importing itself is left out": (
        ">>> from shop.things import f, Item\n>>> f(1)\n2",
        [("", "f(1)", "2")],
    ),
    "importing itself by another name is left out": (
        ">>> from shop.things import f as twice\n>>> twice(4)\n8\n>>> f(1)\n2",
        [("", "f(1)", "2")],
    ),
    "its own module is left out": (
        ">>> import shop.things\n>>> import things\n>>> shop.things.f(1)\n2\n>>> things.f(2)\n3",
        [("", "f(1)", "2"), ("", "f(2)", "3")],
    ),
    "names that nobody defines": (">>> turtle.f(1)\n2\n>>> f(y)\n3", []),
    "a bad one spoils only its paragraph": (
        ">>>f(1)\n2\n\n>>> f(2)\n4\n\n>>> f(\n6",
        [("", "f(2)", "4")],
    ),
    "a broken one": (">>> f(2\n4\n\n>>> f(3)\n6", [("", "f(3)", "6")]),
}


@pytest.mark.parametrize("case", DOCTESTS)
def test_doctests_are_read(case: str) -> None:
    docstring, expected = DOCTESTS[case]
    check(f"Doc.\n\n{docstring}", *expected)


INLINE = {
    "an arrow": ("f(2) -> 4", "f(2)", "4"),
    "a thick arrow": ("* f(2) => 4;", "f(2)", "4"),
    "a printed arrow": ("f(2) → [4, 5]", "f(2)", "[4, 5]"),
    "equality": ("f(2) == {'a': (1, None)}", "f(2)", "{'a': (1, None)}"),
    "an assertion": ("assert f(2) == -4.5", "f(2)", "-4.5"),
    "a comment": ("f(2)  # 4", "f(2)", "4"),
    "a comment with an arrow": ("f(2)  # -> 'a -> b'", "f(2)", "'a -> b'"),
    "a prompt without output": (">>> f(2)  # 4", "f(2)", "4"),
    "an imported maker": ("f(Decimal('1')) -> Decimal('2.0')", "f(Decimal('1'))", "Decimal('2.0')"),
    "a class of the file": ("f([Item()]) == {Item()}", "f([Item()])", "{Item()}"),
    "a builtin maker": ("f(set()) -> frozenset({1})", "f(set())", "frozenset({1})"),
    "an explanation after it": ("f(2) -> 4 (two squared)", "f(2)", "4"),
    "an assertion with a message": (">>> assert f(2) == 4, 'two squared'", "f(2)", "4"),
    "an assertion of a tuple": ("assert f(2) == (4, 'four'), 'both'", "f(2)", "(4, 'four')"),
    "a tuple with close commas": ("f(2) -> (1,2)", "f(2)", "(1,2)"),
    "a power": ("f(2) -> 10**9 + 7", "f(2)", "10**9 + 7"),
    "a complex number": ("f(2) == -1 + 2j", "f(2)", "-1 + 2j"),
    "a repeated list": ("f(2) == [0] * 3", "f(2)", "[0] * 3"),
    "repeated text": ("f(2) == 'ab' * 3", "f(2)", "'ab' * 3"),
    "computed arguments": ("f(2) == Decimal(60 * 60)", "f(2)", "Decimal(60 * 60)"),
}


@pytest.mark.parametrize("case", INLINE)
def test_calls_shown_with_a_value_are_examples(case: str) -> None:
    docstring, call, expected = INLINE[case]
    check(f"Doc.\n\nExamples:\n    {docstring}\n", ("", call, expected))
    assert not examples(f"Doc.\n\n{docstring}")[0].is_doctest


@pytest.mark.parametrize(
    "docstring",
    [
        "f(x) -> x * 2",
        "f(2) -> ...",
        "f(2) returns 4 apples",
        "f(2) is even",
        "f(2) == other()",
        "f(2) == f(1)",
        "f(a, b) == 4",
        "f(2)",
        "g(2) -> 4",
        "self.f(2) -> 4",
        "f(2) -> Unknown(4)",
        "f(2) # two is doubled",
        "f(" + "(" * 500 + " -> 4",
        "f(2) -> 2024-11-15",
        "f(2) -> 555-1234 (home)",
        "f(2) -> 1/2",
        "f(2) -> [1/2, 3/4]",
        "f(2) -> 1 | 2",
        "f(2) -> True/False",
        "f(2) -> 2*3",
        "f(2) -> 5, 7-9",
        "f(2) -> 1,000",
        "f(2) -> 12, 1,000",
        "f(2) -> 3.14...",
        "f(2) -> 3.14…",
        "f(2) -> 1, 2, 3, ...",
        "f(2) -> 1, 2, 3, ..., 10",
        "f(2) -> 1, 2, 3 ...",
        ">>> assert not f(2) == 5",
        "assert not (f(2) == 5)",
        "assert g(2) == 4 or f(2) == 5",
        "It is wrong that f(2) is 4.",
        "It is not the case that `f(2)` is 4.",
        "It isn't true that f(2) is 4",
        "Never f(2) == 4",
        "If f(2) is 4, all is well",
    ],
)
def test_prose_without_a_value_is_no_example(docstring: str) -> None:
    check(f"Doc.\n\n{docstring}\n")


def test_several_on_a_line_are_all_read() -> None:
    check(
        "f(1) -> 1, f(2) -> 4; f(3) == 9.",
        ("", "f(1)", "1"),
        ("", "f(2)", "4"),
        ("", "f(3)", "9"),
    )


def test_assignments_before_a_call_are_its_setup() -> None:
    check(
        "Example:\n    x = [1]\n    f(x)  # 1\n    f(2)  # 3",
        ("x = [1]", "f(x)", "1"),
        ("", "f(2)", "3"),
    )


def test_a_method_is_called_on_its_class_or_what_it_makes() -> None:
    check(
        "Item.f(1) -> 2\nItem().f(2) == 4\nf(3) -> 5\nitem.f(4) -> 6",
        ("", "Item.f(1)", "2"),
        ("", "Item().f(2)", "4"),
        qualname="Item.f",
    )


def test_expected_output_is_not_read_as_prose() -> None:
    check("Doc.\n\n>>> print('f(2) -> 4')\nf(2) -> 4", ("", "print('f(2) -> 4')", "f(2) -> 4"))


def test_a_docstring_whose_lines_are_not_the_sources_has_the_span_of_the_whole() -> None:
    text = 'def f(x):\n    "Doc.\\n\\n>>> f(1)\\n2\\n"\n    return x\n'
    (example,) = specified(text).examples
    assert text[example.span.start : example.span.end] == '"Doc.\\n\\n>>> f(1)\\n2\\n"'


@given(st.text(alphabet=">. f(2)=-#\n'\"`:Raises\t", max_size=60))
def test_no_docstring_makes_it_raise(docstring: str) -> None:
    text = f"def f(x):\n    {docstring!r}\n    return x\n"
    specified(text)
