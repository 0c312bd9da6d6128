"""A program does the same in a pool that has just begun as in one that has run for a while."""

from __future__ import annotations

import time

import pytest

from assay_sandbox import Call, Observation, Program, Returned, Sandbox, Surroundings
from assay_sandbox.worker.run import running as needs
from assay_sandbox.worker.values import standard_types as known

PARENT_ALONE = """
import concurrent

def f():
    return hasattr(concurrent, "futures")
"""
ANNOTATED = """
import collections

def f(numbers: collections.abc.Iterable = ()):
    return len(numbers)
"""
CHANCE_OF_A_LIBRARY = """
from statistics import NormalDist

def f():
    return NormalDist(0, 1).samples(3)
"""
WAITS_FOR_A_TIME = """
import threading

def f():
    condition = threading.Condition()
    with condition:
        return condition.wait_for(lambda: False, 0.02)
"""
BY_ANOTHER_NAME = """
from typing import Deque

def f():
    return Deque((1, 2))
"""
BESIDE_ANOTHER = """
from math import sqrt; from decimal import Decimal

def f():
    return Decimal(2)
"""
LOOKS_AROUND = """
import sys

def f():
    return sorted(sys.modules)
"""
SHOWS_LINES = """
def f():
    try:
        return 1 / 0
    except ZeroDivisionError:
        import traceback
        return traceback.format_exc()
"""


def first_and_later(text: str, surroundings: Surroundings) -> tuple[Observation, Observation]:
    with Sandbox(surroundings=surroundings) as sandbox:
        (first,) = sandbox.run(Program(text, "f"), [Call()])
        time.sleep(0.5)
        (later,) = sandbox.run(Program(text, "f"), [Call()])
    return first, later


@pytest.mark.parametrize(
    "text",
    [
        PARENT_ALONE,
        ANNOTATED,
        CHANCE_OF_A_LIBRARY,
        WAITS_FOR_A_TIME,
        BY_ANOTHER_NAME,
        BESIDE_ANOTHER,
        LOOKS_AROUND,
        SHOWS_LINES,
    ],
)
def test_a_first_run_is_like_any_other(text: str) -> None:
    surroundings = Surroundings(frozen_time=1e9) if text is WAITS_FOR_A_TIME else Surroundings()

    seen = [*first_and_later(text, surroundings), *first_and_later(text, surroundings)]

    assert isinstance(seen[0], Returned)
    assert seen == seen[:1] * 4


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("def f():\n    return 'important'.upper()", set()),
        ("x = 1; import decimal", {"decimal"}),
        ("from math import sqrt; from decimal import Decimal", {"decimal"}),
        ("from math import sqrt; __import__('decimal')", None),
        ("exec('import math; import decimal')", None),
        ("from sys import modules", None),
        ("exec('import decimal')", None),
        ("from typing import (Deque,\n    Any)", {"collections", "re"}),
        ("def f():\n    return 1", set()),
        ("import math, os.path\nfrom collections import Counter", {"collections"}),
        ("from typing import Deque", {"collections", "re"}),
        ("import numpy as np", None),
        ("import math as m", None),
        ("x = __import__('decimal')", None),
        ("from . import neighbour", None),
        ("    import decimal", {"decimal"}),
    ],
)
def test_what_a_program_imports_says_which_types_its_values_may_be_of(
    text: str, modules: set[str] | None
) -> None:
    assert needs.types_of([text]) == modules
    assert modules is None or modules.issubset(known.MODULES)
