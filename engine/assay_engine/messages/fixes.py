"""Words about examples and tests that are offered: whose behaviour they show, or why none is.

Tells why a replacement is left to a person to decide on, who may take it all the same.
"""

from __future__ import annotations

from assay_engine.compare.statistics import is_consensus
from assay_engine.types import (
    Caution,
    Clarification,
    Code,
    Finding,
    Origin,
    Replacement,
    Report,
    Severity,
)
from assay_engine.words import short

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
        return "a judge says that an output is wrong, but not which one is right"
    return "no input is known on which it differs from the candidates"


_INFORMATION = "this is only information; decide yourself"


def left_to_people(report: Report) -> str:
    """The reason why a person has to decide, in a few words; empty if the evidence decides."""
    if not report.verdict.status.accuses or not any(map(_accuses, report.findings)):
        return _INFORMATION
    caution = report.replacements[0].caution if report.replacements else None
    if caution is not None:
        return f"{caution_phrase(caution)}; read it and decide yourself"
    support = report.verdict.support
    by_example = any(finding.code is Code.FAILS_EXAMPLE for finding in report.findings)
    if support is None or by_example or is_consensus(support.agreeing, support.total):
        return ""
    return "the candidates are divided; decide yourself"


def caution_phrase(caution: Caution) -> str:
    """The caution in words, with the code that it is about."""
    return f"caution, line {caution.line} of it (`{short(caution.code)}`) {caution.reason}"


def replacement_phrase(replacement: Replacement) -> str:
    """What taking the replacement means: completes "the candidate that …"."""
    if replacement.caution is None:
        return replacement.behaviour
    return f"{replacement.behaviour}; {caution_phrase(replacement.caution)}"


def _accuses(finding: Finding) -> bool:
    """Whether the finding accuses the function.

    Information is no accusation, and a finding against an example does not accuse the function.
    """
    serious = finding.severity in (Severity.ERROR, Severity.WARNING)
    return serious and finding.code is not Code.DOUBTFUL_EXAMPLE
