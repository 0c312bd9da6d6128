"""Decides on one function from the evidence: the verdict, the findings and what is offered."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.evidence import Evidence
from assay_engine.compare.verdict import decide, unsupported
from assay_engine.fixes.selecting import Selection, confirmed_selection, select
from assay_engine.messages.findings import findings
from assay_engine.messages.shortfalls import (
    CONTRADICTORY,
    given_up,
    no_consensus,
    refused_outside,
    too_much_alike,
)
from assay_engine.methods.triangulation.verdict import Confirmed, reconsidered
from assay_engine.methods.triangulation.wording import accusations
from assay_engine.types import Finding, Problem, Status, Verdict


class Decision(Struct, frozen=True):
    """A verdict with its findings and the selections to offer.

    `problems` are those that kept the verdict from saying more.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    selections: tuple[Selection, ...]
    problems: tuple[Problem, ...] = ()


def ruled(evidence: Evidence) -> Decision:
    """Decide by the votes of the candidates and the function's own examples."""
    verdict = decide(evidence)
    return Decision(verdict, findings(evidence, verdict), select(evidence, verdict.status))


def confirmed_or_not(before: Decision, evidence: Evidence, confirmed: Confirmed) -> Decision:
    """Revise the decision by what the solutions of transformed problems show."""
    verdict = reconsidered(before.verdict, evidence, confirmed)
    match before.verdict.status, verdict.status:
        case Status.SUSPECT | Status.AMBIGUOUS, Status.ABSTAINED:
            return Decision(verdict, findings(evidence, verdict), (), (CONTRADICTORY,))
        case before_status, Status.SUSPECT if before_status is not Status.SUSPECT:
            return Decision(
                verdict,
                (*accusations(confirmed, evidence), *_beside(before, evidence, verdict)),
                confirmed_selection(confirmed, evidence),
            )
        case _:
            return replace(before, verdict=verdict)


def _beside(before: Decision, evidence: Evidence, verdict: Verdict) -> tuple[Finding, ...]:
    """The findings that remain if witnesses accuse the function.

    The finding that the docstring leaves the cases open is not among them.
    """
    if evidence.left_open is None:
        return before.findings
    return findings(replace(evidence, counterexamples=(), reading=None), verdict)


def explained(before: Decision, ruling: Decision, evidence: Evidence) -> Decision:
    """The ruling with the problems that kept it from saying more.

    A function that was hardly put to the test is not found right. `before` is the ruling by votes:
    if neither ruling reaches a verdict, the reason is what kept the votes from one.
    """
    verdict, problems = ruling.verdict, ruling.problems
    if before.verdict.status is verdict.status is Status.ABSTAINED and evidence.votes:
        if (refused := refused_outside(evidence)) is not None:
            return replace(ruling, verdict=unsupported(), problems=(*problems, refused))
        problems = (*problems, no_consensus(evidence))
    if (overdue := given_up(evidence)) is not None:
        problems = (*problems, overdue)
    if verdict.status is Status.TRUSTED and (alike := too_much_alike(evidence)) is not None:
        verdict = replace(verdict, status=Status.ABSTAINED, confidence=None, support=None)
        problems = (*problems, alike)
    return replace(ruling, verdict=verdict, problems=problems)
