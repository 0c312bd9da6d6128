"""A function may be wrong for the sake of another one, which its candidates do without."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_engine.compare.evidence import Evidence
from assay_engine.dependencies.modules import workspace_modules
from assay_engine.messages.findings import relied_on_alone
from assay_engine.sampling.candidates import Voter
from assay_engine.types import Behaviour, Candidate
from assay_sandbox import Returned, encode
from support.specifying import specified

MODULE = '''\
import math
import apples
from apples import price as apple_price

def tripled(n):
    return n * 3

class Cart:
    def __init__(self, items):
        self.items = items

    def weight(self):
        """Return the weight."""
        return len(self.items)

    def cost(self):
        """Return the cost."""
        return self.weight() * 2

def doubled(n):
    """Return twice the number."""
    return tripled(n) - n + math.floor(0)

def total(n):
    """Return the price of n apples."""
    return apple_price(n) + apples.price(0) + tripled(0)

def sum_up(items):
    """Return the sum."""
    return sum(items) if items else sum_up([0])
'''


def said(folder: Path, qualname: str, *candidates: str) -> str:
    (folder / "apples.py").write_text("def price(n):\n    return n\n")
    specification = specified(MODULE, qualname, workspace_modules(folder / "own.py", folder))
    voters = tuple(
        Voter(Candidate(source, str(number), (number,)), source)
        for number, source in enumerate(candidates)
    )
    everybody = tuple(range(len(candidates)))
    others = Behaviour(Returned(encode(0)), len(candidates), False, everybody)
    return relied_on_alone(Evidence(specification, voters), others)


@pytest.mark.parametrize(
    ("qualname", "candidate", "names"),
    [
        ("doubled", "def doubled(n):\n    return 2 * n\n", "`tripled`"),
        ("total", "def total(n):\n    return n\n", "`apple_price` and `apples`"),
        ("Cart.cost", "def cost(self):\n    return 2 * len(self.items)\n", "`weight`"),
    ],
)
def test_what_is_used_alone_is_named(
    qualname: str, candidate: str, names: str, tmp_path: Path
) -> None:
    assert said(tmp_path, qualname, candidate) == f"; it uses {names}, which they do not use"


@pytest.mark.parametrize(
    ("qualname", "candidate"),
    [
        ("doubled", "def doubled(n):\n    return tripled(n) - n\n"),
        ("Cart.cost", "def cost(self):\n    return 2 * self.weight()\n"),
        # What comes with Python, and itself, is in nobody's doubt.
        ("sum_up", "def sum_up(items):\n    return 0\n"),
    ],
)
def test_what_others_use_too_is_not(qualname: str, candidate: str, tmp_path: Path) -> None:
    assert said(tmp_path, qualname, candidate) == ""


def test_one_that_uses_it_and_does_the_same_is_enough(tmp_path: Path) -> None:
    plain, using = "def doubled(n):\n    return 2 * n\n", "def doubled(n):\n    return tripled(n)\n"
    assert said(tmp_path, "doubled", plain, using) == ""
