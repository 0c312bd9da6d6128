"""Tells why a replacement is left to a person to decide on, who may take it all the same."""

from __future__ import annotations

from assay_engine.types import Caution, Code, Finding, Replacement, Report, Severity, Status
from assay_engine.words import short

_INFORMATION = "this is only information; decide yourself"
_NOT_ASKED = "the model could not be asked whether the docstring settles it"
_NOT_READ = "what the model says of the docstring cannot be read"


def left_to_people(report: Report) -> str:
    """The reason why a person has to decide, in a few words; empty if the evidence decides."""
    if report.verdict.status is not Status.SUSPECT or not any(map(_accuses, report.findings)):
        return _INFORMATION
    caution = report.replacements[0].caution if report.replacements else None
    if caution is not None:
        return f"{caution_phrase(caution)}; read it and decide yourself"
    unread = [each for each in report.settling if None in each.readings]
    if not unread:
        return ""
    return _NOT_READ if all(each.is_answered for each in unread) else _NOT_ASKED


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
