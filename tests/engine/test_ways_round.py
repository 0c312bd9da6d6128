"""What a candidate reaches or changes by a way round: aliases, containers, functions, classes."""

from __future__ import annotations

from textwrap import indent

from assay_engine.fixes.cautions.cautions import caution_about

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
setattr(json.JSONDecoder, "decode", len)
json.JSONDecoder.decode = len
logging.getLogger().setLevel(1000)
LOG.setLevel(1000)
LOG.disabled = True
table = LIMITS; table["low"] = 1
dict.update(LIMITS, low=1)
LIMITS.update(low=1)
update = dict.update; update(LIMITS, low=1)
d = dict; d.update(LIMITS, low=1)
go = LIMITS.update; go(low=1)
import functools; functools.partial(dict.update, LIMITS)(low=1)
[*map(SEEN.append, [1])]
[*map(list.append, [SEEN], [1])]
import operator; operator.setitem(LIMITS, "low", 1)
from operator import setitem as go; go(LIMITS, "low", 1)
import operator; [*map(operator.setitem, [LIMITS], ["low"], [1])]
import operator; operator.methodcaller("update", low=1)(LIMITS)
import operator; operator.attrgetter("update")(LIMITS)(low=1)
[*map(setattr, [Account], ["rate"], [2])]
vars(Account).update(rate=1)
(lambda t: t.update(low=1))(LIMITS)
put = lambda t=LIMITS: t.update(low=1); put()
[each.append(1) for each in NESTED.values()]
t = LIMITS; t |= {"low": 1}
t = SEEN; t += [1]
del LIMITS["low"]
t = LIMITS; del t["low"]
global COUNT; COUNT = 1
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
os.path.join = len
p = os.path; p.join = len
"{0.__class__.__init__.__globals__}".format(Account)
"{0.gi_frame.f_globals}".format((x for x in ()))
t = "{0.gi_" + "frame}"; t.format((x for x in ()))
str.format("{0.gi_frame}", (x for x in ()))
"{0.gi_frame}".format_map({})
from types import SimpleNamespace; SimpleNamespace(t=LIMITS).t["low"] = 1
[LIMITS][0]["low"] = 1
{"t": LIMITS}["t"]["low"] = 1
(LIMITS or {})["low"] = 1
(LIMITS if value else {})["low"] = 1
table()["low"] = 1
next(iter([LIMITS]))["low"] = 1
max([LIMITS], key=len)["low"] = 1
[*filter(None, [LIMITS])][0].clear()
sorted([LIMITS], key=lambda t: t.update(low=1))
min([LIMITS], key=dict.clear)
[*map(dict.clear, [LIMITS])]
json.loads("{}", object_hook=LIMITS.update)
json.loads("{}", object_hook=eval)
re.sub("a", lambda m: LIMITS.update(low=1) or "", "a")
Account.rate = 2
Account().table["x"] = 1
a = Account; a.rate = 2
Account().__class__.rate = 2
type(Account()).rate = 2
clamp.calls = 1
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
import heapq; heapq.heappush(SEEN, 1)
import bisect; bisect.insort(SEEN, 1)
import random; random.shuffle(SEEN)
import collections; collections.ChainMap(LIMITS)["low"] = 1
import collections; collections.ChainMap({}, LIMITS).maps[1]["low"] = 1
import collections.abc; collections.abc.Sequence.register(Account)
import itertools; next(itertools.chain([LIMITS]))["low"] = 1
import contextlib; s = contextlib.ExitStack(); s.callback(LIMITS.clear)
import contextlib; s = contextlib.ExitStack(); s.callback(dict.clear, LIMITS)
import threading; threading.Thread(target=LIMITS.clear).start()
import threading; threading.Thread(target=dict.clear, args=(LIMITS,)).start()
import functools; functools.reduce(lambda t, k: t.update(low=1) or t, [1], LIMITS)
import copy; copy.copy(NESTED)["a"].append(1)
list(NESTED.values())[0].append(1)
a, b = LIMITS, 1; a["low"] = 1
a, *b = [LIMITS, LIMITS]; b[0]["low"] = 1
[a] = [LIMITS]; a["low"] = 1
LIMITS.__setitem__("low", 1)
dict.__setitem__(LIMITS, "low", 1)
LIMITS.__ior__({"low": 1})
object.__setattr__(Account, "rate", 2)
super(Account, Account).__setattr__("rate", 2)
enum = re.enum
import string; string.Formatter().format("{0.gi_frame}", value)
T = typing.TypeVar("T", bound="__import__('os').system('x')")
typing.ForwardRef("__import__('os')")
f = LIMITS.__class__.update; f(LIMITS, low=1)
LIMITS.setdefault("x", []).append(1)
fs = [dict.clear]; fs[0](LIMITS)
fs = {"a": dict.clear}; fs["a"](LIMITS)
import operator; o = operator.setitem; o(LIMITS, "low", 1)
x = [0]; x[0] = LIMITS; x[0]["low"] = 1
os.sep = "x"
os.getcwd()
[0 for LIMITS["low"] in [1]]
value, LIMITS["low"] = 1, 2
asyncio.get_event_loop_policy()
Enum("X", {"a": 1})._member_map_.update(x=1)
(lambda f: f(LIMITS))(lambda t: t.clear())
g = (lambda t: t.clear()) if value else None; g(LIMITS)
fs = [lambda t: t.clear()]; fs[0](LIMITS)
import functools; g = functools.partial(lambda t, k: t.clear(), LIMITS); g(1)
import functools; functools.partial(LIMITS.clear)()
import itertools; [*itertools.starmap(dict.__setitem__, [(LIMITS, "low", 1)])]
import itertools; [*itertools.starmap(lambda t: t.clear(), [(LIMITS,)])]
[*map(lambda t: t.clear(), (LIMITS,))]
t, = {LIMITS["low"]: LIMITS}.values(); t.clear()
t = dict(a=LIMITS); t["a"].clear()
t = (LIMITS,) + (); t[0].clear()
t = [LIMITS] * 2; t[0].clear()
t = []; t.append(LIMITS); t[0].clear()
t = {}; t.setdefault("a", LIMITS).clear()
t = {}; t.update(a=LIMITS); t["a"].clear()
t = {}; t |= {"a": LIMITS}; t["a"].clear()
import collections; q = collections.deque([LIMITS]); q.popleft().clear()
import queue; q = queue.SimpleQueue(); q.put(LIMITS); q.get().clear()
import heapq; heapq.heappop([LIMITS]).clear()
import operator; operator.itemgetter("a")({"a": LIMITS}).clear()
import operator; operator.itemgetter(0)([SEEN]).append(1)
import contextvars; v = contextvars.ContextVar("v"); v.set(LIMITS); v.get().clear()
import weakref; weakref.ref(Account)().rate = 2
super(Account, Account()).__class__.rate = 2
Account.__dict__["table"].append(1)
Account.total.__globals__["LIMITS"].clear()
table.__globals__["x"] = 1
table.__defaults__ = ()
Account().total.__func__.__globals__
(lambda: 0).__globals__["x"] = 1
import types; types.MethodType(lambda t: t.clear(), LIMITS)()
import types; types.SimpleNamespace(**{"t": LIMITS}).t.clear()
json.JSONEncoder.default = print
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
table.x = 1
Account.total.x = 1
LOG.handlers.clear()
LOG.addHandler(1)
LOG.parent.handlers.append(1)
LOG.info = print
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
import time; time.sleep = print
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
getattr(LIMITS, "update")(low=1)
c = getattr(LIMITS, "clear"); c()
t = SEEN; t *= 2
import random; random.Random(1).shuffle(SEEN)
g = lambda: lambda: LIMITS; g()().clear()
from dataclasses import dataclass, replace; replace(Account(), rate=LIMITS).rate.clear()
copy = LIMITS; copy.clear()
time = [LIMITS]; time[0].clear()
string = NESTED; string["a"].append(1)
memoryview(LIMITS)[0] = 1
from keyword import kwlist; kwlist.sort()
import keyword; words = keyword.kwlist; words += ["x"]
Enum("Box", {"A": LIMITS}).A.value.clear()
"""
LONGER_WAYS_ROUND = r"""
class Box:
    def put(self, t):
        t["low"] = 1
Box().put(LIMITS)
---
def put(t):
    t["low"] = 1
(put if low else len)(LIMITS)
---
def put(t):
    t["low"] = 1
(q := put)(LIMITS)
---
class Box:
    def __neg__(self):
        return LIMITS
(-Box())["low"] = 1
---
class Box:
    def __lt__(self, other):
        return LIMITS
(Box() < 1)["low"] = 1
---
class Box:
    def __new__(cls):
        return LIMITS
Box()["low"] = 1
---
def give(x):
    return LIMITS
@give
def box():
    return 1
box["low"] = 1
---
def give(x):
    return LIMITS
@give
class Box: ...
Box["low"] = 1
---
def g():
    yield 1
    return LIMITS
def h():
    t = yield from g()
    t["low"] = 1
---
try:
    raise ValueError from KeyError(LIMITS)
except ValueError as e:
    e.__cause__.args[0]["low"] = 1
---
def put(t):
    t["low"] = 1
put(LIMITS)
---
def put(t, k=LIMITS):
    k["low"] = 1
put(1)
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
try:
    raise ValueError
except ValueError as e:
    e.__traceback__.tb_frame.f_globals["x"] = 1
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
import contextlib
with contextlib.nullcontext(LIMITS) as t:
    t["low"] = 1
---
import contextlib
with contextlib.closing(SEEN) as t:
    t.append(1)
---
class V(typing.NamedTuple):
    x: "__import__('os').system('x')"
---
def g(x: "__import__('os').system('x')"):
    pass
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
fs = {"a": dict.clear}
for f in fs.values():
    f(LIMITS)
---
class D(dict):
    pass
D.update(LIMITS, low=1)
---
for LIMITS["low"] in [1]:
    pass
---
with PurePath("x") as LIMITS["low"]:
    pass
---
class P:
    def __getattr__(self, name):
        return getattr(LIMITS, name)
P().update(low=1)
---
class P:
    def __get__(self, a, b):
        return LIMITS
class Q:
    p = P()
Q().p["low"] = 1
---
class P:
    @property
    def t(self):
        return LIMITS
P().t["low"] = 1
---
class P(dict):
    def __missing__(self, k):
        return LIMITS
P()["x"]["low"] = 1
---
def deco(f):
    f(LIMITS)
    return f
@deco
def g(t):
    t["low"] = 1
---
def outer():
    def inner(t):
        t["low"] = 1
    return inner
outer()(LIMITS)
---
import asyncio
async def g():
    return LIMITS
asyncio.run(g()).clear()
---
async def g(t):
    t.clear()
asyncio.run(g(LIMITS))
---
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as pool:
    pool.submit(lambda t: t.clear(), LIMITS)
---
def g():
    x = yield
    x.clear()
h = g()
next(h)
h.send(LIMITS)
---
try:
    raise ValueError(LIMITS)
except ValueError as e:
    e.args[0].clear()
---
class E(Exception):
    pass
try:
    raise E(LIMITS)
except E as e:
    t, = e.args
    t.clear()
---
import contextlib
@contextlib.contextmanager
def g():
    yield LIMITS
with g() as t:
    t.clear()
---
class C:
    def __enter__(self):
        return LIMITS
    def __exit__(self, *a): pass
with C() as t:
    t.clear()
---
class C:
    def __iter__(self):
        yield LIMITS
for t in C():
    t.clear()
---
class C:
    def __call__(self, t):
        t.clear()
C()(LIMITS)
---
class C:
    def __add__(self, t):
        t.clear()
C() + LIMITS
---
class C:
    def __getitem__(self, t):
        t.clear()
C()[LIMITS]
---
class C:
    def __format__(self, s):
        LIMITS.clear()
        return ""
f"{C()}"
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
---
def g():
    return (lambda: LIMITS)
g()().clear()
---
from dataclasses import dataclass, field
@dataclass
class K:
    t: dict = field(default_factory=lambda: LIMITS)
K().t.clear()
---
match LIMITS:
    case object(update=u):
        u(low=1)
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


def test_what_a_candidate_changes_of_its_class_is_pointed_out() -> None:
    caution = caution_about(FILE, "def clamp(cls, low, high):\n    cls.rate = 1\n", "clamp")
    assert caution is not None
    assert caution.reason == "changes cls for the whole program"


def test_what_a_method_does_that_the_file_uses_elsewhere_is_pointed_out() -> None:
    text = f"{FILE}\n\ndef other(engine):\n    engine.launch()\n"
    candidate = "def clamp(value, low, high):\n    LOG.launch()\n    return value\n"
    caution = caution_about(text, candidate, "clamp")
    assert caution is not None
    assert caution.reason == "changes LOG for the whole file"


def test_what_changes_only_its_own_values_needs_no_caution() -> None:
    assert [said_of(each) for each in ORDINARY.split("---\n") if said_of(each)] == []
