"""What no trial can vouch for in a candidate, by what its text says."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import pytest

from assay_engine import digest
from assay_engine.cli.text import report_lines
from assay_engine.fixes.cautions.cautions import caution_about
from assay_engine.fixes.cautions.harmless import HARMLESS
from assay_engine.pages.evidence_page import evidence_page
from assay_engine.types import Caution, Cost, Replacement, Report, Status, Verdict

FILE = '''\
import os.path
from pathlib import Path

import numpy as np


def f(xs):
    """Do something."""
    return os.path.join(*xs), np.array(xs), Path(xs[0]).read_text()
'''


def about(candidate: str, text: str = FILE) -> str:
    """The code and the reason of the caution, or nothing."""
    caution = caution_about(text, candidate, "f")
    if caution is None:
        return ""
    assert caution.code.strip("()") in candidate.replace('"', "'").splitlines()[caution.line - 1]
    return f"{caution.code}: {caution.reason}"


ORDINARY = r'''
def f(xs):
    return sorted(set(xs), key=len)
---
import math
from functools import lru_cache


@lru_cache(maxsize=None)
def half(x, by=2, *, up: bool = False) -> float:
    return math.floor(x / by)


def f(xs):
    return [half(x) for x in xs]
---
import re

_WORD = re.compile(r"\w+", re.I)
_VOWELS = frozenset("aeiou")
_N: int = -(2**8)
_BOTH = {"a": frozenset(_VOWELS), **{}}


def f(xs):
    return _WORD, _BOTH, _N
---
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Node:
    """One."""

    value: "int"
    below: list["Node"] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.below)

    @size.setter
    def size(self, size: int) -> None:
        self.below = [None] * size


def f(xs):
    return Node(xs).size
---
def f(open):
    input = open.input
    return [vars for vars in input]
---
def f(xs):
    return os.path.join(*xs), np.linalg.norm(xs), Path(xs[0]).stem
---
def f(xs):
    return getattr(xs, "size", 0), type(xs).__name__, xs.__class__, xs._replace(x=1)
---
import datetime


def f(xs):
    return datetime.datetime.now().time().isoformat()
---
class Own(Exception):
    def __init__(self, x):
        super().__init__(x)


def f(xs):
    raise Own(xs)
---
from abc import ABC, abstractmethod
from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Generic, NamedTuple, Optional, Protocol, TypedDict, TypeVar

T = TypeVar("T")
Handler = Callable[[int], Optional[str]]
_TABLE = {"a": [1, 2], "b": []}
_FIRST = _TABLE["a"][0]
_KEY = lambda pair, by=_FIRST: pair[by]


class Mode(Enum):
    FAST = auto()
    SLOW = "slow"

    def __str__(self):
        return self.value


class Point(NamedTuple):
    x: int
    y: int = 0


class Options(TypedDict, total=False):
    mode: Mode


class Shape(ABC, Generic[T]):
    __slots__ = ("_size", "items")
    __match_args__ = ("items",)

    def __init__(self, items: Iterable[T]) -> None:
        self.items = list(items)
        self._size = len(self.items)

    @abstractmethod
    def area(self) -> float: ...


class Square(Shape[int]):
    def area(self, mode: Mode = Mode.FAST, handler: Handler | None = None) -> float:
        return self._size**2


def f(xs) -> "Shape[int]":
    """Square what is there, see `__init__`."""
    (first, *_) = Point(1)._replace(y=2)
    match Square(xs):
        case Square([Point(x)]) | Square([int(x)]):
            return x
    return first, getattr(xs, "items", None), f"{xs!r}__{first}"
---
import asyncio
import functools
import operator
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, localcontext
from io import StringIO
from random import Random


def logged(function):
    @functools.wraps(function)
    def inner(*args):
        with threading.Lock():
            return function(*args)

    return inner


def f(xs):
    async def one(x):
        async with asyncio.Semaphore(2), asyncio.timeout(1):
            return await asyncio.wait_for(asyncio.sleep(0, x), 1)

    async def every():
        return await asyncio.gather(*map(one, xs))

    warnings.warn("slow", stacklevel=2)
    with localcontext() as context, ThreadPoolExecutor() as pool:
        context.prec = min(sys.maxsize, 9)
        done = sorted(pool.map(logged(Decimal), xs), key=operator.attrgetter("real"))
    out = StringIO()
    out.write("x")
    return asyncio.run(every()), done, Random(1).random(), out.getvalue()
---
class Vector:
    def __init__(self, items):
        self.items = items

    def __add__(self, other):
        return Vector(self.items + other.items)

    def __neg__(self):
        return Vector([-each for each in self.items])


def f(xs):
    total = -(Vector(xs) + Vector([os.sep]))
    total.items.sort()
    copy, time = {}, [total]
    copy.update(a=1)
    time.append(copy)
    return time
---
def half(x: np.ndarray[int]) -> list[int]:
    return np.linalg.norm(x) / 2


def f(xs):
    return np.random.default_rng(1).normal(), half(xs), xs.to_dict("records")
'''


# A decorator of a helper, the decorator's own name being the first that is bound.
DECORATED = """
import functools


{decorator}


@{used}
def half(x):
    return x / 2


def f(xs):
    return [half(x) for x in xs]
"""
ONLY_WRAPPING = {
    "wrapping": """
def twice(function):
    \"\"\"Call it twice.\"\"\"
    @functools.wraps(function)
    def inner(x):
        return function(function(x))
    return inner
""",
    "keeping": """
def twice(function):
    known = {}
    def inner(x):
        return known.setdefault(x, function(x))
    return inner
""",
    "giving back": "def twice(function):\n    return function",
}
FACTORY = """
def twice(times=2):
    def wrap(function):
        def inner(x):
            return function(x) * times
        {more}
        return inner
    return wrap
"""
DOING = {
    "printing": "def twice(function):\n    print(1)\n    return function",
    "calling": "def twice(function):\n    return function(1)",
    "returning what it calls": "def twice(function):\n    def inner(x): ...\n    return inner(1)",
    "in a default": "def twice(function):\n    def inner(x=print(1)): return x\n    return inner",
    "bound again": "def twice(function):\n    return function\n\ntwice = print",
}


@pytest.mark.parametrize(
    ("decorator", "used"),
    [*((each, "twice") for each in ONLY_WRAPPING.values()), (FACTORY.format(more=""), "twice(3)")],
)
def test_a_decorator_that_only_wraps_needs_no_caution(decorator: str, used: str) -> None:
    assert about(DECORATED.format(decorator=decorator, used=used)) == ""


@pytest.mark.parametrize(
    ("decorator", "used"),
    [
        *((each, "twice") for each in DOING.values()),
        (FACTORY.format(more="print(1)"), "twice(3)"),
        (FACTORY.format(more=""), "twice(print(1))"),
        # Called once more than it has functions within.
        (ONLY_WRAPPING["wrapping"], "twice(len)"),
    ],
)
def test_a_decorator_that_does_more_is_pointed_out(decorator: str, used: str) -> None:
    said = about(DECORATED.format(decorator=decorator, used=used))
    assert said.endswith("runs whenever the file is imported")


@pytest.mark.parametrize("candidate", ORDINARY.split("---\n"))
def test_ordinary_code_needs_no_caution(candidate: str) -> None:
    assert about(candidate) == ""


@pytest.mark.parametrize(
    ("top", "code"),
    [
        ("_HERE = 'x' in MODULES or START('curl')", "'x' in MODULES or START('curl')"),
        ("START()", "START()"),
        ("for _ in ():\n    pass", "for _ in ():"),
        ("if True:\n    LATER = 1", "if True:"),
        ("try:\n    import re\nexcept ImportError:\n    re = None", "try:"),
        ("def g(x=START()):\n    pass", "START()"),
        ("def g(x: START() = 1):\n    pass", "START()"),
        ("def g(x) -> START():\n    pass", "START()"),
        ("@START\ndef g(x):\n    pass", "START"),
        ("class G:\n    x = START()", "START()"),
        ("class G(START()):\n    pass", "START()"),
        ("class G:\n    @START\n    def g(self):\n        pass", "START"),
        ("class G:\n    print()", "print()"),
        ("G.x = 1", "G.x = 1"),
        ("G: int = START()", "START()"),
        ("G = sorted([1], key=START)", "sorted([1], key=START)"),
        ("G = sorted([1], key=lambda x: x)", "sorted([1], key=lambda x: x)"),
        ("G = [START for _ in ()]", "[START for _ in ()]"),
        ("G = lambda x=START(): x", "lambda x=START(): x"),
        ("G = lambda *, x=START(): x", "lambda *, x=START(): x"),
        ("class G(metaclass=START):\n    pass", "START"),
        ("M = abs\nclass G(metaclass=M):\n    pass", "M"),
        ("class G:\n    def __init_subclass__(cls):\n        pass", "def __init_subclass__(cls):"),
        ("class G:\n    __class_getitem__ = START", "__class_getitem__"),
        ("class G:\n    class __set_name__:\n        pass", "class __set_name__:"),
        ("class G:\n    from re import escape as __prepare__", "escape as __prepare__"),
        ("G = Hooked[1]", "Hooked[1]"),
        ("class G(Deeper):\n    pass", "Deeper"),
        ("def g(x: Deeper[1]):\n    pass", "Deeper[1]"),
        ("G = START[1]", "START[1]"),
        ("G = '%s' % START", "'%s' % START"),
        (
            "class G:\n    @classmethod\n    @property\n    def x(cls):\n        return 1\ng = G.x",
            "G.x",
        ),
        (
            "import enum\nclass G(enum.Enum):\n    X = 1\n    def __init__(self, x):\n        pass",
            "class G(enum.Enum):",
        ),
        ("import operator\n@operator.call\ndef g():\n    pass", "operator.call"),
        ("def h(x):\n    return x()\n@h\ndef g():\n    pass", "h"),
        ("import functools\n@functools.reduce\ndef g():\n    pass", "functools.reduce"),
        ("def __getattr__(name):\n    pass", "def __getattr__(name):"),
        ("__all__ = ['f']", "__all__"),
    ],
)
def test_what_runs_at_every_import_is_pointed_out(top: str, code: str) -> None:
    uses = "g, G, _HERE, LATER, re"
    candidate = f"START = MODULES = print\n{top}\n\n\ndef f(xs):\n    return {uses}\n"
    text = f"{FILE}\n\nclass Hooked:\n    def __class_getitem__(cls, key): ...\n"
    text += "    def __init_subclass__(cls): ...\n\n\nclass Deeper(Hooked): ...\n"
    assert about(candidate, text) == f"{code}: runs whenever the file is imported"


def test_what_the_file_has_run_at_import_already_needs_no_caution() -> None:
    text = "class Meta(type): ...\n\n\nclass Base(metaclass=Meta): ...\n\n\nclass One(Base): ...\n"
    text += "\n\n@registered(1)\ndef g(): ...\n\n\ndef f(xs): ...\n"
    mine = "class Two(Base): ...\nclass Three(metaclass=Meta): ...\n@registered(2)\ndef h(): ...\n"
    assert about(f"{mine}def f(xs):\n    return Two, h\n", text) == ""


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("global LIMIT\n    LIMIT = 0", "global LIMIT"),
        ("Account.check = len", "Account.check"),
        ("TABLE['a'] = xs", "TABLE['a']"),
        ("TABLE['a'] += xs", "TABLE['a']"),
        ("del TABLE['a']", "TABLE['a']"),
        ("return TABLE.pop('a')", "TABLE.pop('a')"),
        ("SEEN.append(xs)", ""),
        ("TABLE = {}\n    TABLE['a'] = xs", ""),
        ("np.add(xs, xs)", ""),
    ],
)
def test_what_changes_the_rest_of_the_file_is_pointed_out(body: str, code: str) -> None:
    text = f"{FILE}\nLIMIT = 1\nTABLE = {{}}\nSEEN = []\n\n\nclass Account: ...\n\n\n"
    text += "def g(x):\n    SEEN.append(x)\n"
    said = about(f"def f(xs):\n    {body}\n", text)
    assert said.partition(": changes")[0] == code
    assert said.endswith("for the whole file") is bool(code)


def test_a_helper_named_like_a_builtin_is_pointed_out() -> None:
    candidate = "def max(x, y):\n    return x\n\n\ndef f(xs):\n    return max(xs)\n"
    assert about(candidate) == "def max(x, y):: takes the place of max in the whole file"
    assert about(candidate, "from mine import max\n\n\ndef f(xs): ...\n") == ""


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("import os, os.path\n    return os.system('ls')", "os.system"),
        ("return os.system('ls')", "os.system"),
        ("from os import system as go\n    return go('ls')", "os.system"),
        ("import subprocess", "import subprocess"),
        ("import socket as math\n    return math.gethostname()", "import socket"),
        ("from . import conftest", "..conftest"),
        ("from tests import conftest", "tests.conftest"),
        ("import numpy.testing", "import numpy.testing"),
        ("return np.os.system('ls')", "numpy.os.system"),
        ("return random._os", "random._os"),
        ("import re\n    return re.enum.sys.modules", "re.enum.sys.modules"),
        ("import re\n    m = re\n    return m.enum", "re"),
        ("return open('x')", "open"),
        ("return eval('1')", "eval"),
        ("return [exec][0]('1')", "exec"),
        ("return __import__('os')", "__import__"),
        ("return globals()['x']", "globals"),
        ("return __builtins__", "__builtins__"),
        ("return __file__", "__file__"),
        ("return getattr(xs, 'gi' + '_frame')", "getattr"),
        ("return getattr(np, 'os')", "numpy"),
        ("return setattr(xs, '__dict__', {})", "setattr"),
        ("return max(xs, key=getattr)", "getattr"),
        ("return ().__class__.__base__.__subclasses__()", "__subclasses__"),
        ("return f.__globals__", "__globals__"),
        ("return (lambda: 0).__code__", "__code__"),
        ("return xs.gi_frame", "gi_frame"),
        ("match xs:\n        case object(__dict__=x):\n            return x", "__dict__"),
        ("return Path(xs).unlink()", "unlink"),
        ("return Path(xs).write_text('')", "write_text"),
        ("return Path(xs).replace('y')", "replace"),
        ("return Path(xs).rename('y')", "rename"),
        ("import operator\n    return operator.attrgetter(xs)", "operator.attrgetter"),
        ("import string\n    return string.Formatter()", "string.Formatter"),
        ("import typing\n    return typing.get_type_hints(xs)", "typing.get_type_hints"),
        ("import asyncio\n    return asyncio.get_event_loop()", "asyncio.get_event_loop"),
        ("return xs.subprocess_exec('ls')", "subprocess_exec"),
        (
            "import asyncio\n    return asyncio.events.new_event_loop()",
            "asyncio.events.new_event_loop",
        ),
        ("import functools\n    return functools.singledispatch(f)", "functools.singledispatch"),
        ("return len.__self__.reader('x')", "__self__"),
        ("import json\n    return json.codecs.open('x', 'w')", "json.codecs.open"),
        ("import urllib.parse\n    return urllib.request.urlopen(xs)", "urllib.request.urlopen"),
        ("import ctypes", "import ctypes"),
        ("import antigravity", "import antigravity"),
        ("import sys\n    return sys.modules", "sys.modules"),
        ("import enum\n    enum.bltns.exec('1')", "enum.bltns.exec"),
        ("import re\n    re.enum.bltns.exec('1')", "re.enum.bltns.exec"),
        ("import typing\n    typing.get_args(typing.Optional['1'])[0]._evaluate()", "_evaluate"),
        ("import functools\n    functools.update_wrapper(xs, f)", "functools.update_wrapper"),
        ("import functools\n    functools.wraps(f, assigned=xs)", "functools.wraps"),
        ("from functools import wraps\n    return map(wraps, xs)", "functools.wraps"),
        (
            "import contextlib\n    return contextlib.redirect_stdout(xs)",
            "contextlib.redirect_stdout",
        ),
        ("import contextlib\n    return contextlib.chdir('/')", "contextlib.chdir"),
        ("import asyncio\n    return asyncio.Runner()", "asyncio.Runner"),
        ("import asyncio\n    return asyncio.SelectorEventLoop()", "asyncio.SelectorEventLoop"),
        ("import asyncio\n    return asyncio.Future().get_loop()", "get_loop"),
        ("return xs.loop.getaddrinfo('a', 1)", "getaddrinfo"),
        ("return xs._make_subprocess_transport(1)", "_make_subprocess_transport"),
        ("from json import tool\n    return tool.Path('p').open('w')", "json.tool"),
        ("import warnings\n    warnings.formatwarning('', 1, xs, 1)", "warnings.formatwarning"),
        ("import warnings\n    warnings.simplefilter('ignore')", "warnings.simplefilter"),
        ("from shlex import shlex\n    return shlex(xs)", "shlex.shlex"),
        ("random.seed(0)", "random.seed"),
        ("import threading\n    threading.setprofile(xs)", "threading.setprofile"),
        ("import threading\n    @threading.settrace\n    def g(): ...", "threading.settrace"),
        ("import decimal\n    decimal.getcontext().prec = 2", "decimal.getcontext"),
        ("import weakref\n    weakref.finalize(xs, print)", "weakref.finalize"),
        ("return '{0.__globals__}'.format(f)", "format"),
        ("return ('{0.__glo' + 'bals__}').format(f)", "format"),
        ("return xs._private", "_private"),
        ("xs._private.x = 1", "_private"),
        ("return getattr(xs, '_private')", "getattr"),
        ("return getattr(Path(xs), 'unlink')()", "getattr"),
        ("go = Path(xs).unlink\n    go()", "unlink"),
        ("match xs:\n        case object(_private=x):\n            return x", "_private"),
        ("class G:\n        __match_args__ = ('__globals__',)", "__match_args__"),
        ("class G:\n        __match_args__ = ('_private',)", "__match_args__"),
        ("class G:\n        __match_args__ = tuple(xs)", "__match_args__"),
        ("class G:\n        __reduce_ex__ = xs", "__reduce_ex__"),
        (
            "Box = xs\n    match f:\n        case Box(x):\n            return x",
            "Box",
        ),
        (
            "class Box(xs): ...\n    match f:\n        case Box(x): ...",
            "Box",
        ),
        (
            "class Box(metaclass=f): ...\n    match f:\n        case Box(x):\n            return x",
            "Box",
        ),
        ("import ast\n    xs._fields = xs\n    return [*ast.iter_fields(xs)]", "ast.iter_fields"),
        ("return (x for x in xs).gi_code.replace(co_names=xs)", "gi_code"),
        ("return xs.apply('to_csv', path_or_buf='x')", "to_csv"),
        ("np.random.seed(0)", "numpy.random.seed"),
        ("return np.save('x', xs)", "numpy.save"),
        ("return np.load('x')", "numpy.load"),
        ("return np.testing.measure('1')", "numpy.testing.measure"),
        ("return np.array(xs).tofile('x')", "tofile"),
        ("return xs.to_csv('x')", "to_csv"),
        ("return xs.query('1')", "query"),
        ("return np.random.os", "numpy.random.os"),
    ],
)
def test_a_name_that_reaches_outside_is_pointed_out(body: str, name: str) -> None:
    said = about(f"import random\n\n\ndef f(xs):\n    {body}\n")
    assert said.endswith(f"reaches outside ({name})"), said


def test_what_the_file_does_already_needs_no_caution() -> None:
    text = (
        "import os\n\n\ndef f(xs):\n    return os.system(xs)\n\n\ndef g():\n    return eval('1')\n"
    )
    assert about("def f(xs):\n    return os.system(xs) or eval(xs)\n", text) == ""
    assert "os.remove" in about("def f(xs):\n    return os.remove(xs)\n", text)
    assert "(os)" in about("def f(xs):\n    here = os\n    return here.remove(xs)\n", text)


def test_private_names_and_texts_of_the_file_need_no_caution() -> None:
    text = "def f(xs):\n    return xs._rows, '__main__'\n\n\nclass G:\n    def _own(self): ...\n"
    assert about("def f(xs):\n    return xs._rows, '__main__', xs._own()\n", text) == ""
    assert about("def f(xs):\n    return xs._columns\n", text).endswith("(_columns)")


def test_no_name_that_only_computes_is_a_module() -> None:
    missing = set[str]()
    for name, members in HARMLESS.items():
        module = import_module(name)
        missing.update(f"{name}.{each}" for each in members if not hasattr(module, each))
        assert not [each for each in members if isinstance(getattr(module, each, 0), ModuleType)]
    # Some of the names came with later Pythons.
    assert len(missing) < 50


def test_a_name_that_only_a_star_import_can_bring_is_pointed_out() -> None:
    text = "from os import *\n\n\ndef f(xs):\n    return path.join(xs)\n"
    assert about("def f(xs):\n    return system(xs)\n", text).endswith("(system)")
    assert about("def f(xs):\n    return len(path.join(xs))\n", text) == ""


def test_a_caution_is_said_wherever_the_replacement_is_shown() -> None:
    caution = Caution(3, "eval('<b>')", "reaches outside (eval)")
    report = Report(
        "module.py",
        "f",
        1,
        digest.of_text(FILE),
        "digest",
        Verdict(Status.SUSPECT, 0.9, None, 1, 1),
        (),
        (),
        (Replacement("def f(xs): ...", "returns 1", "+ eval", caution),),
        (),
        None,
        Cost(),
    )
    text = "\n".join(report_lines(report, set(), verbose=False))
    said = "aution, line 3 of it (`eval('<b>')`) reaches outside (eval)"
    assert f"  replacement, which returns 1; c{said}:" in text
    page = evidence_page(report, nonce="n")
    assert "Caution, line 3 of it (<code>eval(&#39;&lt;b&gt;&#39;)</code>) reaches outside" in page
