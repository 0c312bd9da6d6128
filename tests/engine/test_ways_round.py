"""What a candidate reaches or changes by a way round: aliases, containers, functions, classes."""

from __future__ import annotations

from textwrap import indent

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.fixes.cautions.cautions import caution_about, changed
from assay_engine.splicing import apply_edits, splice
from assay_engine.types import Caution, Problem
from assay_sandbox import Call
from support.specifying import specified, unit_of

FILE = '''\
import asyncio
import json
import logging
import os
import re
import typing
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath

LIMITS = {"low": 0, "high": 9}
NESTED = {"a": [1], "b": [2]}
SEEN = []
COUNT = 0
LOG = logging.getLogger(__name__)


class Account:
    rate = 1
    table = {}

    def total(self):
        return self.rate


def table():
    return LIMITS


def clamp(value: int, low: int, high: int) -> int:
    """Limit."""
    json.loads("1"), os.path.join("a"), LIMITS["low"], NESTED, re.sub("a", "b", "c")
    return min(max(value, low + 1), high)
'''
# One a line.
WAYS_ROUND = r"""
dataclass(type("Box", (), {"__annotations__": {"x: import os": int}}))
box = type(int)("Box", (), {"a": 1}); dataclass(box)
PurePath("x").parser.os.system("touch owned")
p = PurePath("x"); getattr(p, "parser")
typing.List["__import__('os').system('x')"]
code = "__import__('os')" + ".system('x')"; typing.get_args(typing.List[code])[0].evaluate()
logging.getLogger().setLevel(1000)
LOG.setLevel(1000)
import operator; operator.methodcaller("update", low=1)(LIMITS)
[*map(setattr, [Account], ["rate"], [2])]
vars(Account).update(rate=1)
(x for x in ()).gi_frame.f_globals["x"] = 1
import sys; sys.modules["json"] = None
import weakref; weakref.finalize(value, print)
import atexit; atexit.register(print)
import codecs; codecs.register(print)
import copyreg; copyreg.pickle(int, print)
import warnings; warnings.simplefilter("ignore")
import decimal; decimal.getcontext().prec = 5
import random; random.seed(0)
import locale; locale.setlocale(0, "C")
os.environ["X"] = "1"
e = os.environ; e["X"] = "1"
os.environ.update(X="1")
p = os.path; p.join = len
"{0.__class__.__init__.__globals__}".format(Account)
"{0.gi_frame.f_globals}".format((x for x in ()))
t = "{0.gi_" + "frame}"; t.format((x for x in ()))
str.format("{0.gi_frame}", (x for x in ()))
"{0.gi_frame}".format_map({})
from types import SimpleNamespace; SimpleNamespace(t=LIMITS).t["low"] = 1
json.loads("{}", object_hook=eval)
table.__code__ = clamp.__code__
import abc; abc.ABCMeta("Box", (), {})
make = type; make("Box", (), {})
[*map(type, ["B"], [()], [{}])]
import functools; functools.partial(type, "B", ())({})
(type)("B", (), {})
int.__class__("B", (), {})
import functools; functools.wraps(clamp)(json.JSONDecoder)
import functools; functools.total_ordering(Account)
import dataclasses; dataclasses.dataclass(Account)
typing.final(Account)
import collections.abc; collections.abc.Sequence.register(Account)
LIMITS.__ior__({"low": 1})
object.__setattr__(Account, "rate", 2)
super(Account, Account).__setattr__("rate", 2)
enum = re.enum
import string; string.Formatter().format("{0.gi_frame}", value)
T = typing.TypeVar("T", bound="__import__('os').system('x')")
typing.ForwardRef("__import__('os')")
os.getcwd()
asyncio.get_event_loop_policy()
Enum("X", {"a": 1})._member_map_.update(x=1)
Account.__dict__["table"].append(1)
Account.total.__globals__["LIMITS"].clear()
table.__globals__["x"] = 1
table.__defaults__ = ()
Account().total.__func__.__globals__
(lambda: 0).__globals__["x"] = 1
import types; types.SimpleNamespace(**{"t": LIMITS}).t.clear()
json.JSONDecoder().parse_float.__self__
json.decoder.scanner
re.compile("x").__class__; re.Scanner
json.dumps({}, default=exec)
sorted([1], key=exec)
[exec][0]("1")
f = exec
print.__self__.exec("1")
(b := __builtins__)
import builtins; builtins.exec("1")
from builtins import exec as e
import sys as re; re.modules
from os import system as join; join("x")
import os.path as p; p.os.system("x")
p = os; p.system("x")
getattr(os, "sys" + "tem")("x")
getattr(os, "system")("x")
import operator; operator.attrgetter("system")(os)("x")
import operator; operator.call(print)
x = os.path
del os.environ
json.loads.x = 1
Account.total.x = 1
LOG.handlers.clear()
LOG.addHandler(1)
LOG.parent.handlers.append(1)
dataclass(type("X", (), dict(a=1)))
from dataclasses import make_dataclass; make_dataclass("X", ["a: int = exec('1')"])
from collections import namedtuple; namedtuple("X", "a b", module="exec")._source
X = typing.NewType("X", "exec('1')")
typing.cast("exec('1')", value)
typing.Optional["exec('1')"]
typing.Annotated[int, "exec('1')"]; "{}".format(value).format(value)
"%(x)s" % LOG.__dict__
("%s" + "{}").format(Account)
f = "{0.rate}".format; f(Account); "{0.__init__.__globals__[os]}".format(Account)
"{0.total.__globals__}".format_map({"0": Account})
import string; string.Template("$x").substitute(LIMITS); string.Formatter
import ast; ast.literal_eval("1"); compile("1", "", "eval")
import copy; copy.copyreg
import random; random.setstate(random.getstate())
import decimal; decimal.setcontext(decimal.Context(prec=2))
import decimal; decimal.DefaultContext.prec = 2
import threading; threading.local().x = 1; threading.stack_size(1)
import csv; csv.register_dialect("x")
import calendar; calendar.setfirstweekday(1)
import io; io.open("x")
import re; re.purge()
import collections.abc; collections.abc.Mapping.register(int)
import enum; enum.Enum.__members__
import asyncio; asyncio.run(asyncio.create_subprocess_shell("x"))
import asyncio; asyncio.current_task().get_loop().subprocess_shell(1, 2)
import asyncio; asyncio.current_task()._loop
import logging.handlers
logging.disable(50)
logging.Logger.manager.disable = 50
logging.root.level = 50
logging.getLogger("x").parent.level = 1
logging.basicConfig(level=1)
logging.getLogger("x").addFilter(print)
"""
LONGER_WAYS_ROUND = r"""
try:
    raise ValueError
except ValueError as e:
    e.__traceback__.tb_frame.f_globals["x"] = 1
---
def Path(x):
    return x
p = PurePath("x")
class A:
    parser = 1
    os = 1
    system = 1
p.parser.os.system("x")
---
class Meta(type):
    pass
Meta("Box", (), {})
---
class V(typing.NamedTuple):
    x: "__import__('os').system('x')"
---
def g(x: "__import__('os').system('x')"):
    pass
---
async def g():
    asyncio.get_running_loop().run_in_executor(None, print)
---
class P:
    def __getattr__(self, name):
        return getattr(LIMITS, name)
P().update(low=1)
---
class C(Account):
    pass
C.__base__.rate = 2
---
for name in ("system",):
    getattr(os, name)("x")
---
match os:
    case object(system=s):
        s("x")
---
match Account:
    case object(rate=r, __dict__=d):
        pass
---
class A:
    __match_args__ = ("system",)
match os:
    case A(s): s("x")
---
import string
class F(string.Formatter): pass
---
import abc
class B(abc.ABC): pass
B.register(int)
---
import typing
@typing.runtime_checkable
class B(typing.Protocol): ...
B.register(int)
---
import asyncio
async def g():
    asyncio.Future()._loop
"""
# None of these changes anything but its own values, or does what the file does not do already.
ORDINARY = r"""
table = dict(LIMITS)
table["low"] = 1
---
low = LIMITS["low"]
low += 1
---
rows = sorted(SEEN, key=len)
rows.append(1)
rows += SEEN
---
import copy
copy.deepcopy(NESTED)["a"].append(1)
---
from collections import defaultdict
found = defaultdict(list)
for name, limit in LIMITS.items():
    found[limit].append(name)
---
class Box:
    def __init__(self, size):
        self.size = size
        self.rows = []
    def put(self, row):
        self.rows.append(row)
box = Box(LIMITS["low"])
box.put(1)
box.size = 3
---
account = Account()
account.rate = 2
---
LOG.info("clamped %s", value)
---
text = ", ".join(LIMITS)
text += "!"
---
import heapq
heap = [*SEEN]
heapq.heappush(heap, 1)
push = heapq.heappush
push(heap, 2)
---
"{:>{}}".format(value, 3), "{0[a]}".format({"a": 1})
---
isinstance(value, type), type(value) is int, type(value).__name__
---
result = re.sub("a", lambda match: match.group().upper(), "a")
"""


def said_of(body: str) -> str:
    candidate = f"def clamp(value, low, high):\n{indent(body.strip(), '    ')}\n    return value\n"
    caution = caution_about(FILE, candidate, "clamp")
    return "" if caution is None else f"{caution.code} {caution.reason}"


def test_no_way_round_goes_without_a_caution() -> None:
    ways = [*WAYS_ROUND.strip().splitlines(), *LONGER_WAYS_ROUND.split("---\n")]
    assert [each for each in ways if not said_of(each)] == []


# What the program shares, changed directly or by a way that names nothing of it, and what is told.
SHARED = r"""
global COUNT; COUNT = 1 -> COUNT
LIMITS["low"] = 1 -> LIMITS
del LIMITS["low"] -> LIMITS
table()["low"] = 1 -> LIMITS
setattr(Account, "rate", 2) -> Account.rate
Account().table["x"] = 1 -> Account.table
clamp.calls = 1 -> clamp
SEEN.append(1) -> SEEN
t = SEEN; t += [1] -> SEEN
[each.append(1) for each in NESTED.values()] -> NESTED
import functools; functools.partial(dict.update, LIMITS)(low=1) -> LIMITS
(lambda t: t.clear())(LIMITS) -> LIMITS
json.JSONDecoder.decode = len -> json.JSONDecoder.decode
os.path.join = len -> posixpath.join
os.sep = "x" -> os.sep
setattr(calendar.Calendar, "iterweekdays", len) -> calendar.Calendar.iterweekdays
LOG.disabled = True -> LOG
import time; time.sleep = print -> time.sleep
"""
# Nothing of these stays changed after the call.
LEFT_AS_IT_WAS = r"""
COUNT = 1
LIMITS = {}; LIMITS["low"] = 1
table = dict(LIMITS); table["low"] = 1
rows = sorted(SEEN); rows += SEEN
LIMITS["low"] = LIMITS["low"]
import concurrent.futures; concurrent.futures.ThreadPoolExecutor(1)
import re, random, logging; re.sub("a", "b", "a"); random.random(); logging.getLogger("x").info("a")
"""


@pytest.mark.parametrize("case", SHARED.strip().splitlines())
async def test_what_calls_are_seen_to_change_for_others_is_named(
    executor: Executor, case: str
) -> None:
    body, _, name = case.rpartition(" -> ")
    caution = await seen_of(executor, body)
    assert caution is not None
    assert caution.reason == f"changes {name} for the whole program"


@pytest.mark.parametrize("body", LEFT_AS_IT_WAS.strip().splitlines())
async def test_what_calls_leave_as_it_was_needs_no_caution(executor: Executor, body: str) -> None:
    assert await seen_of(executor, body) is None


async def test_what_the_function_changes_itself_needs_no_caution(executor: Executor) -> None:
    text = FILE.replace('    json.loads("1")', '    SEEN.append(value)\n    json.loads("1")')
    assert await seen_of(executor, "SEEN.append(1)", text) is None
    assert await seen_of(executor, "SEEN.append(1); LIMITS.clear()", text) is not None


async def seen_of(executor: Executor, body: str, text: str = FILE) -> Caution | None:
    """The caution about what calls of a candidate change, whose body does this first."""
    candidate = f"import calendar\n\n\ndef clamp(value, low, high):\n    {body}\n    return value\n"
    edits = splice(text, unit_of(text, "clamp"), candidate)
    assert not isinstance(edits, Problem)
    placed = specified(apply_edits(text, edits), "clamp")
    original = specified(text, "clamp")
    return await changed(executor, original, placed, candidate, [Call((3, 1, 9))])


def test_what_changes_only_its_own_values_needs_no_caution() -> None:
    assert [said_of(each) for each in ORDINARY.split("---\n") if said_of(each)] == []
