"""What a coding agent is told is bounded, whatever functions do and models say."""

from __future__ import annotations

import json

import msgspec
import pytest

from assay_engine.cli.mcp.answers import (
    EVIDENCE_LINES,
    Unfinished,
    answer_on,
    explanation_of,
    text_of_answer,
    text_of_explanation,
)
from assay_engine.types import (
    Clarification,
    Code,
    Cost,
    Finding,
    Origin,
    Outcome,
    Problem,
    ProblemKind,
    Reading,
    Replacement,
    Report,
    Settling,
    Severity,
    Span,
    Status,
    Support,
    Verbatim,
    Verdict,
    Witness,
    Words,
)

LONG = "[" + ", ".join(map(str, range(300))) + "]"


def report(number: int, status: Status) -> Report:
    """One with everything as long as it gets."""
    call = f"a_function_with_a_long_name_{number}({LONG})"
    outcomes = tuple(
        Outcome.of(who, (Words("returns "), Verbatim(f"{LONG}\nSUSPECT {who}")), 5, is_original=own)
        for who, own in (("5 of 10 candidates", False), ("this function", True), ("others", False))
    )
    finding = Finding(
        Code.DIFFERS,
        Severity.WARNING,
        f"{call}: {LONG}",
        Span(0, 1),
        Witness(call, outcomes, Origin.PROPOSED),
    )
    problem = Problem(ProblemKind.MODEL_UNAVAILABLE, f"The endpoint says {LONG}; wait.")
    accused = status in (Status.SUSPECT, Status.AMBIGUOUS)
    return Report(
        path="/project/a_package/a_module.py",
        qualname=f"AClass.a_function_with_a_long_name_{number}",
        line=1000 + number,
        text_digest="",
        digest="",
        verdict=Verdict(status, 0.9, Support(10, 10, 0.69, 1.0), 20, 20),
        findings=(finding,) if accused else (),
        problems=() if accused else (problem,),
        replacements=(Replacement("", f"returns {LONG}", "+ x\n" * 200),) if accused else (),
        classes=(),
        model="m",
        cost=Cost(),
        settling=(Settling(call, (Reading.THEIRS, Reading.THEIRS), LONG),) if accused else (),
        clarifications=tuple(
            Clarification(f"returns {LONG}", f">>> {call}\n{LONG}", who)
            for who in ("this function and 3 of 10 candidates", "5 of 10 candidates")
        )
        if accused
        else (),
    )


@pytest.mark.parametrize("status", [Status.SUSPECT, Status.AMBIGUOUS, Status.ABSTAINED])
@pytest.mark.parametrize("number", [1, 4, 10, 40])
def test_an_answer_is_shorter_than_six_thousand_characters(status: Status, number: int) -> None:
    reports = [report(each, status) for each in range(number)]
    left = [Unfinished(f"f{each}", "a.py", 1, "not finished.") for each in range(number)]
    names = {"/project/a_package/a_module.py": "a_package/a_module.py"}
    answer = answer_on(reports, left, [LONG] * 9, [LONG] * 9, names, "")
    text = text_of_answer(answer)
    assert len(text) < 6_000
    assert len(json.dumps(msgspec.to_builtins(answer))) < 6_000
    assert f"{2 * number} functions: " in text
    # No value begins a line of its own.
    assert "\nSUSPECT this" not in text
    label = "NOT CHECKED" if status is Status.ABSTAINED else status.upper()
    assert f"{label} a_package/a_module.py:1000" in text or f"{label} (" in text


def test_an_explanation_has_a_bound() -> None:
    explanation = explanation_of(report(1, Status.SUSPECT), "a_package/a_module.py")
    text = text_of_explanation(explanation)
    assert len(text.splitlines()) <= EVIDENCE_LINES + 4
    assert len(text) < 6_000
    assert len(json.dumps(msgspec.to_builtins(explanation))) < 6_000
    assert "more lines: `assay explain a_package/a_module.py::AClass." in text
