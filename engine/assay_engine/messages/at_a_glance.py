"""What is said where there is room for one line: over a function, in a status, after a check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from assay_engine.messages.phrases import priced, told_apart
from assay_engine.syntax.shortening import shortened
from assay_engine.types import (
    Code,
    Cost,
    Finding,
    Phrase,
    ProblemKind,
    Report,
    Stand,
    Status,
    Words,
    text_of,
)
from assay_engine.words import count, short

CALL_CHARACTERS = 60
VALUE_CHARACTERS = 40
REASON_CHARACTERS = 80

NO_DOCSTRING = f"{Status.UNSUPPORTED.label}: no docstring"

_LACKING = ProblemKind.TOO_FEW_CANDIDATES
_ABOUT_EXAMPLES = (Code.FAILS_EXAMPLE, Code.DOUBTFUL_EXAMPLE)
# Words after which a value stands that may stand alone.
_GIVING = ("returns ", "return ", "gives ", "give ")
# A reason is often followed by what to do, for which there is no room.
_CLAUSE = re.compile(r"[;.](?=\s|$)")


def verdict_line(report: Report) -> str:
    """The verdict and the one thing that shows it: ``suspect: f(0) gives 1, candidates 0``."""
    status, support = report.verdict.status, report.verdict.support
    match status.stand:
        case Stand.FOR:
            said = f" · {support.agreeing} of {support.total}" if support else ""
        case Stand.AGAINST | Stand.BETWEEN:
            said = f": {_shown(report.findings[0], status)}" if report.findings else ""
        case Stand.NOWHERE:
            said = f": {_reason(report) or 'nothing decides'}"
        case Stand.UNTRIED:
            undocumented = any(each.kind is ProblemKind.NO_DOCSTRING for each in report.problems)
            said = ": no docstring" if undocumented else f": {_reason(report)}"
    return f"{status.label}{said}"


_CANNOT_BE_TRIED = {
    ProblemKind.MISSING_IMPORT: "import what is not installed",
    ProblemKind.NOT_RUN: "are in a module that does not load",
    ProblemKind.INPUT_OUTPUT: "reach outside",
    ProblemKind.UNSUPPORTED_SHAPE: "cannot be called on their own",
    ProblemKind.BROKEN_SOURCE: "cannot be read",
}


def reach(refusals: Sequence[ProblemKind | None]) -> str:
    """How many functions can be tried, and why the others cannot: a reason each, or None.

    Functions without a docstring are left out: nothing could be said of them anywhere.
    """
    documented = [each for each in refusals if each is not ProblemKind.NO_DOCSTRING]
    tried = documented.count(None)
    line = f"{tried} of {count(len(documented), 'documented function')} can be checked here"
    others = Counter(_CANNOT_BE_TRIED.get(each, "fail") for each in documented if each)
    reasons = (f"{number} {reason}" for reason, number in others.most_common())
    return f"{line}; {', '.join(reasons)}" if others else line


def refusal_of(report: Report) -> ProblemKind | None:
    """Why the function of a report could not be tried; None if it was, or only a model is
    missing."""
    if not report.verdict.status.is_untried or not report.problems:
        return None
    return report.problems[0].kind


def checked_line(reports: Sequence[Report]) -> str:
    """What a check came to: ``5 checked: 2 trusted, 3 suspect; 37 requests, 11k tokens``.

    The price follows if it is known.
    """
    counts = {
        status: sum(report.verdict.status is status for report in reports) for status in Status
    }
    tried = {status: number for status, number in counts.items() if not status.is_untried}
    checked = sum(tried.values())
    said = f"{checked} checked: {counted(tried)}" if checked else "nothing checked"
    if len(reports) > checked:
        said += f"; {len(reports) - checked} {Status.UNSUPPORTED.label}"
    return f"{said}; {spent_line(reports)}"


def counted(counts: Mapping[Status, int]) -> str:
    """The verdicts that occur, with their numbers."""
    return ", ".join(f"{number} {status}" for status, number in counts.items() if number)


def spent_line(reports: Sequence[Report]) -> str:
    """What a check cost: ``37 requests, 11k tokens``."""
    cost = sum((report.cost for report in reports), Cost())
    paid = cost.paid
    if not paid.requests:
        return "no requests"
    if not paid.tokens:
        return count(paid.requests, "request")
    shown = f"{paid.tokens / 1000:,.0f}k" if paid.tokens >= 1000 else paid.tokens
    return priced(f"{count(paid.requests, 'request')}, {shown} tokens", cost.price)


def _shown(finding: Finding, status: Status) -> str:
    """The counterexample of a finding."""
    witness = finding.witness
    if witness is None or len(witness.outcomes) < 2:
        return short(finding.message, REASON_CHARACTERS)
    call = short(shortened(witness.call, CALL_CHARACTERS), CALL_CHARACTERS)
    if finding.code in _ABOUT_EXAMPLES or status is Status.AMBIGUOUS:
        first, second = told_apart(*witness.outcomes[:2], VALUE_CHARACTERS)
        if finding.code in _ABOUT_EXAMPLES:
            # The function comes first, and the docstring second.
            value = _value(first)
            gives = text_of(first) if value is None else f"gives {value}"
            return f"{call} {gives}, the docstring {text_of(second)}"
        values = _values(first, second)
        if values is None:
            return f"{call}: candidates {text_of(first)}, or {text_of(second)}"
        return f"{call} gives {values[0]} or {values[1]}"
    at = next(at for at, outcome in enumerate(witness.outcomes) if outcome.is_original)
    own, theirs = told_apart(
        witness.outcomes[at], witness.outcomes[0 if at else 1], VALUE_CHARACTERS
    )
    values = _values(own, theirs)
    if values is None:
        return f"{call} {text_of(own)}, candidates {text_of(theirs)}"
    return f"{call} gives {values[0]}, candidates {values[1]}"


def _values(one: Phrase, other: Phrase) -> tuple[str, str] | None:
    """The values, if all that either does is to return one."""
    values = _value(one), _value(other)
    return None if values[0] is None or values[1] is None else (values[0], values[1])


def _value(phrase: Phrase) -> str | None:
    """The value, if all that was done is to return it."""
    match phrase:
        case (Words(text=verb), value) if verb in _GIVING:
            return value.text
        case _:
            return None


def _reason(report: Report) -> str:
    # What is wrong with each reply says less than that none is left.
    telling = sorted(report.problems, key=lambda each: each.kind is not _LACKING)
    for problem in telling[:1]:
        if problem.kind is ProblemKind.BUDGET_SPENT:
            # How many requests it was too little for is the same news at every function.
            return "the budget is spent"
        if problem.kind is ProblemKind.REPLY_REJECTED:
            # Its second sentence is the reason.
            return short(problem.message.removesuffix("."), REASON_CHARACTERS)
        said = problem.mention or problem.brief or problem.message
        return short(_CLAUSE.split(said, 1)[0], REASON_CHARACTERS)
    return ""
