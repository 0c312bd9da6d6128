"""Whose behaviour an example for the docstring says, and that there is none."""

from __future__ import annotations

import re

from assay_engine.types import Clarification, Code, Origin, Outcome, Report

# What an example can settle.
CLARIFIED = (Code.DIFFERS, Code.RAISES, Code.AMBIGUOUS)
# Of one and of several: a witness tells of those who do it, a clarification of one program.
_ENDING = re.compile(
    r"\b(?:(change|crash|leave|need|print|produce|raise|return|do)(?:e?s)?|are|is)\b"
)


def if_right(report: Report, clarification: Clarification) -> str:
    """Under which condition the example is to be taken: ``if this function is right``."""
    codes = {finding.code for finding in report.findings}
    for outcome in _outcomes(report):
        if Code.AMBIGUOUS not in codes and outcome.is_original:
            return f"if {outcome.who} {_verb(outcome)} right"
        if Code.AMBIGUOUS in codes and _is_same(outcome.what, clarification.behaviour):
            return f"if {outcome.who} {_verb(outcome)} right"
    return "if that is what is meant"


def no_example_phrase(report: Report) -> str:
    """Why there is no example to take; empty where there is one, or none is to be expected."""
    shown = [each.witness for each in report.findings if each.code in CLARIFIED and each.witness]
    if report.clarifications or not any(each.origin is not Origin.EXAMPLE for each in shown):
        return ""
    return (
        "no example for the docstring: a few lines at a prompt do not show this, or not each time "
        "alike"
    )


def _outcomes(report: Report) -> list[Outcome]:
    found = [each.witness for each in report.findings if each.code in CLARIFIED and each.witness]
    return [outcome for witness in found[:1] for outcome in witness.outcomes]


def _verb(outcome: Outcome) -> str:
    return "is" if outcome.weight + outcome.is_original == 1 else "are"


def _is_same(told: str, behaviour: str) -> bool:
    """Whether both are the same words, but for how many do it, and what an exception says."""
    one, other = (_ENDING.sub(lambda found: found[1] or "is", text) for text in (told, behaviour))
    return one == other or one.startswith(f"{other}: ")
