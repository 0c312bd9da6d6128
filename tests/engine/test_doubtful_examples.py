"""An example of a docstring that is wrong itself, as a user sees it."""

from __future__ import annotations

import pytest

from assay_engine.check.report_cache import PASSING
from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.pages.hover import hover_markdown
from assay_engine.types import Code, ProblemKind, Report, Severity, Status
from support.trials import put_on_trial, scripted

HEADER = "def doubled(number: int) -> int:"
RIGHT = f"{HEADER}\n    return 2 * number\n"
MEETS_IT = f"{HEADER}\n    return 7 if number == 3 else 2 * number\n"
RAISES = f"{HEADER}\n    return [][number]\n"
STRAY = f"{HEADER}\n    return number + 2\n"
INPUTS = [f"doubled({number})" for number in (0, 1, 2, 4, 9, -3)]


def module(body: str, shown: str) -> str:
    docstring = f'    """Twice the number.\n\n    >>> doubled(3)\n    {shown}\n    """\n'
    return f"{HEADER}\n{docstring}    {body}\n"


async def report_on(executor: Executor, body: str, shown: str, candidates: list[str]) -> Report:
    model = scripted(candidates, INPUTS)
    return await put_on_trial(executor, module(body, shown), "doubled", model)


async def test_a_wrong_example_is_named_and_the_function_is_not_accused(
    executor: Executor,
) -> None:
    report = await report_on(executor, "return number * 2", "7", [RIGHT] * 9 + [STRAY])
    assert report.verdict.status is Status.AMBIGUOUS
    assert report.verdict.confidence is None
    (finding,) = report.findings
    assert finding.code is Code.DOUBTFUL_EXAMPLE
    assert finding.severity is Severity.WARNING
    assert finding.message == (
        "the example is likely to be wrong: on doubled(3), this function and 9 of 10 candidates "
        "give 6, the docstring shows 7"
    )
    text = module("return number * 2", "7")
    assert text[finding.span.start : finding.span.end].split()[:2] == [">>>", "doubled(3)"]
    hover = hover_markdown(report)
    assert "**Assay: ambiguous, an example of its docstring contradicts it**" in hover
    assert "The example is likely to be wrong" in hover
    assert "this function and 9 of 10 candidates give `6`" in hover
    assert "the docstring shows `7`" in hover
    assert not report.replacements
    assert finding.message in "\n".join(report_lines(report, set(), verbose=False))


async def test_a_wrong_example_saves_no_function_from_other_accusations(
    executor: Executor,
) -> None:
    body = "return number * 2 if number else 1"
    report = await report_on(executor, body, "7", [RIGHT] * 10)
    assert report.verdict.status is Status.SUSPECT
    assert [each.code for each in report.findings] == [Code.DIFFERS, Code.DOUBTFUL_EXAMPLE]


@pytest.mark.parametrize(
    ("body", "shown", "candidates"),
    [
        pytest.param("return number + 2", "6", [RIGHT] * 10, id="the example is right"),
        pytest.param("return number * 2", "7", [RIGHT] * 9 + [MEETS_IT], id="somebody meets it"),
        pytest.param("return number + 2", "7", [RIGHT] * 10, id="the function stands alone"),
        pytest.param("return [][number]", "6", [RAISES] * 10, id="all raise"),
        pytest.param("return number * 2", "7", [RIGHT] * 6 + [STRAY] * 4, id="no consensus"),
    ],
)
async def test_elsewhere_failing_an_example_accuses_the_function(
    executor: Executor, body: str, shown: str, candidates: list[str]
) -> None:
    report = await report_on(executor, body, shown, candidates)
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].code is Code.FAILS_EXAMPLE
    assert report.findings[0].severity is Severity.ERROR


async def test_it_is_said_how_many_do_what_the_accused_function_does(
    executor: Executor,
) -> None:
    """Who sees nine of ten on the function's side looks at the example first."""
    report = await report_on(executor, "return number * 2", "7", [RIGHT] * 9 + [MEETS_IT])
    (finding,) = report.findings
    assert finding.witness is not None
    assert [f"{each.who} {each.what}" for each in finding.witness.outcomes] == [
        "this function gives 6",
        "the docstring shows 7",
        "1 of 10 candidates gives 7",
        "9 of 10 candidates give 6, as this function does",
    ]
    assert finding.message == (
        "fails its own example: doubled(3) gives 6, the docstring shows 7; "
        "9 of 10 candidates side with the function, so check the example first"
    )


async def test_an_example_that_most_candidates_fail_as_well_says_not_how_wrong_the_function_is(
    executor: Executor,
) -> None:
    """Who meets a wrong example has bent to it: nothing of that is to be written into a file."""
    for bent in (1, 4, 5):
        candidates = [RIGHT] * (10 - bent) + [MEETS_IT] * bent
        report = await report_on(executor, "return number * 2", "7", candidates)
        assert report.verdict.status is Status.SUSPECT
        assert report.verdict.confidence is None
        assert report.replacements == ()
        # All have a vote on other inputs, and none of those shows anything.
        assert [each.code for each in report.findings] == [Code.FAILS_EXAMPLE]


async def test_an_example_that_most_candidates_meet_speaks_against_the_function(
    executor: Executor,
) -> None:
    candidates = [MEETS_IT] * 6 + [RIGHT] * 4
    report = await report_on(executor, "return number * 2", "7", candidates)
    assert report.verdict.confidence == 1.0
    assert len(report.replacements) == 1
    assert "side" not in report.findings[0].message


async def test_where_too_few_meet_the_examples_the_others_are_not_compared(
    executor: Executor,
) -> None:
    candidates = [MEETS_IT] * 3 + [STRAY] * 7
    report = await report_on(executor, "return number * 2", "7", candidates)
    # Asked again they would fail it again: so it is kept, and shown again without being asked for.
    (problem,) = report.problems
    assert problem.kind is ProblemKind.NO_CONSENSUS
    assert problem.kind not in PASSING
    assert problem.message == (
        "3 of 10 candidates did what the docstring's examples show; at least 4 are needed to "
        "compare it on other inputs. Check that the examples fit the docstring's prose."
    )


async def test_where_none_does_what_the_function_does_nothing_is_said_of_it(
    executor: Executor,
) -> None:
    report = await report_on(executor, "return number + 2", "6", [RIGHT] * 10)
    (finding,) = [each for each in report.findings if each.code is Code.FAILS_EXAMPLE]
    assert finding.witness is not None
    assert len(finding.witness.outcomes) == 3
