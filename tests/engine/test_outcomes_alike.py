"""A function that did one and the same on all inputs has not shown when it does anything else."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import ProblemKind, Status
from support.trials import put_on_trial, scripted

INPUTS = ["f('')", "f('a')", "f('b c')", "f('A')", "f('0')"]


def doing(body: str) -> str:
    return f'def f(text: str) -> bool:\n    """Tell whether the text is meant."""\n    {body}\n'


async def test_what_always_does_the_same_is_not_found_right(executor: Executor) -> None:
    body = "return sum(map(ord, text)) == 7654321"
    candidates = [doing(f"{body}  # {number}") for number in range(10)]
    report = await put_on_trial(executor, doing(body), "f", scripted(candidates, INPUTS))
    assert report.verdict.status is Status.ABSTAINED
    assert report.findings == ()
    (problem,) = report.problems
    assert problem.kind is ProblemKind.NO_INPUTS
    assert "it returns False, as the candidates do; no other behaviour" in problem.message


async def test_what_always_raises_the_same_is_not_either(executor: Executor) -> None:
    meant = (
        '"""Tell whether the text is meant.\n\n    Raises:\n        ValueError: always.\n    """'
    )
    body = "raise ValueError(f'bad {text}')"
    text = doing(body).replace('"""Tell whether the text is meant."""', meant)
    candidates = [f"{text}    # {number}\n" for number in range(10)]
    report = await put_on_trial(executor, text, "f", scripted(candidates, INPUTS))
    assert report.verdict.status is Status.ABSTAINED
    (problem,) = report.problems
    assert "it raises ValueError, as the candidates do" in problem.message


@pytest.mark.parametrize(
    "body",
    [
        "return len(text) > 2",
        "print(text)\n    return True",
        "if text == 'A': raise LookupError('a')\n    return len(text) > 2",
    ],
    ids=["values", "output", "exceptions"],
)
async def test_what_does_one_thing_or_another_is(executor: Executor, body: str) -> None:
    candidates = [doing(f"{body}  # {number}") for number in range(10)]
    report = await put_on_trial(executor, doing(body), "f", scripted(candidates, INPUTS))
    assert report.verdict.status is Status.TRUSTED


@pytest.mark.parametrize(
    ("docstring", "inputs"),
    [
        ("Add one.", ["f(1)"]),
        ("Add one.\n\n    >>> f(1)\n    2\n    >>> f(2)\n    3\n    ", ["f(1)", "f(2)"]),
    ],
    ids=["a single input", "its own examples"],
)
async def test_agreement_on_next_to_nothing_finds_nothing_right(
    executor: Executor, docstring: str, inputs: list[str]
) -> None:
    text = f'def f(n: int) -> int:\n    """{docstring}"""\n    return n + 1\n'
    candidates = [f"{text}    # {number}\n" for number in range(10)]
    report = await put_on_trial(executor, text, "f", scripted(candidates, inputs))
    assert report.verdict.status is Status.ABSTAINED
    assert "too few to decide" in report.problems[-1].message
    report = await put_on_trial(executor, text, "f", scripted(candidates, [*inputs, "f(3)"]))
    assert report.verdict.status is Status.TRUSTED


async def test_what_a_function_changes_is_what_it_does(executor: Executor) -> None:
    text = 'def f(items: list[int]) -> None:\n    """Empty a list."""\n    items.clear()\n'
    calls = ["f([])", "f([1])", "f([2, 3])"]
    candidates = [f"{text}    # {number}\n" for number in range(10)]
    report = await put_on_trial(executor, text, "f", scripted(candidates, calls))
    assert report.verdict.status is Status.TRUSTED
