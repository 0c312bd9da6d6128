"""Words about examples and tests that are offered: whose behaviour they show, or why none is."""

from __future__ import annotations

from assay_engine.types import Clarification, Code, Origin, Report

# The findings that an example can settle.
CLARIFIED = (Code.DIFFERS, Code.RAISES, Code.AMBIGUOUS)


def if_right(clarification: Clarification) -> str:
    """The condition under which to take the example: ``if this function is right``."""
    is_one = clarification.who == "this function" or clarification.who.startswith("1 ")
    return f"if {clarification.who} {'is' if is_one else 'are'} right"


def no_example_phrase(report: Report) -> str:
    """Why there is no example to take; empty if there is one, or if none is to be expected."""
    shown = [each.witness for each in report.findings if each.code in CLARIFIED and each.witness]
    if report.clarifications or not any(each.origin is not Origin.EXAMPLE for each in shown):
        return ""
    return "no doctest can show this difference"


def no_test_phrase(report: Report) -> str:
    """Why there is no test to save, not even one that could not be written."""
    codes = {finding.code for finding in report.findings}
    if codes & {Code.FAILS_EXAMPLE, Code.DOUBTFUL_EXAMPLE}:
        return "its docstring shows the input already, and doctest runs that as a test"
    if Code.JUDGED in codes:
        return "a judge says that an output is wrong, and not which one is right"
    return "no input is known on which it does otherwise than the candidates"
