"""The outcome of a run: its exit status, and the functions that have to be checked again."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.check.report_cache import PASSING
from assay_engine.cli.output import COULD_NOT_RUN, DONE, FINDINGS
from assay_engine.types import Problem, ProblemKind, Report, Severity, Status

# The severities of findings that fail a run.
ACCUSING = (Severity.ERROR, Severity.WARNING)


def exit_code(reports: Sequence[Report], unreadable: Sequence[str]) -> int:
    """The exit code. A check that could not run outweighs findings: CI must not take half a check
    for a whole one."""
    if unreadable or any(map(could_not_run, reports)):
        return COULD_NOT_RUN
    found = any(finding.severity in ACCUSING for report in reports for finding in report.findings)
    return FINDINGS if found else DONE


def could_not_run(report: Report) -> bool:
    """Whether the function has no verdict, for a reason that may be gone next time."""
    return bool(passing_problems(report))


def passing_problems(report: Report) -> tuple[Problem, ...]:
    """The problems that kept the function from having a verdict and may be gone next time.

    A function is not accused if the model could not be asked about it. That is no verdict.
    """
    unasked = any(not each.is_answered for each in report.settling)
    kept = report.verdict.status.fell_short or (
        report.verdict.status is Status.AMBIGUOUS and unasked
    )
    if not kept:
        return ()
    return tuple(problem for problem in report.problems if problem.kind in PASSING)


def has_no_docstring(report: Report) -> bool:
    """Whether the function lacks a docstring. Many do, and nobody expects a word about each."""
    return any(problem.kind is ProblemKind.NO_DOCSTRING for problem in report.problems)
