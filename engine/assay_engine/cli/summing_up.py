"""The lines about all functions together, when all are finished."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from assay_engine.cli.outcome import has_no_docstring
from assay_engine.saying.costs import cost_phrase
from assay_engine.types import Problem, ProblemKind, Report, Status
from assay_engine.words import count, visible

_NO_MODEL = (ProblemKind.MODEL_UNAVAILABLE, ProblemKind.NO_CONSENT, ProblemKind.OFFLINE)
# The beginning of a sentence that is to follow a colon, and so to begin in lower case.
_BEGINNING = re.compile(r"^No(?=thing\b|\b)")


def summary(reports: Sequence[Report], *, verbose: bool) -> str:
    """How many functions have which status, and the cost of all checks."""
    counted = Counter(report.verdict.status for report in reports)
    ignored = Counter(report.verdict.status for report in reports if _is_ignored(report))
    parts = [_counted(status, counted[status], ignored[status]) for status in Status]
    told = ", ".join(filter(None, parts))
    line = f"{count(len(reports), 'function')}: {told or 'nothing to check'}"
    undocumented = sum(map(has_no_docstring, reports))
    if undocumented:
        named = "" if verbose else "; --verbose names them"
        line += f" ({undocumented} without a docstring{named})"
    return f"{line}\ncost: {cost_phrase(reports)}" if reports else line


def uncompared_lines(reports: Sequence[Report]) -> Iterator[str]:
    """The reasons why functions were not compared for want of a model, each reason once."""
    reasons = Counter(
        problem.message
        for report in reports
        for problem in report.problems
        if _is_want_of_a_model(report, problem)
    )
    for reason, number in reasons.items():
        functions = f"{count(number, 'function')} {'was' if number == 1 else 'were'}"
        yield visible(f"{functions} not compared: {_BEGINNING.sub('no', reason)}")


def lacks_a_model(report: Report) -> bool:
    """Whether the want of a model is all there is to say of the function."""
    return (
        report.verdict.status is Status.ABSTAINED
        and not report.findings
        and bool(report.problems)
        and all(_is_want_of_a_model(report, problem) for problem in report.problems)
    )


def without_want_of_a_model(report: Report) -> Report:
    """The report without the want of a model, which is told for all functions together."""
    others = (each for each in report.problems if not _is_want_of_a_model(report, each))
    return replace(report, problems=tuple(others))


def _is_want_of_a_model(report: Report, problem: Problem) -> bool:
    return report.model is None and problem.kind in _NO_MODEL


def _is_ignored(report: Report) -> bool:
    """Whether comments in the code suppress all findings that there were."""
    return bool(report.ignored) and not report.findings


def _counted(status: Status, number: int, ignored: int) -> str:
    if not number:
        return ""
    return f"{number} {status} ({ignored} ignored)" if ignored else f"{number} {status}"
