"""A function that does what no candidate does, where the candidates are divided themselves."""

from __future__ import annotations

from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.types import Code, Origin, Report, Severity, Status
from support.trials import put_on_trial, scripted

HEADER = "def middle(numbers: list[int]) -> int:"
# Where two numbers stand in the middle: the lower, the upper, both in one, the first of all.
LOWER, UPPER, BOTH, FIRST = (
    f"{HEADER}\n    ordered = sorted(numbers)\n"
    "    lower, upper = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]\n"
    f"    return lower if lower == upper else {otherwise}\n"
    for otherwise in ("lower", "upper", "lower * 10**12 + upper + 5", "ordered[0] - 1")
)
INPUTS = [
    f"middle({numbers})" for numbers in ([3], [1, 2, 3], [9, 1, 5], [1, 4, 9, 16], [2, 4, 6, 20])
]


async def report_on(
    executor: Executor, own: str, candidates: list[str], reading: str = "SECOND"
) -> Report:
    text = own.replace(HEADER, f'{HEADER}\n    """The number in the middle."""')
    return await put_on_trial(executor, text, "middle", scripted(candidates, INPUTS, reading))


async def test_what_no_candidate_does_is_suspect_if_most_are_of_one_mind(
    executor: Executor,
) -> None:
    report = await report_on(executor, FIRST, [LOWER] * 7 + [UPPER] * 3)
    assert report.verdict.status is Status.SUSPECT
    assert report.verdict.support is not None
    assert report.verdict.support.agreeing == 7
    (finding,) = report.findings
    assert (finding.code, finding.severity) == (Code.DIFFERS, Severity.WARNING)
    assert "7 of 10 candidates return" in finding.message
    assert finding.message.endswith(", as no candidate does")
    assert finding.witness is not None
    assert [each.weight for each in finding.witness.outcomes] == [7, 3, 0]
    # The next check would find that candidates part.
    assert report.replacements == ()


async def test_one_candidate_that_does_it_makes_it_a_reading(executor: Executor) -> None:
    report = await report_on(executor, FIRST, [LOWER] * 6 + [UPPER] * 3 + [FIRST], "UNDECIDED")
    assert report.verdict.status is Status.AMBIGUOUS
    assert "as no candidate does" not in report.findings[0].message


async def test_where_no_reading_has_a_majority_nobody_is_accused_but_it_is_said(
    executor: Executor,
) -> None:
    report = await report_on(executor, FIRST, [LOWER] * 4 + [UPPER] * 3 + [BOTH] * 3, "BOTH")
    assert report.verdict.status is Status.AMBIGUOUS
    (finding,) = report.findings
    assert (finding.code, finding.severity) == (Code.AMBIGUOUS, Severity.INFORMATION)
    assert finding.message.endswith(", as no candidate does")
    assert finding.message in "\n".join(report_lines(report, set(), verbose=False))


async def test_a_single_candidate_that_goes_with_the_function_makes_two_readings(
    executor: Executor,
) -> None:
    others = [LOWER] * 7 + [BOTH, FIRST]
    report = await report_on(executor, UPPER, [*others, UPPER], "BOTH")
    assert report.verdict.status is Status.AMBIGUOUS
    (finding,) = report.findings
    assert finding.message == (
        "middle([1, 4, 9, 16]): the docstring allows several behaviours; 7 of 10 candidates "
        "return 4, 1 returns 9, as this does"
    )
    assert finding.witness is not None
    assert finding.witness.origin is Origin.PROPOSED
    # It needs somebody to go with: alone it is found out.
    suspect = await report_on(executor, UPPER, [*others, BOTH])
    assert suspect.verdict.status is Status.SUSPECT


async def test_it_is_said_with_whom_the_function_goes(executor: Executor) -> None:
    leading = await report_on(executor, LOWER, [LOWER, UPPER] * 5, "UNDECIDED")
    assert "5 of 10 candidates return 4, as this does, 5 return 9" in leading.findings[0].message
    third = await report_on(executor, FIRST, [LOWER] * 4 + [UPPER] * 4 + [FIRST] * 2, "BOTH")
    assert third.findings[0].message.endswith(
        "4 of 10 candidates return 4, 4 return 9, this and 2 return 0"
    )
