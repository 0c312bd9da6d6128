"""Prose that shows a value is read with leniency: who is right is not accused by it."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Code, Report
from support.trials import put_on_trial, scripted

# By docstring: the function, which is right.
RIGHT = {
    "f(2) gives 0, 3 one after the other.": "def f(n):\n    yield from range(0, 3 * n, 3)",
    "Pieces: f([1, 2, 3]) -> [1, 2], [3]": "def f(n):\n    yield n[:2]\n    yield n[2:]",
    "f([1, 2]) returns [2, 4], lazily.": "def f(n):\n    return map(lambda x: 2 * x, n)",
    "f(2) yields 4": "def f(n):\n    yield 2 * n",
    "f(3) -> [0, 1, 2].": "def f(n):\n    return range(n)",
    'With base 16, f("12") returns 18.': "def f(n, base=10):\n    return int(n, base)",
    'With `sep=";"` f(["a", "b"]) gives "a;b"': 'def f(n, sep=","):\n    return sep.join(n)',
    "Up to version 1.4, f(1) returns 2.": "def f(n):\n    return n + 2",
    "Adds one to all: f([1, 2]) gives [2, 3].": "def f(n):\n    n[:] = [x + 1 for x in n]",
    "f(3) returns 3 and 4.": "def f(n):\n    return [n, n + 1]",
    "The area: f(1) -> 3.14.": "def f(n):\n    return 3.141592653589793 * n * n",
    "f(5) -> 0.05": "def f(n):\n    return f'{n / 100:.2f}'",
    "It is not true that f(1) -> 3": "def f(n):\n    return n",
    "With base 16 f(1) == 3.": "def f(n):\n    return n",
    "Twice n: f(2) -> 4.": "async def f(n):\n    return 2 * n",
}
WRONG = {
    "For example: f(2) -> 4.": "def f(n):\n    return n",
    "f(2) == 4": "def f(n):\n    return n",
    "例:f(2) -> 4": "def f(n):\n    return n",
    "- f(3) -> [0, 1, 2].": "def f(n):\n    return range(n + 1)",
    "f([1, 2]) = [2, 4].": "def f(n):\n    return map(lambda x: x + 2, n)",
    "The area: f(1) -> 3.14.": "def f(n):\n    return 3.15 * n * n",
    "f(5)  # 0.05": "def f(n):\n    return f'{n / 10:.2f}'",
}


async def told(executor: Executor, docstring: str, function: str) -> Report:
    header, _, body = function.partition("\n")
    text = f"{header}\n    r'''Doc.\n\n    {docstring}\n    '''\n{body}\n"
    return await put_on_trial(executor, text, "f", scripted(["I cannot say."], ["f(1)"]))


@pytest.mark.parametrize("docstring", RIGHT)
async def test_what_prose_leaves_out_accuses_nobody(executor: Executor, docstring: str) -> None:
    report = await told(executor, docstring, RIGHT[docstring])
    assert report.findings == ()
    assert "example" not in " ".join(each.message for each in report.problems[1:])


@pytest.mark.parametrize("docstring", WRONG)
async def test_what_it_says_is_held_against_the_function(
    executor: Executor, docstring: str
) -> None:
    report = await told(executor, docstring, WRONG[docstring])
    assert [each.code for each in report.findings] == [Code.FAILS_EXAMPLE]
