"""Candidates are read out of replies leniently, and what cannot be read is said."""

# ruff: noqa: E501, RUF005 - texts are easier to compare in one piece

from __future__ import annotations

import ast
import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay_engine.sampling.candidates import REPLY_BYTES_MAX, gather
from assay_engine.types import Candidate, Problem, ProblemKind, Reply, Specification, Usage
from support.specifying import specified

FILE = '''\
import os
from dataclasses import dataclass

LIMIT = 3


def clamp(x):
    """Clamp."""
    return min(x, LIMIT)


@dataclass
class Point:
    left: int


def f(x: int, y=2, *, z=3) -> int:
    """Do it."""
    return clamp(x) + Point(y).left


async def later(x):
    """Do it later."""


class Ledger:
    def __init__(self):
        self.items = []

    def add(self, item):
        """Add it."""
        self.items.append(item)
        return Ledger()

    @staticmethod
    def rate(x, /, *rest, **more):
        """Rate it."""
        return x


def outer(base):
    def inner(x):
        """Do it inside."""
        return x + base

    return inner
'''


def specification(qualname: str = "f", text: str = FILE) -> Specification:
    return specified(text, qualname)


def replies(*texts: str) -> list[Reply]:
    return [Reply(text, sample, Usage(), cached=False) for sample, text in enumerate(texts)]


def read_reply(text: str, wanted: Specification) -> str | Problem:
    """The candidate in one reply, or why there is none."""
    candidates, problems = gather(replies(text), wanted)
    return candidates[0].source if candidates else problems[0]


F = "def f(x, y=2, *, z=3):\n    return x + y\n"
READ = F

ANSWERS = {
    "bare code": F,
    "a fence": f"```python\n{F}```",
    "a fence of tildes": f"~~~\n{F}~~~\n",
    "a long fence": f"````py title='a'\n{F}````\nDone.",
    "an unclosed fence": f"Sure!\n```python\n{F}",
    "a fence in a list": "1. So:\n" + textwrap.indent(f"```python\n{F}```\n", "   "),
    "a fence in the middle of a line": f"Here: ```python\n{F}``` That's it.",
    "a fence that closes behind the code": f"```python\n{F.rstrip()}```\nDone.",
    "Windows line ends": f"```python\n{F}```\n".replace("\n", "\r\n"),
    "old Mac line ends": f"```python\n{F}```\n".replace("\n", "\r"),
    "a byte order mark": f"\ufeff{F}",
    "prose around bare code": f"Here is it:\n\n{F}\nIt's the sum: of x and y.\n",
    "indented code": "Here is it:\n\n" + textwrap.indent(F, "    ") + "\nThat's it.\n",
    "tags": f"<code>\n{F}</code>",
    "a tag with attributes around a fence": f"<answer lang='py'>\n```\n{F}```\n</answer>",
    "an unclosed tag": f"Well:\n<answer>{F}",
    "thoughts": f"<think>\n```\ndef f(x, y=2, *, z=3): return 0\n```\n</think>\n{F}",
    "the tail of thoughts": f"def f(x, y, *, z): return 0\n</think>\n```\n{F}```",
    "a second attempt": f"```\ndef f(x, y, *, z): return 0\n```\nNo:\n```\n{F}```",
    "a usage example behind": f"```\n{F}```\nUse it so:\n```\nassert f(1) == 3\nprint(f(2))\n```",
    "a worse attempt behind": f"```\n{F}```\nOr:\n```\ndef f(x): return 0\n```",
    "a broken attempt behind": f"```\n{F}```\nOr:\n```\ndef f(x, y=2, *, z=3: return\n```",
    "two definitions": f"def f(x, y, *, z):\n    return 0\n\n{F}",
    "examples at top level": f"{F}\nassert f(1) == 3\nprint(f(2))\nR = f(3)\n",
    "a main guard": f"{F}\nif __name__ == '__main__':\n    f(1)\nelse:\n    x = 1\n",
    "decorators": f"from functools import cache\n@cache\n{F}",
    "what the program provides already": (
        "import os\nfrom dataclasses import dataclass\nLIMIT=3\ndef clamp(x):\n  return min(x, LIMIT)\n"
        f"@dataclass\nclass Point:\n    left: int\n{F}"
    ),
    "what nobody uses": f"from typing import *\nimport re\ndef helper(): ...\n{F}",
    "a tail of prose in the fence": f"```python\n{F}\nThis returns the sum.\n```",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=list(ANSWERS))
def test_the_function_is_found_in(answer: str) -> None:
    assert read_reply(answer, specification()) == READ


@pytest.mark.parametrize(
    "hidden", ["\x1b]0;owned\x07", "\x9b31m", "\x08", "\u202e", "\u2066", "\u200f"]
)
@pytest.mark.parametrize(
    "place", ["# {}\nH = 1\n{}    return x + H", "{}    # {}\n    return x", "{}    return '{}'"]
)
def test_no_candidate_commands_a_terminal_or_turns_text_around(place: str, hidden: str) -> None:
    head = F.splitlines(keepends=True)[0]
    texts = (hidden, head) if place.startswith("#") else (head, hidden)
    answer = place.format(*texts)
    found = read_reply(f"```python\n{answer}\n```", specification())
    assert isinstance(found, Problem)
    assert f"U+{ord(hidden[0]):04X}" in found.message
    assert found.message.isprintable()
    # A form feed is white space, and in an escape nothing is hidden.
    harmless = answer.replace(hidden, "\f") + "\n\f# '\\x1b'"
    assert isinstance(read_reply(f"```python\n{harmless}\n```", specification()), str)


def test_a_docstring_may_hold_fences_and_tags() -> None:
    code = 'def f(x, y=2, *, z=3):\n    """Do.\n```\nf(1)\n```\n    <think>\n    </think2>\n    """\n    return x\n'
    assert read_reply(f"So:\n```python\n{code}```\nDone.", specification()) == code


KEPT = {
    "imports and helpers, transitively": (
        (
            "import re, math\nfrom os import path as p, sep\n\nA = 1\nB = {}\nB[A] = 2\nC = 3\n"
            "# h\n@p.x\ndef h(x):\n    return B, math.e\n\ndef f(x, y, *, z):\n    return h(x)\n"
        ),
        (
            "import math\nfrom os import path as p\n\n\nA = 1\n\n\nB = {}\n\n\nB[A] = 2\n\n\n"
            "# h\n@p.x\ndef h(x):\n    return B, math.e\n\n\ndef f(x, y, *, z):\n    return h(x)\n"
        ),
    ),
    "what only the header needs": (
        "from typing import Any, List\ndef f(x: Any, y=2, *, z=3): return x",
        "from typing import Any\n\n\ndef f(x: Any, y=2, *, z=3): return x\n",
    ),
    "a helper that the candidate does otherwise": (
        "def clamp(x): return x\ndef f(x, y, *, z): return clamp(x)",
        "def clamp(x): return x\n\n\ndef f(x, y, *, z): return clamp(x)\n",
    ),
    "the future, where helpers have annotations": (
        "from __future__ import annotations\nclass A:\n    a: A\ndef f(x, y, *, z): return A",
        (
            "from __future__ import annotations\n\n\nclass A:\n    a: A\n\n\n"
            "def f(x, y, *, z): return A\n"
        ),
    ),
    "what is registered, by name or not": (
        (
            "R = {}\ndef reg(k):\n    def keep(f):\n        R[k] = f\n        return f\n    return keep\n"
            "@reg('a')\ndef _(x): return x\n@reg('b')\ndef _(x): return -x\n"
            "R.setdefault('c', []).append(1)\nprint(R)\ndef f(x, y, *, z): return R"
        ),
        (
            "R = {}\n\n\ndef reg(k):\n    def keep(f):\n        R[k] = f\n        return f\n    return keep\n\n\n"
            "@reg('a')\ndef _(x): return x\n\n\n@reg('b')\ndef _(x): return -x\n\n\n"
            "R.setdefault('c', []).append(1)\n\n\ndef f(x, y, *, z): return R\n"
        ),
    ),
    "implementations of a function of its own": (
        (
            "from functools import singledispatch\n@singledispatch\ndef h(v): return v\n"
            "@h.register\ndef _(v: int): return -v\ndef f(x, y, *, z): return h(x)"
        ),
        (
            "from functools import singledispatch\n\n\n@singledispatch\ndef h(v): return v\n\n\n"
            "@h.register\ndef _(v: int): return -v\n\n\ndef f(x, y, *, z): return h(x)\n"
        ),
    ),
    "nothing that shows how it is used, or sets up what is not its own": (
        (
            "import logging, random, sys, time\nlogger = logging.getLogger()\nT = {}\n"
            "class S:\n    items = []\n"
            "def g(v): logger.info(v); return T, S, random, sys, time\n"
            "def main():\n    T.clear()\n    logger.info(f(1, 2, z=3))\n"
            "def timed(h):\n    def inner(): logger.info(1)\n    return inner\n"
            "@timed\ndef unrelated(): ...\n"
            "def f(x, y, *, z): return g(x)\n"
            "main()\nT[1] = f(1, 2, z=3)\nrandom.seed(0)\nsys.stdin = None\n"
            "time.sleep = lambda s: None\nsys.setrecursionlimit(9)\nS().items.append(1)\n"
            "S.items.clear()\ng.cache_clear()\nclamp.register(1)\n@clamp.add\ndef _(): ...\n"
        ),
        (
            "import logging, random, sys, time\n\n\nlogger = logging.getLogger()\n\n\nT = {}\n\n\n"
            "class S:\n    items = []\n\n\n"
            "def g(v): logger.info(v); return T, S, random, sys, time\n\n\n"
            "def f(x, y, *, z): return g(x)\n"
        ),
    ),
    "the last of two helpers of one name": (
        "def h(): return 1\ndef h(): return 2\ndef f(x, y, *, z): return h()",
        "def h(): return 2\n\n\ndef f(x, y, *, z): return h()\n",
    ),
}


@pytest.mark.parametrize(("code", "expected"), KEPT.values(), ids=list(KEPT))
def test_kept_is(code: str, expected: str) -> None:
    assert read_reply(f"```python\n{code}\n```", specification()) == expected


def test_blocks_complement_each_other() -> None:
    answer = (
        "First:\n```python\nimport math\n```\nThen:\n```python\ndef f(x, y=2, *, z=3):\n"
        "    return helper(x)\n```\nwith\n```python\ndef helper(x):\n    return math.floor(x)\n```\n"
    )
    assert read_reply(answer, specification()) == (
        "import math\n\n\ndef helper(x):\n    return math.floor(x)\n\n\n"
        "def f(x, y=2, *, z=3):\n    return helper(x)\n"
    )


METHODS = {
    "at top level": "def add(self, item):\n    return [item]\n",
    "in its class": (
        "class Ledger:\n  def __init__(self): self.items = []\n  @x\n  def add(self, item):\n"
        "    return [item]\n"
    ),
    "in its class, indented by tabs": "class Ledger:\n\tdef add(self, item):\n\t\treturn [item]\n",
    "in its class, indented as a whole": (
        "  class Ledger:\n    def add(self, item):\n      return [item]\n"
    ),
}


@pytest.mark.parametrize("code", METHODS.values(), ids=list(METHODS))
def test_a_method_comes_to_top_level(code: str) -> None:
    result = read_reply(f"```\n{code}```", specification("Ledger.add"))
    assert result == "def add(self, item):\n    return [item]\n"


def test_strings_in_a_method_are_not_moved() -> None:
    code = 'class Ledger:\n    def add(self, item):\n        return """a\n        b\n""" # c\n'
    assert read_reply(code, specification("Ledger.add")) == (
        'def add(self, item):\n    return """a\n        b\n""" # c\n'
    )


def test_strings_are_moved_with_the_fence_they_stand_in_and_not_with_the_code_alone() -> None:
    code = 'def add(self, item):\n    return """a\n    b\n"""\n'
    wanted = specification("Ledger.add")
    assert read_reply("- So:\n" + textwrap.indent(f"```\n{code}```", "  "), wanted) == code
    lone = '    def add(self, item):\n        return """a\n    b\n"""\n'
    assert read_reply(f"So:\n```\n{lone}```", wanted) == code


def test_a_nested_function_is_found_in_the_one_around_it() -> None:
    code = "def outer(base):\n    def inner(x):\n        return base * x\n    return inner\n"
    assert read_reply(code, specification("outer.<locals>.inner")) == (
        "def inner(x):\n    return base * x\n"
    )


REJECTED = {
    "nothing": ("f", "", "no Python code"),
    "an apology": ("f", "I'm sorry, but I cannot help with that.", "no Python code"),
    "another function": ("f", "```\ndef g(x): return x\n```", "does not define `f`"),
    "a syntax error": ("f", "```\ndef f(x, y=2, *, z=3:\n    return x\n```", "does not parse"),
    "a reply that was cut off": (
        "f",
        "```\ndef f(x, y=2, *, z=3):\n    if x:\n        return 1\n    y = (x +",
        "does not parse",
    ),
    "a session": ("f", ">>> def f(x, y=2, *, z=3):\n...     return x\n", "does not parse"),
    "only pass": ("f", "def f(x, y=2, *, z=3): pass", "has no body"),
    "only an ellipsis": ("f", "def f(x, y=2, *, z=3):\n    '''Do.'''\n    ...", "has no body"),
    "not implemented": (
        "f",
        "def f(x, y=2, *, z=3):\n    raise NotImplementedError('soon')",
        "has no body",
    ),
    "too few parameters": ("f", "def f(x, y): return x", "(x, y) where (x, y, *, z)"),
    "other names": ("f", "def f(a, y, *, z): return a", "(a, y, *, z) where (x, y, *, z)"),
    "another order": ("f", "def f(y, x, *, z): return x", "(y, x, *, z)"),
    "other kinds": ("f", "def f(x, y, z): return x", "(x, y, z)"),
    "other kinds of stars": (
        "Ledger.rate",
        "def rate(x, *rest, more): return x",
        "(x, *rest, more) where (x, /, *rest, **more)",
    ),
    "a method without its receiver": ("Ledger.add", "def add(item): return item", "(item)"),
    "async for plain": ("f", "async def f(x, y, *, z): return x", "an async function"),
    "plain for async": ("later", "def later(x): return x", "a plain function"),
    "an await in a plain function": ("f", "def f(x, y, *, z): return await x", "awaits"),
    "an import that is lacking": ("f", "def f(x, y, *, z): return np.abs(x)", "`np`"),
    "a helper that is lacking": (
        "f",
        "def f(x, y, *, z): return [help_me(i) for i in x]",
        "`help_me`",
    ),
    "a name out of a star import": (
        "f",
        "from math import *\ndef f(x, y, *, z): return pi",
        "`pi`",
    ),
    "a method that the class does not have": (
        "Ledger.add",
        "class Ledger:\n    def _check(self): ...\n    def add(self, item): return self._check()",
        "`_check`",
    ),
    "an attribute that the class does not have": (
        "Ledger.add",
        (
            "class Ledger:\n    def __init__(self): self.seen = 1\n"
            "    def add(self, item): return self.seen"
        ),
        "`seen`",
    ),
    "a null byte": ("f", f"```\n{F}#\x00\n```", "does not parse"),
    "a lone surrogate": ("f", f"```\n{F}'\ud800'\n```", "does not parse"),
    "too much": ("f", F + "#" * REPLY_BYTES_MAX, "bytes"),
}


@pytest.mark.parametrize(("qualname", "answer", "said"), REJECTED.values(), ids=list(REJECTED))
def test_rejected_with_a_reason_is(qualname: str, answer: str, said: str) -> None:
    outcome = read_reply(answer, specification(qualname))
    assert isinstance(outcome, Problem), outcome
    assert outcome.kind is ProblemKind.REPLY_REJECTED
    assert said in outcome.message


NAMES_THAT_NEED_NO_DEFINITION = {
    "a walrus in a comprehension": "return any((m := i) for i in [x]) and m",
    "a local's annotation": "total: List[int] = []\n    return total",
    "a class attribute": "class A:\n        a = 1\n        b = a\n    return A",
    "itself": "return f(x)",
    "a module's name": "return __name__, __file__",
}


@pytest.mark.parametrize(
    "body", NAMES_THAT_NEED_NO_DEFINITION.values(), ids=list(NAMES_THAT_NEED_NO_DEFINITION)
)
def test_no_definition_is_asked_for(body: str) -> None:
    assert isinstance(read_reply(f"def f(x, y, *, z):\n    {body}\n", specification()), str)


@pytest.mark.parametrize("deep", ["-" * 2000 + "x", "x" + ".a" * 990, "not " * 900 + "x"])
def test_code_nested_deeper_than_the_stack_is_a_candidate(deep: str) -> None:
    assert isinstance(read_reply(f"def f(x, y, *, z): return {deep}", specification()), str)


def test_equal_programs_become_one_candidate_in_order_of_appearance() -> None:
    candidates, problems = gather(
        replies(
            "def f(x, y, *, z):\n    total = x\n    return total",
            "No.",
            "def f(x, y, *, z): return y",
            "```\ndef f(x: int, y=4, *, z) -> int:\n  '''Doc'''\n  s: int = x  # s\n  return s\n```",
        ),
        specification(),
    )
    assert [candidate.samples for candidate in candidates] == [(0, 3), (2,)]
    assert candidates[0].source == "def f(x, y, *, z):\n    total = x\n    return total\n"
    assert len({candidate.digest for candidate in candidates}) == 2
    assert [problem.message for problem in problems] == [
        "Sample 2: the reply is left out: it holds no Python code."
    ]


def test_no_replies_give_nothing() -> None:
    assert gather([], specification()) == ((), ())


PIECES = st.sampled_from(
    ["```", "```python\n", "~~~", "\n", "\r", "\r\n", "def f(x, y=2, *, z=3):", "\n    return x"]
    + ["<think>", "</think>", "<code>", "</code>", "import re\n", "class f:", "    ", "\t", "'''"]
    + ["async ", "await x", "lambda: ", "{", "}", "\\", "f'{", "\x00", "\ud800", "\ufeff", "\x0c"]
    + ["if x:\n", "yield", "global f", "from a import *\n", "@", "def ", "(" * 300, "-" * 300, "é"]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text()))
def test_whatever_the_reply_there_is_a_candidate_or_a_reason(text: str) -> None:
    wanted = specification()
    outcome = read_reply(text, wanted)
    if isinstance(outcome, Problem):
        assert outcome.message.startswith("Sample 1: the reply is left out: ")
    else:
        assert any(getattr(each, "name", "") == "f" for each in ast.parse(outcome).body)
    candidates, problems = gather(replies(text, text), wanted)
    assert len(problems) == 2 or [each.samples for each in candidates] == [(0, 1)]


def test_a_long_reply_without_code_is_read_in_reasonable_time() -> None:
    for line in ("import it's\n", "def f(:\n", "```\n", "<think>\n", "    class x\n", "'''\n"):
        text = line * (REPLY_BYTES_MAX // len(line))
        assert isinstance(read_reply(text, specification()), Problem)


def test_reading_is_the_same_every_time() -> None:
    texts = replies("def f(x, y, *, z): return 1", "nothing")
    first: Any = gather(texts, specification())
    assert first == gather(texts, specification())
    assert isinstance(first[0][0], Candidate)
