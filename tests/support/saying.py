"""What is said of outcomes, and reports that no check made."""

from __future__ import annotations

import html
import re

from assay_engine.pages.evidence_page import evidence_page
from assay_engine.types import (
    Code,
    Cost,
    Finding,
    Report,
    Severity,
    Span,
    Status,
    Support,
    Verdict,
    Witness,
    text_of,
)
from assay_engine.values.describing import VALUE_CHARACTERS
from assay_engine.values.outcomes import GivenCall, outcome_phrase
from assay_sandbox import Observation


def page_text(report: Report) -> str:
    """What a reader sees of the page of evidence, without marks and line ends."""
    page = evidence_page(report, nonce="n")
    text = re.sub(r"<style.*?</style>|</?(?:code|span)\b[^>]*>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def report_with(witness: Witness) -> Report:
    """On a function that is suspect for this."""
    return Report(
        path="a.py",
        qualname="f",
        line=1,
        text_digest="",
        digest="",
        verdict=Verdict(Status.SUSPECT, 0.9, Support(9, 10, 0.55, 0.99), 20, 18),
        findings=(Finding(Code.DIFFERS, Severity.WARNING, "m", Span(0, 1), witness),),
        problems=(),
        replacements=(),
        classes=(),
        model="m",
        cost=Cost(),
    )


def outcome_text(
    observation: Observation,
    other: Observation | None = None,
    limit: int = VALUE_CHARACTERS,
    *,
    number: int = 1,
    given: GivenCall | None = None,
) -> str:
    """What a terminal says of it."""
    return text_of(outcome_phrase(observation, other, limit, number=number, given=given))
