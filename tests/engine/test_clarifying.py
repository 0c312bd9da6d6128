"""Examples that say in the docstring what is meant: which are offered, and how they are written."""

from __future__ import annotations

import doctest
from collections.abc import Sequence

import pytest

from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.fixes.clarifying import clarified
from assay_engine.splicing import apply_edits
from assay_engine.splicing.body import with_example
from assay_engine.splicing.place import locate
from assay_engine.syntax.text import read_source
from assay_engine.syntax.units import find_units
from assay_engine.types import Problem, Report, Status
from support.saying import page_text
from support.trials import put_on_trial, scripted

RANKS = '''\
def ranks(scores: list[int]) -> list[int]:
    """The rank of each score, 1 for the highest; equal scores have equal ranks."""
    return [1 + sum(other > score for other in scores) for score in scores]
'''
DENSE = "def ranks(scores):\n    return [1 + len({o for o in scores if o > s}) for s in scores]\n"
STANDARD = "def ranks(scores):\n    return [1 + sum(o > s for o in scores) for s in scores]\n"
ROOT = '''\
def root(number: int) -> int:
    """The whole number whose square this is, whatever its sign."""
    if number < 0:
        raise ValueError("it is negative")
    return round(number**0.5)
'''
SIGNLESS = "def root(number):\n    return round(abs(number) ** 0.5)\n"
TELLING = '''\
def tell(words: list[str]) -> set[str]:
    """The words with an a."""
    return {word for word in words if word.startswith("a")}
'''
CONTAINING = "def tell(words):\n    return {word for word in words if 'a' in word}\n"
REFUSING = '''\
class TooSmall(Exception):
    pass


def admit(number: int) -> int:
    """The number itself."""
    if number < 0:
        raise TooSmall("too small")
    return number
'''
ADMITTING = "def admit(number):\n    return number\n"
TELLING_ALL = TELLING.replace('word.startswith("a")', "word == 'a'")
NESTED = '''\
def peeled(nested: list) -> bool:
    """Whether something is in it."""
    return len(str(nested)) > 100
'''
WITHIN = "def peeled(nested):\n    return False\n"
DIVIDED = [DENSE, STANDARD]


async def tried(executor: Executor, text: str, candidates: Sequence[str], *inputs: str) -> Report:
    (unit,) = find_units(text)[0]
    reading = "BOTH" if candidates is DIVIDED else "SECOND"
    return await put_on_trial(executor, text, unit.qualname, scripted(candidates, inputs, reading))


async def test_what_a_docstring_leaves_open_is_settled_by_an_example(
    executor: Executor,
) -> None:
    report = await tried(executor, RANKS, DIVIDED, "ranks([90, 90, 80])", "ranks([3, 1])")
    assert report.verdict.status is Status.AMBIGUOUS
    assert [each.behaviour for each in report.clarifications] == [
        "returns [1, 1, 3]",
        "returns [1, 1, 2]",
    ]
    for number, expected in enumerate((0, 1)):
        edits = clarified(RANKS, report, number)
        assert not isinstance(edits, Problem)
        text = apply_edits(RANKS, edits)
        namespace: dict[str, object] = {}
        exec(text, namespace)  # our own text, written above
        (example,) = doctest.DocTestFinder().find(namespace["ranks"], "ranks", globs=namespace)
        assert doctest.DocTestRunner(verbose=False).run(example, out=lambda _: None).failed == (
            expected
        )


async def test_a_function_found_suspect_may_be_what_is_meant(executor: Executor) -> None:
    report = await tried(executor, RANKS, [DENSE], "ranks([90, 90, 80])", "ranks([3, 1])")
    assert report.verdict.status is Status.SUSPECT
    assert [each.example for each in report.clarifications] == [
        ">>> ranks([90, 90, 80])\n[1, 1, 3]"
    ]


async def test_an_exception_is_shown_as_a_traceback(executor: Executor) -> None:
    report = await tried(executor, ROOT, [SIGNLESS], "root(-4)", "root(9)", "root(-9)")
    (clarification,) = report.clarifications
    assert clarification.behaviour == "raises ValueError"
    assert clarification.example == (
        ">>> root(-4)\nTraceback (most recent call last):\n    ...\nValueError: it is negative"
    )


@pytest.mark.parametrize(
    ("text", "candidate", "call"),
    [
        # The order of a set is another one in the next process.
        (TELLING, CONTAINING, "tell(['ab', 'ac', 'ba'])"),
        # A prompt calls the user's own exceptions by a module whose name depends on who runs it.
        (REFUSING, ADMITTING, "admit(-1)"),
        # Nobody counts so many brackets.
        (NESTED, WITHIN, f"peeled({'[' * 60}{']' * 60})"),
        # Nobody reads so much.
        (TELLING_ALL, CONTAINING, f"tell({[f'ab{number}' * 9 for number in range(40)]})"),
    ],
)
async def test_what_no_prompt_tells_is_no_example(
    executor: Executor, text: str, candidate: str, call: str
) -> None:
    report = await tried(executor, text, [candidate], call)
    assert report.verdict.status is Status.SUSPECT
    assert report.clarifications == ()


async def test_it_is_said_whose_value_an_example_has_behind_the_replacements(
    executor: Executor,
) -> None:
    suspect = await tried(executor, RANKS, [DENSE], "ranks([90, 90, 80])", "ranks([3, 1])")
    lines = [*report_lines(suspect, set(), verbose=True)]
    said = "  if this function is right, an example that says that it returns [1, 1, 3]:"
    assert lines.index(said) > lines.index("  replacement, which returns [1, 1, 2]:")
    divided = await tried(executor, RANKS, DIVIDED, "ranks([90, 90, 80])", "ranks([3, 1])")
    said = "\n".join(report_lines(divided, set(), verbose=True))
    assert "  if this function and 5 of 10 candidates are right, an example" in said
    assert "  if 5 of 10 candidates are right, an example that says that it returns [1" in said


async def test_that_there_is_no_example_is_said(executor: Executor) -> None:
    report = await tried(executor, TELLING, [CONTAINING], "tell(['ab', 'ac', 'ba'])")
    said = "\n".join(report_lines(report, set(), verbose=True))
    assert "no doctest can show this difference" in said
    assert "No doctest can show this difference." in page_text(report)
    shown = await tried(executor, RANKS, [DENSE], "ranks([90, 90, 80])", "ranks([3, 1])")
    assert "no doctest can" not in "\n".join(report_lines(shown, set(), verbose=True))


def written(text: str, example: str = ">>> f(1)\n2") -> str | None:
    (unit,) = find_units(text)[0]
    place = locate(read_source(text), unit)
    assert place is not None
    edit = with_example(place, example)
    return None if edit is None else apply_edits(text, (edit,))


BODY = "    return x\n"


@pytest.mark.parametrize(
    ("docstring", "after"),
    [
        ('"""Doc."""', '"""Doc.\n\n    >>> f(1)\n    2\n    """'),
        ("'Doc.'", '"""Doc.\n\n    >>> f(1)\n    2\n    """'),
        ('"Say \\"so\\"."', '"""Say \\"so\\".\n\n    >>> f(1)\n    2\n    """'),
        ("'''Doc.\n    '''", "'''Doc.\n\n    >>> f(1)\n    2\n    '''"),
        (
            '"""Doc.\n\n    Returns:\n        More.\n\n    """',
            '"""Doc.\n\n    Returns:\n        More.\n\n    >>> f(1)\n    2\n    """',
        ),
        (
            '"""Doc.\n\n    >>> f(0)\n    1\n    """',
            '"""Doc.\n\n    >>> f(0)\n    1\n    >>> f(1)\n    2\n    """',
        ),
        ('r"""A\\d."""', 'r"""A\\d.\n\n    >>> f(1)\n    2\n    """'),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_example_is_added_as_its_author_would_have_done(
    docstring: str, after: str, newline: str
) -> None:
    text, expected = (f"def f(x):\n    {each}\n{BODY}" for each in (docstring, after))
    assert written(text.replace("\n", newline)) == expected.replace("\n", newline)


def test_a_function_on_one_line_and_one_in_a_class_have_their_own_margins() -> None:
    assert written('def f(x): """Doc."""; return x\n') == (
        'def f(x): """Doc.\n\n    >>> f(1)\n    2\n    """; return x\n'
    )
    assert written('class A:\n\tdef f(x):\n\t\t"""Doc."""\n\t\treturn x\n') == (
        'class A:\n\tdef f(x):\n\t\t"""Doc.\n\n\t\t>>> f(1)\n\t\t2\n\t\t"""\n\t\treturn x\n'
    )


@pytest.mark.parametrize(
    ("quote", "example"),
    [
        ('"""', ">>> f('a\\n')\n'\\t'"),
        ('"""', '>>> f(\'"""\')\n2'),
        ("'''", ">>> f('''a''')\n2"),
    ],
)
def test_what_an_example_holds_is_what_the_docstring_says(quote: str, example: str) -> None:
    text = written(f"def f(x):\n    {quote}Doc.{quote}\n{BODY}", example)
    assert text is not None
    (unit,) = find_units(text)[0]
    assert unit.docstring.rstrip() == f"Doc.\n\n{example}"


def test_what_is_no_plain_literal_is_left_alone() -> None:
    assert written(f'def f(x):\n    ("Doc." " More.")\n{BODY}', ">>> f(1)\n2") is None
    assert written(f"def f(x):\n{BODY}") is None


async def test_a_docstring_that_cannot_be_added_to_has_the_example_named(
    executor: Executor,
) -> None:
    text = RANKS.replace('"""The rank', '"The rank').replace('ranks."""', 'ranks." ""')
    report = await tried(executor, text, [DENSE], "ranks([90, 90, 80])", "ranks([3, 1])")
    problem = clarified(text, report, 0)
    assert isinstance(problem, Problem)
    assert "by hand: >>> ranks([90, 90, 80])" in problem.message
    changed = clarified(text.replace("1 +", "2 +"), report, 0)
    assert isinstance(changed, Problem)
    assert "has changed since it was checked" in changed.message


LOUD = '''\
# -*- coding: ascii -*-
def loud(word: str) -> str:
    """The word in capitals."""
    return word.upper() + "!"
'''
QUIET = "def loud(word):\n    return word.upper()\n"


async def test_an_example_that_the_file_cannot_hold_is_not_written(executor: Executor) -> None:
    report = await tried(executor, LOUD, [QUIET], "loud('\u00e4')", "loud('\u00f6')")
    assert report.clarifications
    problem = clarified(LOUD, report, 0)
    assert isinstance(problem, Problem)
    assert "The example needs characters that ascii" in problem.message
    assert "Declare the file as UTF-8" in problem.message
    assert not isinstance(clarified(LOUD.replace("ascii", "utf-8"), report, 0), Problem)
