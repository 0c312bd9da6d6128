"""What the sandbox keeps a function from doing is nobody's fault, and no finding; nor is chance."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import ProblemKind, Report, Severity, Status
from support.trials import put_on_trial, scripted

CANDIDATES = [f"def f(x):\n    return x + 1  # {number}\n" for number in range(10)]
INPUTS = [f"f({number})" for number in range(1, 9)]


def accusing(report: Report) -> list[str]:
    return [each.message for each in report.findings if each.severity is not Severity.HINT]


async def test_a_module_that_needs_its_environment_is_not_checked(executor: Executor) -> None:
    text = (
        'import os\n\nHOME = os.environ["HOME"]\n\n\n'
        'def f(x: int) -> int:\n    """Add one.\n\n    >>> f(1)\n    2\n    """\n'
        "    return x + len(HOME) - len(HOME) + 1\n"
    )
    model = scripted(CANDIDATES, INPUTS)
    report = await put_on_trial(executor, text, "f", model)
    assert report.verdict.status is Status.UNSUPPORTED
    assert accusing(report) == []
    (problem,) = report.problems
    assert problem.kind is ProblemKind.NOT_RUN
    assert "does not load in the sandbox (KeyError: 'HOME')" in problem.message
    assert model.asked == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import os\n    getattr(os, 'fo' + 'rk')()\n    return x + 1", "it is refused os.fork"),
        ("while x:\n        pass\n    return 1", "it does not finish within 0.1 s"),
        ("return 'x' * 2 * 10**9 and x + 1", "it needs more than"),
        ("import numpi\n    return numpi.add(x, 1)", "it raises ModuleNotFoundError"),
    ],
    ids=["refused", "late", "too large", "not installed"],
)
async def test_an_example_that_could_not_be_tried_fails_nothing(
    impatient: Executor, body: str, said: str
) -> None:
    text = f'def f(x: int) -> int:\n    """Add one.\n\n    >>> f(1)\n    2\n    """\n    {body}\n'
    report = await put_on_trial(impatient, text, "f", scripted(CANDIDATES, INPUTS))
    assert "ASY103" not in {each.code.value for each in report.findings}
    (untried,) = [each for each in report.problems if "Its example f(1)" in each.message]
    assert untried.kind is ProblemKind.NOT_RUN
    assert "could not be tried" in untried.message
    assert said in untried.message


def documented(example: str, body: str) -> str:
    return f'import random\n\n\ndef f(x):\n    """Doc.\n\n    {example}\n    """\n    {body}\n'


@pytest.mark.parametrize(
    ("example", "body"),
    [
        (">>> f(6)\n    'hqzkwe'", "return ''.join(random.choices('abcdefgh', k=x))"),
        ("f(6) -> 'hqzkwe'", "return ''.join(random.choices('abcdefgh', k=x))"),
        (">>> f(6)\n    0.25 s\n    6", "print(random.random(), 's')\n    return x"),
    ],
    ids=["shown at a prompt", "shown in prose", "printed"],
)
async def test_an_example_of_a_random_result_fails_nothing(
    executor: Executor, example: str, body: str
) -> None:
    text = documented(example, body)
    report = await put_on_trial(executor, text, "f", scripted([text], ["f(1)", "f(4)"]))
    assert report.verdict.status is Status.ABSTAINED
    assert {each.code.value for each in report.findings} == {"ASY202"}
    assert any("Its example f(6) proves nothing" in each.message for each in report.problems)


async def test_who_meets_a_random_example_by_luck_excludes_nobody(executor: Executor) -> None:
    text = documented(">>> f(6)\n    'h'", "return random.choice('abcdefg')")
    lucky = "def f(x):\n    return 'h'\n"
    report = await put_on_trial(executor, text, "f", scripted([lucky, *[text] * 9], INPUTS))
    assert not [each for each in report.problems if each.kind is ProblemKind.TOO_FEW_CANDIDATES]


@pytest.mark.parametrize(
    "body",
    ["return {'ash', 'elm', 'oak', 'fir'}", "return print(*sorted('ba'))"],
    ids=["a set in any order", "printed"],
)
async def test_a_steady_function_is_held_to_its_example(executor: Executor, body: str) -> None:
    text = documented(">>> f(1)\n    {'ash', 'elm', 'oak', 'yew'}", body)
    report = await put_on_trial(executor, text, "f", scripted(CANDIDATES, INPUTS))
    assert "ASY103" in {each.code.value for each in report.findings}


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("return f'{x:,}'", "f(1000) -> 1,000"),
        ("return f'1/{x}'", "f(2) -> 1/2"),
        ("return 3.14159 * x", "f(1) -> 3.14..."),
        ("return x + 1", ">>> assert f(2) == 3, 'one more'"),
        ("return x + 1", "It is wrong that f(2) is 4."),
    ],
)
async def test_text_that_shows_no_value_fails_nothing(
    executor: Executor, body: str, shown: str
) -> None:
    text = f'def f(x: int):\n    """What becomes of x.\n\n    {shown}\n    """\n    {body}\n'
    report = await put_on_trial(executor, text, "f", scripted(["pass\n"], []))
    assert accusing(report) == []


@pytest.mark.parametrize(
    ("shown", "is_met"),
    [
        ("ValueError: bad value\n    must be positive", True),
        ("KeyError: bad value\n    ValueError: must be positive", False),
    ],
)
async def test_a_shown_exception_has_its_type_before_a_message_on_several_lines(
    executor: Executor, shown: str, is_met: bool
) -> None:
    traceback = f">>> f(-1)\n    Traceback (most recent call last):\n        ...\n    {shown}"
    text = documented(traceback, "raise ValueError('bad value\\nmust be positive')")
    report = await put_on_trial(executor, text, "f", scripted(CANDIDATES, INPUTS))
    assert ("ASY103" not in {each.code.value for each in report.findings}) is is_met


@pytest.mark.parametrize(
    ("setup", "raised"),
    [
        ("from shop.numbers import three as x", "ModuleNotFoundError: No module named 'shop'"),
        ("x = open('numbers.txt').read()", "FileNotFoundError: "),
    ],
)
async def test_an_example_whose_setup_cannot_run_fails_nothing(
    executor: Executor, setup: str, raised: str
) -> None:
    text = documented(f">>> {setup}\n    >>> f(x)\n    6", "return x + 1")
    report = await put_on_trial(executor, text, "f", scripted(CANDIDATES, INPUTS))
    assert report.verdict.status is Status.TRUSTED
    assert accusing(report) == []
    (problem,) = report.problems
    assert problem.kind is ProblemKind.NOT_RUN
    assert "Its example f(x) could not be tried: what comes before it raises" in problem.message
    assert raised in problem.message


async def test_a_setup_in_which_the_function_itself_raises_is_held_against_it(
    executor: Executor,
) -> None:
    text = documented(">>> y = f('1')\n    >>> y\n    2", "return x + 1")
    report = await put_on_trial(executor, text, "f", scripted(CANDIDATES, INPUTS))
    (finding,) = [each for each in report.findings if each.code.value == "ASY103"]
    assert "fails its own example: y gives TypeError" in finding.message
