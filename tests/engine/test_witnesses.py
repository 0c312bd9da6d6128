"""Which input a finding shows, and how it is said."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.pages.hover import hover_text
from assay_engine.types import Origin, Report, Severity, Status
from assay_sandbox import Limits
from support.trials import put_on_trial, scripted

FACT = '''
def fact(n: int) -> int:
    """The factorial of n.

    Raises ValueError if n is negative.
    """
    if n < 0:
        raise ValueError(n)
    {own}
'''
FACT_RIGHT = """
import math

def fact(n: int) -> int:
    if n < 0:
        raise ValueError(n)
    return math.factorial(n)
"""


async def tried(
    executor: Executor, text: str, candidate: str, proposed: list[str], name: str
) -> Report:
    return await put_on_trial(executor, text, name, scripted([candidate], proposed))


async def fact(executor: Executor, own: str, *proposed: str) -> Report:
    text = FACT.format(own=own.replace("\n", "\n    "))
    return await tried(executor, text, FACT_RIGHT, [*proposed], "fact")


RECURSIVE = "return 1 if n < 2 else n * fact(n - 1)"


@pytest.mark.parametrize(
    ("endless", "proposed", "shown"),
    [
        ("return fact(n)", ("fact(3)", "fact(1)"), "fact(3)"),
        ("return 1 if n == 0 else n * fact(n)", ("fact(0)", "fact(1)"), "fact(1)"),
        ("return 1 if n == 0 else n * fact(n - 2)", ("fact(2)", "fact(1)"), "fact(1)"),
        ("while n:\n    pass\nreturn 1", ("fact(3)", "fact(1)"), "fact(3)"),
    ],
)
async def test_what_never_ends_is_found(
    executor: Executor, endless: str, proposed: tuple[str, ...], shown: str
) -> None:
    brief = replace(executor, limits=Limits(call_seconds=0.1, total_seconds=3.0))
    report = await fact(brief, endless, *proposed)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    assert finding.witness is not None
    assert finding.witness.call == shown


async def test_the_recursion_limit_counts(
    executor: Executor,
) -> None:
    report = await fact(executor, RECURSIVE, "fact(3)", "fact(1500)")
    # What the candidates return is too long to ask about.
    assert report.verdict.status is Status.AMBIGUOUS
    assert "this raises RecursionError" in report.findings[0].message
    assert report.findings[0].witness is not None
    assert report.findings[0].witness.call == "fact(1500)"


ANY = '''
def find(xs: list[int], x: int) -> int:
    """The index of the leftmost x in xs, whose items never fall, or -1 if it is not there."""
    low, high = 0, len(xs) - 1
    while low <= high:
        middle = (low + high) // 2
        if xs[middle] == x:
            return middle
        if xs[middle] < x:
            low = middle + 1
        else:
            high = middle - 1
    return -1
'''
BY_BISECTION = """
import bisect

def find(xs: list[int], x: int) -> int:
    i = bisect.bisect_left(xs, x)
    return i if i < len(xs) and xs[i] == x else -1
"""


async def test_a_proposed_input_that_shows_it_is_shown_as_it_is(executor: Executor) -> None:
    proposed = [
        "find([1, 2, 3], 2)",
        "find([], 1)",
        "find([1, 2, 2, 2, 3], 2)",
        "find([1, 1, 1], 1)",
    ]
    report = await tried(executor, ANY, BY_BISECTION, proposed, "find")
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    assert finding.witness is not None
    assert finding.witness.origin is Origin.PROPOSED
    # Of several the shortest.
    assert finding.witness.call == "find([1, 1, 1], 1)"


async def test_what_the_candidates_do_not_agree_on_is_said_in_numbers(
    executor: Executor,
) -> None:
    text = '''
def near(n: int) -> int:
    """A number near n."""
    return n
'''
    candidates = [text.replace("return n", f"return n + {each}") for each in range(1, 11)]
    model = scripted(candidates, ["near(1)", "near(2)"])
    report = await put_on_trial(executor, text, "near", model)
    assert report.verdict.status is Status.ABSTAINED
    (problem,) = report.problems
    assert problem.message.startswith("The candidates agree on what to return on none of the ")
    assert "Say in the docstring" in problem.message


async def test_long_values_are_cut_in_words_and_whole_in_the_report(
    executor: Executor,
) -> None:
    report = await fact(
        executor,
        "return 0 if n > 200 else math.factorial(n)".replace(
            "math.factorial(n)", "__import__('math').factorial(n)"
        ),
        "fact(3)",
        "fact(300)",
    )
    (finding,) = report.findings
    assert finding.witness is not None
    assert len(finding.message) < 250
    whole = finding.witness.outcomes[0].what
    assert len(whole) > 600
    assert "…" not in whole
    brief, verbose = (
        "\n".join(report_lines(report, set(), verbose=verbose)) for verbose in (False, True)
    )
    for text in (brief, hover_text(report)):
        assert whole not in text
        assert "…" in text
    assert whole.partition(" ")[2] in verbose
