"""The examples of a docstring are one session, in a module that they do not change."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Code, ProblemKind, Report
from support.trials import put_on_trial, scripted

CHANGED_ELSEWHERE = '''
def each(function, items):
    """Call it with each.

    >>> seen = []
    >>> note = lambda item: seen.append(item)
    >>> each(note, [1, 2])
    2
    >>> seen
    [1, 2]
    """
    for item in items:
        function(item)
    return len(items)
'''
USED_UP = '''
import itertools


def each(items):
    """The only item.

    >>> numbers = itertools.count()
    >>> each(numbers)
    Traceback (most recent call last):
    ValueError: too many
    >>> next(numbers)
    2
    """
    (item,) = items
    return item
'''
BY_CHANCE = '''
from random import randrange, seed


def each(count):
    """So many numbers below ten.

    >>> seed(7)
    >>> each(3)
    [5, 2, 6]
    >>> each(3)
    [0, 1, 8]
    """
    return [randrange(10) for _ in range(count)]
'''
COUNTED = '''
_count = 0


def each(prefix=""):
    """A number nobody else has.

    >>> each()
    '1'
    >>> each("a")
    'a2'
    >>> each()
    '3'
    """
    global _count
    _count += 1
    return f"{prefix}{_count}"
'''
RELATED = '''
def each(base):
    """The names of all classes below it.

    >>> class A: pass
    >>> class B(A): pass
    >>> class C(B): pass
    >>> each(A)
    ['B', 'C']
    """
    return [name for sub in base.__subclasses__() for name in [sub.__name__, *each(sub)]]
'''
SHADOWING = '''
def each(items):
    """The first.

    >>> iter = range(3)
    >>> each(iter)
    0
    """
    return next(iter(items))
'''
GLOBAL = '''
def each(function):
    """Call it.

    >>> calls = 0
    >>> @each
    ... def called():
    ...     global calls
    ...     calls += 1
    >>> calls
    1
    """
    function()
    return function
'''
WRITTEN_OTHERWISE = '''
import datetime


def each(name):
    """A zone.

    >>> each("BRST")
    datetime.timezone(datetime.timedelta(0),u"BRST")
    """
    return datetime.timezone(datetime.timedelta(0), name)
'''
ASSERTED = '''
import os


def each(path):
    """Put variables in.

    >>> os.environ["SPAM"] = "eggs"
    >>> assert each("a/$SPAM") == os.path.join("a", "eggs")
    """
    return os.path.expandvars(path)
'''
BOUND_AT_RUN_TIME = '''
def _named(count):
    def function(items):
        return items[:count]

    return function


for _count, _name in enumerate(("none", "one", "two")):
    globals()[_name] = _named(_count)


def each(items):
    """Two of them.

    >>> each([1, 2, 3])
    [1, 2]
    """
    return two(items)
'''
RIGHT = {
    "changed elsewhere": CHANGED_ELSEWHERE,
    "used up by what is shown to raise": USED_UP,
    "by chance, seeded": BY_CHANCE,
    "counted": COUNTED,
    "related by class": RELATED,
    "shadowing a builtin": SHADOWING,
    "a global of the session": GLOBAL,
    "written otherwise": WRITTEN_OTHERWISE,
    "asserted": ASSERTED,
    "bound at run time": BOUND_AT_RUN_TIME,
}
# By example: what makes its function wrong, and what it gives then.
WRONG = {
    "changed elsewhere": ("for item in items", "for item in items[1:]", "seen gives [2]"),
    "used up by what is shown to raise": ("(item,) =", "item, *_ =", "does not finish"),
    "by chance, seeded": ("range(count)", "range(count + 1)", "each(3) gives [5, 2, 6, 0]"),
    "counted": ("_count += 1", "_count += 2", "each() gives '2'"),
    "related by class": ("*each(sub)", "", "each(A) gives ['B']"),
    "shadowing a builtin": ("next(iter(items))", "list(iter(items))[1]", "each(iter) gives 1"),
    "a global of the session": ("    function()\n", "", "calls gives 0"),
    "written otherwise": ("(0), name", "(0), name[1:]", "'RST'"),
    "asserted": ("vars(path)", "vars(path[1:])", "gives '/eggs'"),
    "bound at run time": ("return two", "return one", "gives [1]"),
}


async def told(executor: Executor, text: str, name: str = "each") -> Report:
    return await put_on_trial(executor, text, name, scripted(["I cannot say."], []))


@pytest.mark.parametrize("kind", RIGHT)
async def test_what_a_session_shows_accuses_nobody(executor: Executor, kind: str) -> None:
    report = await told(executor, RIGHT[kind])
    assert report.findings == ()
    assert ProblemKind.NOT_RUN not in {each.kind for each in report.problems}


@pytest.mark.parametrize("kind", WRONG)
async def test_what_a_session_contradicts_is_said(impatient: Executor, kind: str) -> None:
    right, wrong, said = WRONG[kind]
    assert RIGHT[kind].count(right) == 1
    report = await told(impatient, RIGHT[kind].replace(right, wrong))
    messages = [each.message for each in report.findings if each.code is Code.FAILS_EXAMPLE]
    messages += [each.message for each in report.problems]
    assert any(said in each for each in messages)


async def test_a_candidate_is_held_to_the_session_as_the_function_is(
    executor: Executor,
) -> None:
    wrong = CHANGED_ELSEWHERE.replace("for item in items", "for item in items[1:]")
    body = CHANGED_ELSEWHERE.strip()
    candidates = [wrong.strip()] + [f"{body}\n# {number}" for number in range(9)]
    model = scripted(candidates, ["each(print, [1])", "each(len, ['a', 'b'])"])
    report = await put_on_trial(executor, CHANGED_ELSEWHERE, "each", model)
    assert report.findings == ()
    assert sum(each.weight for each in report.classes) == 9


async def test_a_method_is_not_called_by_its_name_alone(executor: Executor) -> None:
    text = (
        'class Text:\n    def join(self, words):\n        """Join.\n\n'
        '        >>> join(["a", "b"])\n        "ab"\n        """\n        return "".join(words)\n'
    )
    report = await told(executor, text, "Text.join")
    assert report.findings == ()
