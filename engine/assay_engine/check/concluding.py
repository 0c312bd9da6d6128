"""Turns evidence into a report: settles the evidence, decides the verdict, offers replacements."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.check.context import CheckContext
from assay_engine.check.versions import beside_earlier
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.verdict import decide, unsupported
from assay_engine.compare.votes import equivalence_classes
from assay_engine.dependencies.modules import Modules
from assay_engine.fixes.clarifying import clarifications
from assay_engine.fixes.expecting import expectations
from assay_engine.fixes.replacing import offer
from assay_engine.fixes.selecting import Decision, select
from assay_engine.messages.findings import findings
from assay_engine.messages.shortfalls import (
    given_up,
    no_consensus,
    not_yet_said,
    refused_outside,
    too_much_alike,
)
from assay_engine.messages.tabling import dissent, tabled
from assay_engine.models import CountedModel
from assay_engine.sampling.asking import Asking
from assay_engine.settling.settling import Settled, settle
from assay_engine.types import Input, Problem, Replacement, Report, Status, Tier


async def concluded(
    context: CheckContext,
    asked: CountedModel,
    subject: CheckUnit,
    workspace: Modules,
    evidence: Evidence,
    inputs: Sequence[Input],
    problems: Sequence[Problem],
) -> tuple[Report, ...]:
    """The report on a function that was compared with candidates; with an earlier version of it,
    the report without that, and the one with it.

    `inputs` are those that were gathered, `problems` those met so far.
    """
    executor, sampling = context.executor, context.settings.sampling
    settled = Settled(evidence)
    if evidence.to_be_settled:
        context.stage("asking what the docstring says")
        asking = Asking.in_slots(asked, sampling)
        settled = await settle(asking, evidence, max_tokens=sampling.max_tokens)
    problems = [*problems, *not_yet_said(problems, settled.problems)]
    about_docstring, evidence = settled.asked, settled.evidence
    decision = before = ruled(evidence)
    shown, triangulation = evidence.shown, None
    if context.tier is Tier.THOROUGH and evidence.votes and evidence.is_deterministic:
        # Triangulation is optional: nothing of it is loaded unless it is wanted.
        from assay_engine.methods.triangulation.opinion import second_opinion

        opinion = await second_opinion(
            asked, executor, evidence, before, context.settings, context.stage
        )
        decision, triangulation = opinion.decision, opinion.report
        problems += opinion.problems
        problems += not_yet_said(problems, opinion.settled.problems)
        about_docstring += opinion.settled.asked
        shown = shown or opinion.shown
    decision = explained(before, decision, evidence)
    context.stage("preparing a replacement")
    offers = [
        await offer(executor, subject, selection, evidence, inputs, workspace)
        for selection in decision.selections
    ]
    refused = [each for each in offers if isinstance(each, Problem)]
    report = replace(
        replace(subject, earlier=None).report(decision.verdict),
        findings=decision.findings,
        problems=(*problems, *decision.problems, *refused),
        replacements=tuple(each for each in offers if isinstance(each, Replacement)),
        classes=equivalence_classes(evidence.votes, [each.candidate for each in evidence.voters]),
        cost=asked.cost,
        triangulation=triangulation,
        dissent=dissent(evidence, decision.verdict),
        inputs=tabled(evidence),
        settling=about_docstring,
        clarifications=await clarifications(
            executor, subject.source.text, evidence, decision.findings
        ),
        expectations=await expectations(executor, evidence, shown, decision.findings),
    )
    if subject.earlier is None:
        return (report,)
    beside = await beside_earlier(context, subject, evidence, shown, inputs, decision.findings)
    return report, replace(
        report,
        digest=subject.digest,
        findings=beside.findings,
        problems=(*report.problems, *beside.problems),
        versions=beside.versions,
    )


def ruled(evidence: Evidence) -> Decision:
    """Decide by the votes of the candidates and the function's own examples."""
    verdict = decide(evidence)
    return Decision(verdict, findings(evidence, verdict), select(evidence, verdict.status))


def explained(before: Decision, decision: Decision, evidence: Evidence) -> Decision:
    """The decision with the problems that kept it from saying more.

    A function that was hardly put to the test is not found right. `before` is the decision by
    votes: if neither of the two reaches a verdict, the reason is what kept the votes from one.
    """
    verdict, problems = decision.verdict, decision.problems
    if before.verdict.status is verdict.status is Status.ABSTAINED and evidence.votes:
        if (refused := refused_outside(evidence)) is not None:
            return replace(decision, verdict=unsupported(), problems=(*problems, refused))
        problems = (*problems, no_consensus(evidence))
    if (overdue := given_up(evidence)) is not None:
        problems = (*problems, overdue)
    if verdict.status is Status.TRUSTED and (alike := too_much_alike(evidence)) is not None:
        verdict = replace(verdict, status=Status.ABSTAINED, confidence=None, support=None)
        problems = (*problems, alike)
    return replace(decision, verdict=verdict, problems=problems)
