"""Programs that no run can tell apart have one digest, and others do not."""

from __future__ import annotations

import re

import pytest

from assay_engine.dependencies.normalising import normalised_digest

BASE = """\
import os
from re import sub, match

def helper(a, b=1):
    total = a
    return total

def f(x, y):
    total = 0
    for item in x:
        total += helper(item)
    return [total for _ in y], os, sub, match
"""

SAME = {
    "comments and layout": BASE.replace("    total = 0\n", "    # sum\n\n    total   =  (0)\n"),
    "docstrings": BASE.replace("    total = 0\n", "    'Sum.'\n    total = 0\n"),
    "annotations": (
        BASE.replace("(x, y)", "(x: int, y: 'str') -> int")
        .replace("total = 0", "total: int = 0")
        .replace("(a, b=1)", "(a: int, b: int = 1) -> int")
    ),
    "the header's defaults and decorators": BASE.replace("def f(x, y)", "@cache\ndef f(x, y=2)"),
    "how locals are called": BASE.replace("total", "result")
    .replace("item", "each")
    .replace("_", "i"),
    "how imports are written": BASE.replace(
        "import os\nfrom re import sub, match",
        "from re import match\nfrom re import sub\nimport os",
    ),
    "what nobody uses": f"import abc\n{BASE}\nprint(f(1, 2))\n",
    "line ends": BASE.replace("\n", "\r\n"),
}

DIFFERENT = {
    "constants": BASE.replace("total = 0", "total = 1"),
    "order": BASE.replace("os, sub", "sub, os"),
    "which local is meant": BASE.replace("[total for _ in y]", "[_ for _ in y]"),
    "parameters of helpers, which can be passed by name": BASE.replace("(a, b=1)", "(c, b=1)"),
    "defaults of helpers": BASE.replace("b=1", "b=2"),
    "a helper's code": BASE.replace("return total\n\n", "return -total\n\n"),
    "what is imported": BASE.replace("import sub", "import subn as sub"),
    "which import has a name in the end": BASE.replace(
        "import sub, match", "import sub, subn as match"
    ).replace("import os\n", "import os\nfrom fnmatch import fnmatch as match\n"),
    "what is local": BASE.replace("    total = 0\n", "    global total\n    total = 0\n"),
}


@pytest.mark.parametrize("source", SAME.values(), ids=list(SAME))
def test_one_digest_in_spite_of(source: str) -> None:
    assert source != BASE
    assert normalised_digest(source, "f") == normalised_digest(BASE, "f")


@pytest.mark.parametrize("source", DIFFERENT.values(), ids=list(DIFFERENT))
def test_another_digest_for_other(source: str) -> None:
    assert source != BASE
    assert normalised_digest(source, "f") != normalised_digest(BASE, "f")


WITH_TABLE = """\
TABLE = {}


def register(key):
    def keep(function):
        TABLE[key] = function
        return function

    return keep


def f(x):
    return TABLE[x]
"""


@pytest.mark.parametrize(
    "added",
    [
        "@register('a')\ndef first(x):\n    return x\n",
        "@register('a')\ndef _(x):\n    return x\n\n@register('b')\ndef _(x):\n    return x\n",
        "TABLE.setdefault('a', []).append(1)\n",
    ],
)
def test_what_changes_an_object_that_is_used_counts(added: str) -> None:
    assert normalised_digest(WITH_TABLE + added, "f") != normalised_digest(WITH_TABLE, "f")
    less = added.replace("'a'", "'c'").replace("0", "1")
    assert normalised_digest(WITH_TABLE + added, "f") != normalised_digest(WITH_TABLE + less, "f")


def test_names_count_where_the_program_looks_at_them() -> None:
    one, other = (f"def f(x):\n    {name} = x\n    return locals()\n" for name in "ab")
    assert normalised_digest(one, "f") != normalised_digest(other, "f")


def test_field_annotations_count() -> None:
    one, other = (
        f"class A:\n    a: {kind} = 1\n\ndef f(x):\n    return A\n" for kind in ("int", "str")
    )
    assert normalised_digest(one, "f") != normalised_digest(other, "f")


@pytest.mark.parametrize(
    "source", ["", "def f(", "x = 1", "\x00", "\ud800", f"def f(): {'-' * 900}x"]
)
def test_every_text_has_a_digest(source: str) -> None:
    assert re.fullmatch("[0-9a-f]{64}", normalised_digest(source, "f"))
