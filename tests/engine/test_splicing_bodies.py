"""What splicing does to the function itself, byte for byte."""

# ruff: noqa: E501 - texts are easier to compare in one piece

from __future__ import annotations

import pytest

from assay_engine.splicing import apply_edits, splice
from assay_engine.syntax.units import find_units
from assay_engine.types import Edit, Problem, ProblemKind, Span
from support.splicing import spliced

BODIES = {
    "everything but the body stays as it is": (
        "f",
        """\
# Above.
@cache  # once
# Between.
def f(
    x: int,  # the x
    *, y=2,
) -> int:
    '''Do it.

\tOddly   set.
    '''  # noqa

    # old comment
    return x  # old

    # Below.

LAST = 1""",
        "def f(x, *, y: str = 'other') -> str:\n    'Other.'\n    # new\n    return y  # newer\n",
        """\
# Above.
@cache  # once
# Between.
def f(
    x: int,  # the x
    *, y=2,
) -> int:
    '''Do it.

\tOddly   set.
    '''  # noqa

    # new
    return y  # newer

    # Below.

LAST = 1""",
    ),
    "a body on the header's line becomes a block": (
        "f",
        "def f(x): return x;\nA = 1\n",
        "def f(x):\n    y = x\n    return y\n",
        "def f(x):\n    y = x\n    return y\nA = 1\n",
    ),
    "a docstring on the header's line moves below it": (
        "f",
        "\ndef f(x): 'Do.' ; return x  # old",
        "def f(x): return 2",
        "\ndef f(x):\n    'Do.'\n    return 2",
    ),
    "a docstring that is the whole one-line body moves below it": (
        "f",
        "def f(x): 'Do.'\n",
        "def f(x): return 2",
        "def f(x):\n    'Do.'\n    return 2\n",
    ),
    "a header continued by a backslash is still one line": (
        "f",
        "def f(x): \\\n  'Do.'\n",
        "def f(x): return 2",
        "def f(x):\n    'Do.'\n    return 2\n",
    ),
    "a function without a body gets one": (
        "f",
        "def f(x):\n  '''Do.'''  # so far",
        "def f(x):\n    if x:\n        return 2\n",
        "def f(x):\n  '''Do.'''  # so far\n  if x:\n    return 2",
    ),
    "a body that shares the docstring's line": (
        "f",
        "def f(x):\n  '''Do.'''; return x\n",
        "def f(x):\n    '''Other'''; return 2\n",
        "def f(x):\n  '''Do.'''\n  return 2\n",
    ),
    "a function without a docstring": (
        "f",
        "def f(x):  # here\n    # there\n    @x\n    def g(): ...\n    return g\n",
        "def f(x):\n    '''Other.'''\n\n    return 2\n",
        "def f(x):  # here\n    return 2\n",
    ),
    "strings in the body are not indented, whatever happens around them": (
        "A.f",
        "class A:\n\tdef f(self):\n\t\t'''Do.'''\n\t\treturn 1\n",
        'def f(self):\n  if self:\n    return """a\n  b\n\nc""" + (\n      "d\\\n  e",\n  )\n  # tail\n',
        (
            "class A:\n\tdef f(self):\n\t\t'''Do.'''\n\t\tif self:\n\t\t\treturn \"\"\"a\n  b\n\nc\"\"\" + ("
            '\n\t\t\t\t"d\\\n  e",\n\t\t\t)\n'
        ),
    ),
    "comments keep beside what they stand beside": (
        "f",
        "def f(x):\n  '''Do.'''\n",
        (
            "def f(x):\n    # one\n\n    for y in x:\n        # two\n        print(y)\n    # three\n    "
            "else:\n        # four\n        pass\n        # five\n    return (\n        # six\n        1\n    )\n"
        ),
        (
            "def f(x):\n  '''Do.'''\n  # one\n\n  for y in x:\n    # two\n    print(y)\n  # three\n  "
            "else:\n    # four\n    pass\n    # five\n  return (\n    # six\n    1\n  )\n"
        ),
    ),
    "statements behind a colon and a semicolon": (
        "f",
        "def f(x):\n  '''Do.'''\n",
        "def f(x): a = [\n  1,\n]; return a",
        "def f(x):\n  '''Do.'''\n  a = [\n    1,\n  ]; return a\n",
    ),
    "the last line keeps its missing line break": (
        "f",
        "def f(x):\n    '''Do.'''\n    return 1",
        "def f(x):\n    return 2\n\n\n",
        "def f(x):\n    '''Do.'''\n    return 2",
    ),
    "letters that take several bytes": (
        "é.ß",
        "class é:\n    a = 'ü🙂'; b = 1\n    def ß(self, ñ='🙂'): '''日本'''; return ñ\n",
        "def ß(self, ñ): return '🙂', ñ",
        (
            "class é:\n    a = 'ü🙂'; b = 1\n    def ß(self, ñ='🙂'):\n        '''日本'''\n"
            "        return '🙂', ñ\n"
        ),
    ),
    "form feeds and line separators end no line": (
        "f",
        "A = '\u2028\x0b'\n\x0cdef f(x):\n    '''Do\x0c\u2028.'''\n    return '\x85'\nB = 1\n",
        "def f(x):\n    return 2\n",
        "A = '\u2028\x0b'\n\x0cdef f(x):\n    '''Do\x0c\u2028.'''\n    return 2\nB = 1\n",
    ),
    "super and the class in a method": (
        "A.f",
        "class A(B):\n    def f(self):\n        'Do.'\n",
        "def f(self):\n    return super().f(), __class__\n",
        "class A(B):\n    def f(self):\n        'Do.'\n        return super().f(), __class__\n",
    ),
    "the second of two definitions": (
        "f#2",
        "def f(x):\n    'One.'\n    return 1\ndef f(x):\n    'Two.'\n    return 2\n",
        "def f(x):\n    return 3\n",
        "def f(x):\n    'One.'\n    return 1\ndef f(x):\n    'Two.'\n    return 3\n",
    ),
    "a function in every sort of block": (
        "g.<locals>.h",
        (
            "try:\n  if 1:\n    match 1:\n      case _:\n        def g():\n         with a:\n"
            "          def h(): 'Do.'\nfinally: pass\n"
        ),
        "def h():\n    return 1\n",
        (
            "try:\n  if 1:\n    match 1:\n      case _:\n        def g():\n         with a:\n"
            "          def h():\n           'Do.'\n           return 1\nfinally: pass\n"
        ),
    ),
}


@pytest.mark.parametrize(
    ("qualname", "text", "candidate", "expected"), BODIES.values(), ids=list(BODIES)
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "BOM"])
def test_a_body_is_replaced(
    qualname: str, text: str, candidate: str, expected: str, newline: str, mark: str
) -> None:
    given = mark + text.replace("\n", newline)
    assert spliced(given, candidate, qualname) == mark + expected.replace("\n", newline)


def test_the_function_s_own_line_breaks_count_in_a_mixed_file() -> None:
    text = "A = 1\r\n\rdef f(x):\n    '''Do.'''\r\n    return 1\r\n"
    assert spliced(text, "def f(x):\r\n    y = 1\r\n    return y\r\n") == (
        "A = 1\r\n\rdef f(x):\n    '''Do.'''\r\n    y = 1\n    return y\r\n"
    )


REFUSALS = {
    "async": ("def f(x):\n 'Do.'", "async def f(x): return 1", "async"),
    "not async": ("async def f(x):\n 'Do.'", "def f(x): return 1", "async"),
    "generator": ("def f(x):\n 'Do.'", "def f(x): yield 1", "the candidate is a generator"),
    "no generator": ("def f(x):\n 'Do.'\n yield", "def f(x): return 1", "it is a generator"),
    "a list at times": (
        "def f(x):\n 'Do.'\n yield",
        "def f(x):\n if x: return []\n return iter(x)",
        "it is a generator",
    ),
    "of itself": ("def f(x):\n 'Do.'\n yield", "def f(x): return f(x)", "it is a generator"),
    "a bare return": ("def f(x):\n 'Do.'\n yield", "def f(x): return", "it is a generator"),
    "asynchronous": (
        "async def f(x):\n 'Do.'\n yield",
        "async def f(x): return iter(x)",
        "it is a generator",
    ),
    "parameters": ("def f(x):\n 'Do.'", "def f(y): return 1", "parameters"),
    "another name": ("def f(x):\n 'Do.'", "def g(x): return 1", "does not define `f`"),
    "no code": ("def f(x):\n 'Do.'", "def f(x: return", "does not define `f`"),
    "no body": ("def f(x):\n 'Do.'", "def f(x):\n 'Do.'", "no body"),
    "super": ("def f(x):\n 'Do.'", "def f(x): return super().f()", "super"),
    "class cell": ("def f(x):\n 'Do.'", "def f(x): return __class__", "super"),
    "broken file": ("def f(x):\n 'Do.'\n\ndef (", "def f(x): return 1", "syntax"),
    "null byte": ("def f(x):\n 'Do.'", "def f(x): return '\x00'", "does not define `f`"),
    "surrogate": ("def f(x):\n 'Do.'", "def f(x): return '\ud800'", "does not define `f`"),
    "deep": ("def f(x):\n 'Do.'", f"def f(x): return {'-' * 1400}x", "nested too deeply"),
}


@pytest.mark.parametrize(("text", "candidate", "said"), REFUSALS.values(), ids=list(REFUSALS))
def test_what_cannot_be_replaced_is_said(text: str, candidate: str, said: str) -> None:
    outcome = spliced(text, candidate)
    assert isinstance(outcome, Problem), outcome
    assert outcome.kind is ProblemKind.NO_REPLACEMENT
    assert said in outcome.message


def test_a_generator_in_a_nested_function_makes_no_generator() -> None:
    candidate = "def f(x):\n    def g():\n        yield x\n    return [*g(), (yield_ := 1)]\n"
    assert isinstance(spliced("def f(x):\n    'Do.'\n", candidate), str)


ITERATORS = {
    "builtin": "def f(x):\n    return map(str, x)\n",
    "expression": "def f(x):\n    return (each for each in x)\n",
    "itertools": "import itertools\n\ndef f(x):\n    return itertools.chain(x)\n",
    "of a class": "from itertools import chain\n\ndef f(x):\n    return chain.from_iterable(x)\n",
    "either": "def f(x):\n    return iter(x) if x else zip()\n",
    "named": "def f(x):\n    found = iter(x)\n    found = reversed(x)\n    return found\n",
    "within": "def f(x):\n    def g():\n        yield x\n    return g()\n",
    "beside": "def g(x):\n    yield x\n\ndef f(x):\n    return g(x)\n",
    "annotated": "def f(x) -> Iterator[int]:\n    return x.items\n",
}


@pytest.mark.parametrize("candidate", ITERATORS.values(), ids=list(ITERATORS))
def test_a_generator_may_become_what_returns_an_iterator_and_the_other_way_round(
    candidate: str,
) -> None:
    generator = "def f(x):\n    'Do.'\n    yield x\n"
    assert isinstance(spliced(generator, candidate), str)
    assert isinstance(spliced(candidate, "def f(x):\n    yield 1\n"), str)


def test_a_function_that_moved_since_is_not_replaced() -> None:
    unit = find_units("def f(x):\n    'Do.'\n")[0][0]
    for text in ("\ndef f(x):\n    'Do.'\n", "def g(x):\n    'Do.'\n", "f = 1\n", ""):
        outcome = splice(text, unit, "def f(x): return 1")
        assert isinstance(outcome, Problem)
        assert "check the file again" in outcome.message


def test_edits_come_in_order_and_do_not_overlap() -> None:
    text = "import os\nX = 1\ndef f(x): 'Do.'; return x\n"
    unit = find_units(text)[0][0]
    edits = splice(text, unit, "import re\ndef g(): ...\ndef f(x): return re, g")
    assert not isinstance(edits, Problem)
    places = [place for edit in edits for place in (edit.span.start, edit.span.end)]
    assert places == sorted(places)
    assert len(edits) == 4


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply_edits("abc", [Edit(Span(0, 2), ""), Edit(Span(1, 3), "")])
    with pytest.raises(ValueError, match="leaves the text"):
        apply_edits("abc", [Edit(Span(2, 4), "")])
