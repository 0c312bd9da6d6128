"""What a piece of code takes from its module, by Python's scoping."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import assay_engine.syntax
from assay_engine.dependencies.excerpts import stubs
from assay_engine.syntax.parsing import body_of
from assay_engine.syntax.scopes import names_of
from assay_engine.syntax.text import excerpt, read_source
from assay_engine.syntax.units import cut_units
from assay_engine.types import Span


def check(code: str, reads: str, changes: str = "") -> None:
    names = names_of(ast.parse(code).body)
    assert names.reads == set(reads.split())
    assert {name for name, _ in names.changes} == set(changes.split())


READS = {
    "parameters and locals hide": ("def f(a, *b, c=D, **d):\n  e = a + g\n  return e", "D g"),
    "decorators, defaults, annotations": ("@d(x)\ndef f(a: A = b) -> R: pass", "d x A b R"),
    "annotations in strings": ("def f(a: 'list[A | \"B\"]') -> 'R': pass", "A B R list"),
    "a variable's annotation": ("def f():\n  x: 'A' = 1", "A"),
    "lambdas": ("def f(): return lambda a, b=c: a + b + d", "c d"),
    "comprehensions": ("def f(x): return [y + z for y in x for w in y if w in v]", "z v"),
    "a first iterable is outside": ("def f(): return {a: a for a in a}", "a"),
    "a walrus binds around a comprehension": ("def f(x): return [y := z for z in x], y", ""),
    "global undoes hiding": ("def f():\n  global G\n  G = 1", "G", "G"),
    "nonlocal is the outer function's": (
        "def f():\n  n = 1\n  def g():\n    nonlocal n\n    n += 1\n  return g",
        "",
    ),
    "functions do not see their class": (
        "def f():\n  class C:\n    a = 1\n    def g(self): return a",
        "a",
    ),
    "a class may take a name to itself": ("class C:\n  limit = limit", "limit"),
    "exceptions, imports, with, for": (
        "def f():\n  import m\n  try: m\n  except E as e: e\n  with W as w: w\n  for i in j: i",
        "E W j",
    ),
    "patterns": (
        "def f(x):\n  match x:\n    case P(a, b=[c, *d]) | {'k': e, **g}: a, c, d, e, g",
        "P",
    ),
    "a deleted name is read": ("del a", "a"),
    "an augmented name is read": ("a += 1", "a"),
    "assigned items change": ("def f(): T['a'] = 1; del U.x", "T U", "T U"),
    "calls for their effect change": ("def f(): T.a.b(1).c()", "T", "T"),
    "calls for their value do not, unless their name says so": (
        "def f(): return T.get(1), U.pop()",
        "T U",
        "U",
    ),
    "changed locals are nobody else's": ("def f():\n  t = {}\n  t.update(a)", "a"),
}


@pytest.mark.parametrize("case", READS)
def test_names(case: str) -> None:
    check(*READS[case])


def test_nesting_deeper_than_the_stack_is_no_obstacle() -> None:
    check("x = " + " + ".join(["a"] * 900), "a")
    check("x = " + "lambda: " * 90 + "a", "a")


MANY_SCOPES = """
LIMIT, TOTAL = 1, 2
class A(base, metaclass=meta):
    LIMIT = LIMIT
    sizes = [width for width in sizes_of(LIMIT)]
    @wraps(LIMIT)
    def one(self, a: 'Later' = LIMIT, *b: kinds, **c) -> Result:
        'Doc.'
        global TOTAL
        TOTAL += a
        helper: 'Never' = lambda x: x + outside
        def inner(y=default):
            'Doc.'
            return y + helper(LIMIT) + self.two()
        return inner
    async def two(self):
        return [z async for z in stream(self) if z > BOUND]
def three():
    'Doc.'
    return A().one()
"""
OWN = sorted(Path(assay_engine.syntax.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("text", [MANY_SCOPES, *(path.read_text("utf-8") for path in OWN)])
def test_what_is_read_beside_a_body_is_what_is_read_without_it(text: str) -> None:
    source = read_source(text)
    names = names_of(source.tree.body)
    assert names.reads_beside(frozenset()) == names.reads
    for cut in cut_units(source):
        without = excerpt(source, Span(0, len(text)), [stubs(source)[cut.node].bare])
        beside = names.reads_beside(frozenset({cut.node}))
        assert beside == names_of(body_of(without)).reads, cut.unit.qualname
