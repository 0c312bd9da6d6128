"""What a candidate reaches or changes by a way round: aliases, containers, functions, classes."""

from __future__ import annotations

from textwrap import indent

from assay_engine.cautions.cautions import caution_about

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
WAYS_ROUND = r"""
dataclass(type("Box", (), {"__annotations__": {"x: import os": int}}))
---
box = type(int)("Box", (), {"a": 1})
dataclass(box)
---
PurePath("x").parser.os.system("touch owned")
---
p = PurePath("x")
getattr(p, "parser")
---
typing.List["__import__('os').system('x')"]
---
code = "__import__('os')" + ".system('x')"
typing.get_args(typing.List[code])[0].evaluate()
---
setattr(json.JSONDecoder, "decode", len)
---
json.JSONDecoder.decode = len
---
logging.getLogger().setLevel(1000)
---
LOG.setLevel(1000)
---
LOG.disabled = True
---
table = LIMITS
table["low"] = 1
---
dict.update(LIMITS, low=1)
---
LIMITS.update(low=1)
---
update = dict.update
update(LIMITS, low=1)
---
d = dict
d.update(LIMITS, low=1)
---
go = LIMITS.update
go(low=1)
---
import functools
functools.partial(dict.update, LIMITS)(low=1)
---
[*map(SEEN.append, [1])]
---
[*map(list.append, [SEEN], [1])]
---
import operator
operator.setitem(LIMITS, "low", 1)
---
from operator import setitem as go
go(LIMITS, "low", 1)
---
import operator
[*map(operator.setitem, [LIMITS], ["low"], [1])]
---
import operator
operator.methodcaller("update", low=1)(LIMITS)
---
import operator
operator.attrgetter("update")(LIMITS)(low=1)
---
[*map(setattr, [Account], ["rate"], [2])]
---
vars(Account).update(rate=1)
---
def put(t):
    t["low"] = 1
put(LIMITS)
---
def put(t, k=LIMITS):
    k["low"] = 1
put(1)
---
(lambda t: t.update(low=1))(LIMITS)
---
put = lambda t=LIMITS: t.update(low=1)
put()
---
[each.append(1) for each in NESTED.values()]
---
for k, each in NESTED.items():
    each += [1]
---
for each in [LIMITS]:
    each["low"] = 1
---
match LIMITS:
    case dict() as t:
        t["low"] = 1
---
match {"a": LIMITS}:
    case {"a": t}:
        t["low"] = 1
---
if (t := LIMITS):
    t["low"] = 1
---
t = LIMITS
t |= {"low": 1}
---
t = SEEN
t += [1]
---
del LIMITS["low"]
---
t = LIMITS
del t["low"]
---
global COUNT
COUNT = 1
---
try:
    raise ValueError
except ValueError as e:
    e.__traceback__.tb_frame.f_globals["x"] = 1
---
(x for x in ()).gi_frame.f_globals["x"] = 1
---
import sys
sys.modules["json"] = None
---
import weakref
weakref.finalize(value, print)
---
import atexit
atexit.register(print)
---
import codecs
codecs.register(print)
---
import copyreg
copyreg.pickle(int, print)
---
import warnings
warnings.simplefilter("ignore")
---
import decimal
decimal.getcontext().prec = 5
---
import random
random.seed(0)
---
import locale
locale.setlocale(0, "C")
---
os.environ["X"] = "1"
---
e = os.environ
e["X"] = "1"
---
os.environ.update(X="1")
---
os.path.join = len
---
p = os.path
p.join = len
---
"{0.__class__.__init__.__globals__}".format(Account)
---
"{0.gi_frame.f_globals}".format((x for x in ()))
---
t = "{0.gi_" + "frame}"
t.format((x for x in ()))
---
str.format("{0.gi_frame}", (x for x in ()))
---
"{0.gi_frame}".format_map({})
---
class Box:
    def __class_getitem__(cls, x):
        LIMITS["low"] = 1
Box[1]
---
class Box:
    def __set_name__(self, owner, name):
        SEEN.append(1)
---
class Box:
    def __init__(self, t):
        self.t = t
    def put(self):
        self.t["low"] = 1
Box(LIMITS).put()
---
class Box:
    t = LIMITS
Box.t["low"] = 1
---
class Box:
    t = LIMITS
    def put(self):
        self.t["low"] = 1
Box().put()
---
from types import SimpleNamespace
SimpleNamespace(t=LIMITS).t["low"] = 1
---
[LIMITS][0]["low"] = 1
---
{"t": LIMITS}["t"]["low"] = 1
---
(LIMITS or {})["low"] = 1
---
(LIMITS if value else {})["low"] = 1
---
table()["low"] = 1
---
def own():
    return LIMITS
own()["low"] = 1
---
def own():
    yield LIMITS
for t in own():
    t["low"] = 1
---
def own():
    t = LIMITS
    def inner():
        nonlocal t
        t["low"] = 1
    inner()
own()
---
next(iter([LIMITS]))["low"] = 1
---
max([LIMITS], key=len)["low"] = 1
---
[*filter(None, [LIMITS])][0].clear()
---
sorted([LIMITS], key=lambda t: t.update(low=1))
---
min([LIMITS], key=dict.clear)
---
[*map(dict.clear, [LIMITS])]
---
json.loads("{}", object_hook=LIMITS.update)
---
json.loads("{}", object_hook=eval)
---
re.sub("a", lambda m: LIMITS.update(low=1) or "", "a")
---
Account.rate = 2
---
Account().table["x"] = 1
---
a = Account
a.rate = 2
---
Account().__class__.rate = 2
---
type(Account()).rate = 2
---
clamp.calls = 1
---
table.__code__ = clamp.__code__
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
import abc
abc.ABCMeta("Box", (), {})
---
class Meta(type):
    pass
Meta("Box", (), {})
---
make = type
make("Box", (), {})
---
[*map(type, ["B"], [()], [{}])]
---
import functools
functools.partial(type, "B", ())({})
---
(type)("B", (), {})
---
int.__class__("B", (), {})
---
import functools
functools.wraps(clamp)(json.JSONDecoder)
---
import functools
functools.total_ordering(Account)
---
import dataclasses
dataclasses.dataclass(Account)
---
typing.final(Account)
---
import heapq
heapq.heappush(SEEN, 1)
---
import bisect
bisect.insort(SEEN, 1)
---
import random
random.shuffle(SEEN)
---
import collections
collections.ChainMap(LIMITS)["low"] = 1
---
import collections
collections.ChainMap({}, LIMITS).maps[1]["low"] = 1
---
import collections.abc
collections.abc.Sequence.register(Account)
---
import itertools
next(itertools.chain([LIMITS]))["low"] = 1
---
import contextlib
with contextlib.nullcontext(LIMITS) as t:
    t["low"] = 1
---
import contextlib
with contextlib.closing(SEEN) as t:
    t.append(1)
---
import contextlib
s = contextlib.ExitStack()
s.callback(LIMITS.clear)
---
import contextlib
s = contextlib.ExitStack()
s.callback(dict.clear, LIMITS)
---
import threading
threading.Thread(target=LIMITS.clear).start()
---
import threading
threading.Thread(target=dict.clear, args=(LIMITS,)).start()
---
import functools
functools.reduce(lambda t, k: t.update(low=1) or t, [1], LIMITS)
---
import copy
copy.copy(NESTED)["a"].append(1)
---
list(NESTED.values())[0].append(1)
---
a, b = LIMITS, 1
a["low"] = 1
---
a, *b = [LIMITS, LIMITS]
b[0]["low"] = 1
---
[a] = [LIMITS]
a["low"] = 1
---
LIMITS.__setitem__("low", 1)
---
dict.__setitem__(LIMITS, "low", 1)
---
LIMITS.__ior__({"low": 1})
---
object.__setattr__(Account, "rate", 2)
---
super(Account, Account).__setattr__("rate", 2)
---
enum = re.enum
---
import string
string.Formatter().format("{0.gi_frame}", value)
---
class V(typing.NamedTuple):
    x: "__import__('os').system('x')"
---
def g(x: "__import__('os').system('x')"):
    pass
---
T = typing.TypeVar("T", bound="__import__('os').system('x')")
---
typing.ForwardRef("__import__('os')")
---
@LIMITS.update
def g():
    pass
---
@(lambda f: LIMITS.clear())
def g():
    pass
---
class C:
    LIMITS["low"] = 1
---
async def g():
    LIMITS["low"] = 1
asyncio.run(g())
---
async def g():
    asyncio.get_running_loop().run_in_executor(None, print)
---
f = LIMITS.__class__.update
f(LIMITS, low=1)
---
LIMITS.setdefault("x", []).append(1)
---
def g(*args):
    args[0]["low"] = 1
g(LIMITS)
---
def g(**kw):
    kw["t"]["low"] = 1
g(t=LIMITS)
---
def g(t):
    return t
g(LIMITS)["low"] = 1
---
def g(f):
    f(LIMITS)
g(dict.clear)
---
def g(f, t):
    f(t)
g(dict.clear, LIMITS)
---
fs = [dict.clear]
fs[0](LIMITS)
---
fs = {"a": dict.clear}
fs["a"](LIMITS)
---
fs = {"a": dict.clear}
for f in fs.values():
    f(LIMITS)
---
import operator
o = operator.setitem
o(LIMITS, "low", 1)
---
x = [0]
x[0] = LIMITS
x[0]["low"] = 1
---
class D(dict):
    pass
D.update(LIMITS, low=1)
---
os.sep = "x"
---
os.getcwd()
---
for LIMITS["low"] in [1]:
    pass
---
with PurePath("x") as LIMITS["low"]:
    pass
---
[0 for LIMITS["low"] in [1]]
---
value, LIMITS["low"] = 1, 2
---
asyncio.get_event_loop_policy()
---
Enum("X", {"a": 1})._member_map_.update(x=1)
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
    assert [each for each in WAYS_ROUND.split("---\n") if not said_of(each)] == []


def test_what_changes_only_its_own_values_needs_no_caution() -> None:
    assert [said_of(each) for each in ORDINARY.split("---\n") if said_of(each)] == []
