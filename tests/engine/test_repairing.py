"""A text that is broken in one place keeps its functions in all others."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_engine.syntax.repairing import FAULTS_MAX, repair
from assay_engine.syntax.units import find_units

SOUND = '''\
import os

@cache
def first(x):
    """First, over
several lines
    """
    return [
        x
    ]

class Ledger:
    """A ledger."""

    def add(self, x):
        """Add."""
        return x

    @property
    def total(self):
        return 1

if os:
    def last():
        return """
x"""
else:
    y = 1
'''


def check(text: str, found: list[str], lines: list[int]) -> None:
    units, problems = find_units(text)
    assert [unit.qualname for unit in units] == found
    assert [int(problem.message.split()[1]) for problem in problems] == lines


BROKEN: dict[str, tuple[str, list[str], list[int]]] = {
    "an unfinished header": ("def g(x", ["f", "h"], [4]),
    "an unfinished call": ("def g(x):\n    return max(1,", ["f", "h"], [5]),
    "a string that is not closed": ("def g(x):\n    return 'a", ["f", "h"], [5]),
    "a docstring that is not closed": ('def g(x):\n    """Doc', ["f", "h"], [5]),
    "a header without a body": ("def g(x):", ["f", "h"], [4]),
    "a lone decorator is the next function's": ("@cache", ["f", "h"], []),
    "a statement": ("x = = 1", ["f", "h"], [4]),
    "an unclosed bracket": ("x = [1,\n     2", ["f", "h"], [4]),
    "a null byte": ("x = '\x00'", ["f", "h"], [4]),
    "an unexpected indentation": ("  x = 1", ["h"], [4]),
}


@pytest.mark.parametrize("middle", BROKEN)
def test_what_is_broken_between_two_functions_leaves_them(middle: str) -> None:
    text, found, lines = BROKEN[middle]
    before = 'def f(x):\n    """Doc."""\n    return x\n'
    after = '\n\ndef h(x):\n    """Doc."""\n    return x\n'
    check(before + text + after, found, lines)


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n", ["f", "h"]),
        (
            "<<<<<<< HEAD\ndef g(x):\n    return 1\n=======\ndef g(x):\n    return 2\n>>>>>>> b\n",
            ["f", "g", "g#2", "h"],
        ),
        # Within a function.
        (
            "    y = 1\n<<<<<<< HEAD\n    y = 2\n=======\n    y = 3\n>>>>>>> b\n    return y\n",
            ["f", "h"],
        ),
    ],
    ids=["statements", "functions", "a body"],
)
def test_what_a_merge_left_behind_is_one_problem(inside: str, found: list[str]) -> None:
    before = 'def f(x):\n    """Doc."""\n    return x\n'
    after = '\n\ndef h(x):\n    """Doc."""\n    return x\n'
    units, (problem,) = find_units(before + inside + after)
    assert [unit.qualname for unit in units] == found
    line = 1 + (before + inside).split("\n").index("<<<<<<< HEAD")
    assert problem.message.startswith(f"Unresolved conflict markers (line {line}); resolve them")


def test_what_is_broken_beside_a_conflict_is_said_too() -> None:
    conflict = "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n"
    _, problems = find_units(f"{conflict}def g(x\n\n\n{conflict}def h(x): pass\n")
    first, second = (problem.message for problem in problems)
    assert first.startswith("Unresolved conflict markers (lines 1, 9); ")
    assert second.startswith("Line 6 does not parse")


def test_a_broken_method_leaves_the_others_of_its_class() -> None:
    text = """\
class Ledger:
    def add(self):
        return 1

    @property
    def total(self
        return (

    class Line:
        def amount(self): return 1
        def broken(self): return )
    def sub(self):
        return 2
def f(): return 1
"""
    found = ["Ledger.add", "Ledger.Line.amount", "Ledger.sub", "f"]
    check(text, found, [7, 11])


def test_broken_branches_leave_the_others() -> None:
    text = """\
if a:
    def f(): return 1
elif b:
    x = (
else:
    def g(): return 1
try:
    !!
except ImportError:
    def h(): return 1
"""
    check(text, ["f", "g", "h"], [4, 8])


def test_a_string_at_the_margin_is_not_taken_for_code_beside_an_error() -> None:
    text = 'def f():\n    """A\ndef not_code(): pass\n"""\n    return 1\nx = (\n'
    check(text, ["f"], [6])


def test_a_broken_class_header_takes_its_class_alone() -> None:
    check("class C(:\n    def f(self): pass\ndef g(): pass\n", ["g"], [1])


def test_lines_named_within_a_reason_are_those_of_the_file() -> None:
    (_, problems) = find_units("x = 1\ny = 2\ndef f():\n\ndef g():\n  return (1,\n   ]\n")
    assert "on line 3" in problems[0].message
    assert "on line 6" in problems[1].message


def test_a_broken_tower_of_blocks_is_no_obstacle() -> None:
    tower = "".join(f"{' ' * depth}if x:\n" for depth in range(400))
    check(f"def f(): return 1\n{tower}def g(): return 1\n", ["f", "g"], [121])


@pytest.mark.parametrize(
    ("line", "names", "faults"),
    [
        ("def f(:\n", ["first"], FAULTS_MAX),
        ("(\n", ["first"], FAULTS_MAX),
        ("'''\n'\n", ["first"], FAULTS_MAX),
        # More of a body, and no statement for itself.
        ("  x\n", [], 1),
        ("class C:\n  (\n", ["first"], FAULTS_MAX),
        ('"""\n', ["first"], 1),
    ],
)
def test_a_text_that_is_broken_throughout_is_given_up(
    line: str, names: list[str], faults: int
) -> None:
    # An odd number: of quotes, the last is left open.
    text = "def first(): return 1\n" + line * (300_000 // len(line) | 1)
    units, problems = find_units(text)
    assert [unit.name for unit in units] == names
    assert len(problems) == faults


def test_one_error_among_many_statements_costs_no_other() -> None:
    lines = [f"def f{index}(): return {index}" for index in range(1_000)]
    lines[500] = "x = = 1"
    names = [f"f{index}" for index in range(1_000) if index != 500]
    check("\n".join(lines), names, [501])


@given(st.integers(0, len(SOUND)), st.sampled_from(['"""', "(", "'", "\n  x", ")", "def ", "\\"]))
def test_typing_anything_anywhere_keeps_lengths_and_parses(place: int, typed: str) -> None:
    text = SOUND[:place] + typed + SOUND[place:]
    repaired = repair(text).text
    assert len(repaired) == len(text)
    assert [each for each in repaired if each in "\r\n"] == [
        each for each in text if each in "\r\n"
    ]
    ast.parse(repaired)


@given(st.integers(0, len(SOUND)))
def test_every_state_of_typing_a_file_from_the_top_keeps_what_is_finished(end: int) -> None:
    units, _ = find_units(SOUND[:end])
    finished = end >= SOUND.index("class Ledger")
    assert not finished or units[0].qualname == "first"
