"""What no trial can vouch for in a candidate, by what its text says."""

from __future__ import annotations

import pytest

from assay_engine import digest
from assay_engine.cli.text import report_lines
from assay_engine.offering.cautions import caution_about
from assay_engine.saying.evidence_page import evidence_page
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
'''


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
    ],
)
def test_what_runs_at_every_import_is_pointed_out(top: str, code: str) -> None:
    uses = "g, G, _HERE, LATER, re"
    candidate = f"START = MODULES = print\n{top}\n\n\ndef f(xs):\n    return {uses}\n"
    assert about(candidate) == f"{code}: runs whenever the file is imported"


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
        ("import math\n    math.floor = len", "math.floor ="),
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
        ("return Path(xs).unlink()", ".unlink"),
        ("return Path(xs).write_text('')", ".write_text"),
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
