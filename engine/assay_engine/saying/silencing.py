"""Keeps findings out of a report if a comment in the function's header says to ignore them."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.reading.silencing import not_understood
from assay_engine.types import Code, Report, Unit

# The findings that a replacement or a clarification can answer.
_ANSWERED = (Code.DIFFERS, Code.JUDGED, Code.FAILS_EXAMPLE, Code.RAISES, Code.AMBIGUOUS)


def silenced(report: Report, unit: Unit) -> Report:
    """The report without ignored findings. The verdict stays as it is.

    If ignoring leaves no finding that a replacement, clarification or test could answer, these are
    left out as well.
    """
    silence = unit.silence
    kept = tuple(each for each in report.findings if each.code not in silence.codes)
    ignored = dict.fromkeys(each.code for each in report.findings if each.code in silence.codes)
    answers = not ignored or any(each.code in _ANSWERED for each in kept)
    unclear = (each for each in not_understood(silence) if each not in report.problems)
    return replace(
        report,
        findings=kept,
        ignored=(*report.ignored, *(code for code in ignored if code not in report.ignored)),
        replacements=report.replacements if answers else (),
        clarifications=report.clarifications if answers else (),
        expectations=report.expectations if answers else (),
        problems=(*report.problems, *unclear),
    )
