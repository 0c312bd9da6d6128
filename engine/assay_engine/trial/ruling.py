"""What the evidence on one function comes to: the verdict, what is said of it, what is offered."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.triangulated_verdict import Confirmed, reconsidered
from assay_engine.deciding.verdict import decide
from assay_engine.offering.selecting import Selection, confirmed_selection, select
from assay_engine.saying.explaining import findings
from assay_engine.saying.shortfalls import CONTRADICTORY, given_up, no_consensus, too_much_alike
from assay_engine.saying.triangulated import accusations
from assay_engine.types import Finding, Problem, Status, Verdict


class Decision(Struct, frozen=True):
    """`problems` are those that kept the verdict from being more than it is."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    selections: tuple[Selection, ...]
    problems: tuple[Problem, ...] = ()


def ruled(evidence: Evidence) -> Decision:
    """By the votes of the candidates and the function's own examples."""
    verdict = decide(
        evidence.votes,
        evidence.shown,
        fails_example=bool(evidence.failures),
        disputes_example=evidence.is_disputed,
        doubts_example=bool(evidence.doubtful),
        deterministic=evidence.is_deterministic and not evidence.not_recurring,
        ground=evidence.ground,
        meant_votes=evidence.meant_votes,
        left_open=evidence.left_open is not None,
    )
    return Decision(verdict, findings(evidence, verdict), select(evidence, verdict.status))


def confirmed_or_not(before: Decision, evidence: Evidence, confirmed: Confirmed) -> Decision:
    """By what solutions of transformed problems say, as well."""
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
    """What is still said of a function that witnesses accuse: not that its docstring says nothing
    against it."""
    if evidence.left_open is None:
        return before.findings
    return findings(replace(evidence, cases=(), left_open=None), verdict)


def explained(before: Decision, ruling: Decision, evidence: Evidence) -> Decision:
    """With what keeps it from more. A function is not found right that was hardly put to the test.

    `before` is the ruling by votes: what kept that from a verdict is said where there is none.
    """
    verdict, problems = ruling.verdict, ruling.problems
    if before.verdict.status is verdict.status is Status.ABSTAINED and evidence.votes:
        problems = (*problems, no_consensus(evidence))
    if (overdue := given_up(evidence)) is not None:
        problems = (*problems, overdue)
    if verdict.status is Status.TRUSTED and (alike := too_much_alike(evidence)) is not None:
        verdict = replace(verdict, status=Status.ABSTAINED, confidence=None, support=None)
        problems = (*problems, alike)
    return replace(ruling, verdict=verdict, problems=problems)
