"""What is said of all functions together, when all are finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from assay_engine.cli.costs import cost_phrase
from assay_engine.cli.outcome import has_no_docstring
from assay_engine.types import ProblemKind, Report, Status
from assay_engine.words import count, visible

_NO_MODEL = (ProblemKind.MODEL_UNAVAILABLE, ProblemKind.NO_CONSENT, ProblemKind.OFFLINE)


def summary(reports: Sequence[Report], *, verbose: bool) -> str:
    """How many functions came out how, and what all of it cost."""
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


def unchecked_lines(reports: Sequence[Report]) -> Iterator[str]:
    """Of functions that lack a model alone: why, each reason once."""
    reasons = Counter(
        next(problem.message for problem in report.problems if problem.kind in _NO_MODEL)
        for report in reports
        if lacks_a_model(report)
    )
    for reason, number in reasons.items():
        yield visible(f"{count(number, 'function')} could not be checked: {reason}")


def lacks_a_model(report: Report) -> bool:
    """Whether that kept it from being checked, which concerns the whole run, and nothing was
    found."""
    return (
        report.model is None
        and report.verdict.status is Status.ABSTAINED
        and not report.findings
        and any(problem.kind in _NO_MODEL for problem in report.problems)
    )


def _is_ignored(report: Report) -> bool:
    """Whether a comment keeps from being told all that there was to tell."""
    return bool(report.ignored) and not report.findings


def _counted(status: Status, number: int, ignored: int) -> str:
    if not number:
        return ""
    return f"{number} {status} ({ignored} ignored)" if ignored else f"{number} {status}"
