"""What stands over a function, and what is said after a check: one line."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from assay_engine.messages.at_a_glance import NO_DOCSTRING, checked_line, verdict_line
from assay_engine.pages.hover import hover_text
from assay_engine.types import (
    Code,
    Cost,
    Finding,
    Origin,
    Outcome,
    Phrase,
    Price,
    Problem,
    ProblemKind,
    Report,
    Severity,
    Span,
    Status,
    Support,
    Usage,
    Verbatim,
    Verdict,
    Witness,
    Words,
)

SINGULAR, PLURAL = Words("returns "), Words("return ")


def outcome(who: str, *parts: Words | Verbatim, own: bool = False) -> Outcome:
    phrase: Phrase = parts
    return Outcome.of(who, phrase, 1, is_original=own)


def report(status: Status, *outcomes: Outcome, code: Code = Code.DIFFERS) -> Report:
    witness = Witness("f(0)", outcomes, Origin.PROPOSED) if outcomes else None
    finding = Finding(code, Severity.WARNING, "f(0): said at length", Span(0, 1), witness)
    shows = status in (Status.SUSPECT, Status.AMBIGUOUS)
    return Report(
        path="a.py",
        qualname="f",
        line=1,
        text_digest="t",
        digest="d",
        verdict=Verdict(status, None, Support(4, 4, 0.4, 1.0), 9, 9),
        findings=(finding,) if shows else (),
        problems=(),
        replacements=(),
        classes=(),
        model="m",
        cost=Cost(),
    )


OWN = outcome("this function", SINGULAR, Verbatim("1"), own=True)
THEIRS = outcome("all 10 candidates", PLURAL, Verbatim("0"))
RAISES = outcome("4 of 10 candidates", Words("raise "), Verbatim("ValueError"))
SHOWS = outcome("the docstring", Words("shows "), Verbatim("2"))


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (report(Status.TRUSTED), "trusted · 4 of 4"),
        (report(Status.SUSPECT, OWN, THEIRS), "suspect: f(0) gives 1, candidates 0"),
        (report(Status.SUSPECT, THEIRS, OWN), "suspect: f(0) gives 1, candidates 0"),
        (
            report(Status.SUSPECT, RAISES, OWN),
            "suspect: f(0) returns 1, candidates raise ValueError",
        ),
        (
            report(Status.SUSPECT, OWN, SHOWS, THEIRS, code=Code.FAILS_EXAMPLE),
            "suspect: f(0) gives 1, the docstring shows 2",
        ),
        (report(Status.AMBIGUOUS, OWN, THEIRS), "ambiguous: f(0) gives 1 or 0"),
        (
            report(Status.AMBIGUOUS, THEIRS, RAISES),
            "ambiguous: f(0): candidates return 0, or raise ValueError",
        ),
        (
            report(Status.AMBIGUOUS, OWN, SHOWS, code=Code.DOUBTFUL_EXAMPLE),
            "ambiguous: f(0) gives 1, the docstring shows 2",
        ),
        (report(Status.SUSPECT, code=Code.JUDGED), "suspect: f(0): said at length"),
        (report(Status.ABSTAINED), "abstained: nothing decides"),
    ],
)
def test_a_verdict_has_one_line(found: Report, line: str) -> None:
    assert verdict_line(found) == line


@pytest.mark.parametrize(
    ("status", "problem", "line"),
    [
        (
            Status.ABSTAINED,
            Problem(ProblemKind.NO_INPUTS, "There are no inputs to run it on. Add an example."),
            "abstained: There are no inputs to run it on",
        ),
        (
            Status.ABSTAINED,
            Problem(ProblemKind.DEADLINE, "At length.", "cause", "brief", "no reply in 60 s"),
            "abstained: no reply in 60 s",
        ),
        (
            Status.ABSTAINED,
            Problem(ProblemKind.BUDGET_SPENT, "3 of 10: at length.", mention="3 of 10 failed"),
            "abstained: the budget is spent",
        ),
        (
            Status.UNSUPPORTED,
            Problem(ProblemKind.INPUT_OUTPUT, "It calls `a.b.c`; move that to the caller."),
            "not checked: It calls `a.b.c`",
        ),
        (
            Status.UNSUPPORTED,
            Problem(ProblemKind.NO_DOCSTRING, "`f` has no docstring; add one."),
            NO_DOCSTRING,
        ),
    ],
)
def test_what_kept_a_verdict_away_is_said_shortly(
    status: Status, problem: Problem, line: str
) -> None:
    assert verdict_line(replace(report(status), problems=(problem,))) == line


def test_a_spent_budget_is_not_said_again_where_a_verdict_was_reached() -> None:
    problems = (Problem(ProblemKind.BUDGET_SPENT, "3 of 10 requests could not be sent."),)
    said = [
        hover_text(replace(report(status), problems=problems))
        for status in (Status.TRUSTED, Status.ABSTAINED)
    ]
    assert ["3 of 10" in each for each in said] == [False, True]


def test_a_check_has_one_line_with_what_it_cost() -> None:
    paid = Cost(paid=Usage(9, 2000, 800))
    reports = [
        report(Status.SUSPECT, OWN, THEIRS),
        *(replace(report(Status.TRUSTED), cost=paid) for _ in range(4)),
        report(Status.UNSUPPORTED),
    ]
    assert checked_line(reports) == (
        "5 checked: 4 trusted, 1 suspect; 1 not checked; 36 requests, 11k tokens"
    )
    assert checked_line(reports[-1:]) == "nothing checked; 1 not checked; no requests"
    one = replace(reports[0], cost=Cost(paid=Usage(1, 900, 50)))
    assert checked_line([one]) == "1 checked: 1 suspect; 1 request, 950 tokens"


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (Cost(Usage(1, 900, 50), price=Price(0.012, "EUR")), "2 requests, 2k tokens, 0.02 EUR"),
        # What was stored costs nothing now.
        (Cost(drawn=Usage(9, 900, 50)), "1 request, 1k tokens, less than 0.01 EUR"),
        (Cost(Usage(1, 900, 50), price=Price(0.01, "USD")), "2 requests, 2k tokens"),
        (Cost(Usage(1, 900, 50)), "2 requests, 2k tokens"),
    ],
)
def test_the_price_is_said_where_that_of_all_is_known(others: Cost, said: str) -> None:
    cost = Cost(Usage(1, 1000, 50), price=Price(0.009, "EUR"))
    both = [replace(report(Status.TRUSTED), cost=each) for each in (cost, others)]
    assert checked_line(both).endswith(f"; {said}")


def test_that_no_candidate_is_left_says_more_than_why_one_is_not() -> None:
    left_out = Problem(ProblemKind.REPLY_REJECTED, "10 replies are left out. Sample 1: no code.")
    lacking = Problem(ProblemKind.TOO_FEW_CANDIDATES, "No usable candidate; at least 4 are needed.")
    found = replace(report(Status.ABSTAINED), problems=(left_out, lacking))
    assert verdict_line(found) == "abstained: No usable candidate"


def test_that_no_reply_is_usable_is_said_with_the_reason() -> None:
    left_out = Problem(ProblemKind.REPLY_REJECTED, "10 replies are left out. Sample 1: no code.")
    found = replace(report(Status.ABSTAINED), problems=(left_out,))
    assert verdict_line(found) == "abstained: 10 replies are left out. Sample 1: no code"
