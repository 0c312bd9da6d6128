"""What cannot be checked is said with its reason; what can be is let through."""

from __future__ import annotations

from textwrap import dedent

import pytest

from assay_engine.specification.supportable import imported_roots, unsupported
from assay_engine.types import Problem, ProblemKind
from support.specifying import specified


def refused(text: str, qualname: str = "f") -> Problem | None:
    specification = specified(dedent(text).lstrip("\n"), qualname)
    missing = {"absent", "helpers"}
    return unsupported(specification, importable=lambda name: name not in missing)


def check(text: str, kind: ProblemKind | None, *words: str, qualname: str = "f") -> None:
    """A refusal of a kind whose one sentence has all the words in it; or none."""
    problem = refused(text, qualname)
    if kind is None:
        assert problem is None
    else:
        assert problem is not None
        assert problem.kind is kind
        for word in words:
            assert word in problem.message
        assert problem.message.endswith(".")
        assert "\n" not in problem.message


def function(body: str, head: str = "", header: str = "def f(x):") -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"{head}\n{header}\n    'Doc.'\n{lines}\n"


INPUT_OUTPUT = {
    "a process": (function("return sp.run(x)", "import subprocess as sp"), "subprocess.run"),
    "a socket": (function("return socket.socket()", "import socket"), "socket.socket"),
    "a request": (function("return requests.get(x)", "import requests"), "requests.get"),
    "a request by its parts": (
        function("return urlopen(x)", "from urllib.request import urlopen"),
        "urllib.request.urlopen",
    ),
    "a database": (function("return psycopg.connect(x)", "import psycopg"), "psycopg.connect"),
    "an import within": (function("import httpx\nhttpx.get(x)"), "httpx.get"),
}


@pytest.mark.parametrize("case", INPUT_OUTPUT)
def test_input_and_output_are_refused_by_name(case: str) -> None:
    text, name = INPUT_OUTPUT[case]
    starts = "popen" in text or "subprocess" in text
    advice = "starts a program, whose effects cannot be compared; let the caller start it"
    check(text, ProblemKind.INPUT_OUTPUT, name, advice if starts else "pass the data in")


def test_a_refusal_gives_the_line() -> None:
    text = function("y = 1\nreturn socket(x)", "from socket import socket", "def f(\n    x,\n):")
    check(text, ProblemKind.INPUT_OUTPUT, "Line 6 of this function (`return socket(x)`)")


def test_a_line_that_is_quoted_commands_no_terminal() -> None:
    text = function("return socket('\x1b[31m')", "from socket import socket")
    check(text, ProblemKind.INPUT_OUTPUT, r"(`return socket('\x1b[31m')`)")


HARMLESS = {
    "a helper that starts a program": function(
        "return g(x)", "import os\ndef g(x):\n    return os.popen(x)"
    ),
    "what is read at import": function("return D", "D = open('x').read()"),
    "a link": function("os.symlink(x, 'a')", "import os"),
    "a session that may never be asked": function("return requests.Session()", "import requests"),
    "a file that is read": function("with open(x) as g:\n    return g.read()"),
    "a path's method": function("return x.read_text()"),
    "a path that is opened": function("return Path(x).open()", "from pathlib import Path"),
    "a file that is removed": function("rm(x)", "from os import remove as rm"),
    "a question to the disk": function("return os.path.exists(x)", "import os"),
    "a folder that is removed by a helper": function(
        "return g(x)", "import shutil\ndef g(x): shutil.rmtree(x)"
    ),
    "standard input and output": function("print(input(), x)"),
    "clocks, chance and sleep": function(
        "time.sleep(0)\nreturn datetime.now(), random.random(), time.time()",
        "import time, random\nfrom datetime import datetime",
    ),
    "logging": function("log.info(x)", "import logging\nlog = logging.getLogger('a')"),
    "a database in memory": function("return sqlite3.connect(':memory:')", "import sqlite3"),
    "an `open` of its own": function("return open(x)", "def open(x): return x"),
    "a method called `open` or `exists`": function("return x.open() or x.exists()"),
    "string replacement beside pathlib": function(
        "return x.replace('a', 'b'), Path(x).name", "from pathlib import Path"
    ),
    "parsing addresses": function(
        "return urlparse(x), quote(x)", "from urllib.parse import urlparse, quote"
    ),
    "paths by name": function("return os.path.join(x, 'a'), os.environ", "import os"),
    "methods that it does not reach": function(
        "return C(x)", "class C:\n    def save(self): open('x')"
    ),
    "functions in a branch that it does not reach": function(
        "return K + x", "import os\nif os:\n    K = 1\n    def g(x): return os.popen(x)"
    ),
    "callbacks": function("return x(1)"),
    "generators": function("yield x"),
    "coroutines": function("return x", header="async def f(x):"),
    "known decorators": function(
        "return x",
        "import functools, typing",
        "@functools.lru_cache(maxsize=None)\n@typing.no_type_check\ndef f(x):",
    ),
    "decorators of the file": function("return x", "def deco(g): return g", "@deco\ndef f(x):"),
    "an implementation of a generic function": function(
        "return x",
        "from functools import singledispatch\n@singledispatch\ndef g(x): return x",
        "@g.register\ndef f(x: int):",
    ),
    "a function by its example": (
        "def f(x):\n    '''\n    >>> f(1)(2)\n    3\n    '''\n    return lambda y: x + y\n"
    ),
    "what a function inside gives": function("def g(): return x\nreturn g()"),
    "a name that is no function any more": function("def g(): return x\ng = g()\nreturn g"),
    "a function or not": function("def g(): return x\nif x: return g\nreturn None"),
    "nothing to vary but its input": function("return input()", header="def f():"),
    "nothing to vary but an example": "def f():\n    '''f() -> 1'''\n    return 1\n",
    "a failing import that is provided for": function(
        "return g", "try:\n    import absent as g\nexcept ImportError:\n    g = None"
    ),
    "an import for types": function(
        "return x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from absent import T",
        "def f(x: 'T'):",
    ),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_can_be_checked_is_let_through(case: str) -> None:
    check(HARMLESS[case], None)


SHAPES = {
    "a closure": (
        "def outer(k):\n    def f(x):\n        'Doc.'\n        return k\n    return f\n",
        "outer.<locals>.f",
        "pass them in as parameters",
    ),
    "a test": (
        "def test_f(x):\n    'Doc.'\n    return x\n",
        "test_f",
        "the function that it tests",
    ),
    "nothing to vary": ("def f():\n    'Doc.'\n    return 1\n", "f", "example"),
    "only dots": ("def f(x):\n    'Doc.'\n    ...\n", "f", "no body"),
    "only a pass": ("def f(x):\n    'Doc.'\n    pass\n", "f", "no body"),
    "only not implemented": (
        "def f(x):\n    'Doc.'\n    raise NotImplementedError('a')\n",
        "f",
        "no body",
    ),
    "a setter": (
        "class C:\n    @f.setter\n    def f(self, x):\n        'Doc.'\n        self.x = x\n",
        "C.f",
        "property",
    ),
    "an abstract method": (
        "class C:\n    @abstractmethod\n    def f(self, x):\n        'Doc.'\n        return 1\n",
        "C.f",
        "abstract",
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_shapes_that_cannot_be_called_are_refused(case: str) -> None:
    text, qualname, words = SHAPES[case]
    check(text, ProblemKind.UNSUPPORTED_SHAPE, words, qualname=qualname)


def test_a_function_without_a_docstring_is_refused() -> None:
    check("def f(x): return x\n", ProblemKind.NO_DOCSTRING, "`f`")
    check("def f(x):\n    '  '\n    return x\n", ProblemKind.NO_DOCSTRING)


def test_a_missing_import_is_named() -> None:
    check(function("import absent.inner as g\nreturn g"), ProblemKind.MISSING_IMPORT, "`absent`")
    # Nothing stands for it where it is missing.
    optional = "try:\n    import absent as g\nexcept ImportError:\n    pass\nreturn g"
    check(function(optional), ProblemKind.MISSING_IMPORT, "`absent`")
    # What its module imports shows when that is loaded.
    check(function("return g", "import absent.inner as g"), None)
    check(function("from helpers import g\nreturn g"), ProblemKind.MISSING_IMPORT, "`helpers`")


def test_the_roots_are_those_that_the_function_cannot_do_without() -> None:
    text = """\
import os.path
def f():
    import numpy
    if TYPE_CHECKING:
        import pandas
    try:
        from windows import h
    except ImportError:
        h = None
    return os, h
"""
    assert imported_roots(specified(text)) == ("numpy",)
