"""What calls change of what their program shares with others, as the sandbox tells it."""

from __future__ import annotations

from textwrap import indent

import pytest

from assay_sandbox import Call, Program, Sandbox

PROGRAM = '''\
import json
import logging
import warnings
from collections import Counter
from decimal import Decimal
from enum import Flag

LIMITS = {"low": 0}
SEEN = Counter()
LOG = logging.getLogger("shop")


class Mode(Flag):
    A = 1
    B = 2


class Account:
    rate = 1
    table = []

    def total(self):
        return self.rate


ACCOUNT = Account()


class Sly(dict):
    """Says that it is what stood there."""

    __hash__ = None

    def __eq__(self, other):
        return True

    def __repr__(self):
        return "{'low': 0}"

    def __getitem__(self, key):
        return 0

    @property
    def __class__(self):
        return dict


def f(n):
'''
CHANGED = """
LIMITS["low"] = n
= LIMITS
---
global LIMITS
LIMITS = Sly(low=0)
= LIMITS
---
SEEN["a"] += 1
= SEEN
---
ACCOUNT.rate = 2
= ACCOUNT
---
Account.table.append(n)
= Account.table
---
Account.total = lambda self: 2
= Account.total
---
f.__defaults__ = (1,)
= f
---
del globals()["SEEN"]
= SEEN
---
globals()["other"] = 1
= other
---
json.JSONDecoder.decode = lambda self, text: 0
= json.JSONDecoder.decode
---
import textwrap
textwrap.dedent = len
= textwrap.dedent
---
LOG.setLevel(10)
= LOG
---
logging.disable()
= LOG
---
warnings.simplefilter("ignore")
= warnings.filters
---
import os
os.environ["A"] = "1"
= os.environ os.environb
---
import decimal
decimal.getcontext().prec = 3
= decimal.getcontext()
"""
UNCHANGED = """
found = {**LIMITS, "low": n}
---
import re, random, asyncio, datetime, textwrap
re.sub("a", "b", "c"), random.random(), datetime.datetime.now()
asyncio.run(asyncio.sleep(0))
---
LOG.debug("no"), Mode.A | Mode.B, Decimal(1) / 3, json.loads("[1]")
warnings.warn("slow")
---
from dataclasses import dataclass
from functools import lru_cache

@lru_cache
@dataclass(frozen=True)
class Box:
    size: int

Box(1)
---
own = Account()
own.rate = 3
own.total()
"""


def changed(sandbox: Sandbox, body: str) -> str:
    program = Program(f"{PROGRAM}{indent(body.strip(), '    ')}\n    return n\n", "f")
    return " ".join(sorted(sandbox.run_comparing(program, [Call((1,)), Call((2,))])))


@pytest.mark.parametrize("body", CHANGED.split("---\n"))
def test_what_a_call_changes_for_others_is_named(sandbox: Sandbox, body: str) -> None:
    code, _, names = body.rpartition("= ")
    assert changed(sandbox, code) == names.strip()


def test_what_only_computes_changes_nothing(sandbox: Sandbox) -> None:
    assert [changed(sandbox, each) for each in UNCHANGED.split("---\n")] == [""] * 5
