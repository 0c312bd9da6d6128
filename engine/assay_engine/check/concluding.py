"""Turns evidence into a report: settles the evidence, decides the verdict, offers replacements."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.check.context import CheckContext
from assay_engine.check.ruling import Decision, confirmed_or_not, explained, ruled
from assay_engine.check.versions import beside_earlier
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.executor import Executor
from assay_engine.compare.votes import equivalence_classes
from assay_engine.dependencies.modules import Modules
from assay_engine.fixes.clarifying import clarifications
from assay_engine.fixes.expecting import expectations
from assay_engine.fixes.replacing import offer
from assay_engine.fixes.selecting import Selection
from assay_engine.messages.shortfalls import not_yet_said
from assay_engine.messages.tabling import dissent, tabled
from assay_engine.methods.triangulation import Bounds
from assay_engine.methods.triangulation.verdict import Confirmed, confirm
from assay_engine.methods.triangulation.wording import triangulated
from assay_engine.models import CountedModel
from assay_engine.sampling.asking import Asking
from assay_engine.settling.settling import Settled, settle
from assay_engine.types import (
    Input,
    Model,
    Problem,
    Replacement,
    Report,
    Settling,
    Status,
    Tier,
)


async def concluded(
    context: CheckContext,
    asked: CountedModel,
    subject: CheckUnit,
    workspace: Modules,
    evidence: Evidence,
    inputs: Sequence[Input],
    problems: Sequence[Problem],
) -> Report:
    """The report on a function that was compared with candidates.

    `inputs` are those that were gathered, `problems` those met so far.
    """
    settled = await _settled(context, asked, evidence)
    problems = [*problems, *not_yet_said(problems, settled.problems)]
    evidence = settled.evidence
    decision = before = ruled(evidence)
    confirmed = await _confirmed(context, asked, evidence)
    about_refutation: tuple[Settling, ...] = ()
    if confirmed is not None:
        problems += confirmed.found.problems
        refutation = await _settled_refutation(context, asked, evidence, decision, confirmed)
        problems += not_yet_said(problems, refutation.problems)
        about_refutation = refutation.asked
        if refutation.evidence.left_open is None:
            decision = confirmed_or_not(before, evidence, confirmed)
    decision = explained(before, decision, evidence)
    shown = evidence.shown
    if shown is None and confirmed is not None and confirmed.counterexample is not None:
        shown = confirmed.counterexample
    executor = context.executor
    beside = await beside_earlier(context, subject, evidence, shown, inputs, decision.findings)
    context.stage("preparing a replacement")
    offers, refused = await _offers(
        executor, subject, evidence, inputs, decision.selections, workspace
    )
    return replace(
        subject.report(decision.verdict),
        findings=beside.findings,
        problems=(*problems, *decision.problems, *beside.problems, *refused),
        replacements=offers,
        classes=equivalence_classes(evidence.votes, [each.candidate for each in evidence.voters]),
        cost=asked.cost,
        triangulation=None if confirmed is None else triangulated(confirmed, evidence),
        dissent=dissent(evidence, decision.verdict),
        inputs=tabled(evidence),
        settling=(*settled.asked, *about_refutation),
        clarifications=await clarifications(
            executor, subject.source.text, evidence, decision.findings
        ),
        expectations=await expectations(executor, evidence, shown, decision.findings),
        versions=beside.versions,
    )


async def _settled(context: CheckContext, asked: Model, evidence: Evidence) -> Settled:
    """The evidence, and if it accuses the function, without what the docstring leaves open."""
    if not evidence.to_be_settled:
        return Settled(evidence)
    return await _asked_about(context, asked, evidence)


async def _settled_refutation(
    context: CheckContext,
    asked: Model,
    evidence: Evidence,
    decision: Decision,
    confirmed: Confirmed,
) -> Settled:
    """Settle whether the docstring leaves open what witnesses hold against the function.

    Witnesses share conventions that the docstring does not state, and a function is not accused of
    breaking those. The model is not asked if the function is suspect already, or if it was asked
    about this call before.
    """
    counterexample = confirmed.counterexample
    refuted = replace(
        evidence,
        counterexamples=() if counterexample is None else (counterexample,),
        reading=None,
    )
    known = decision.verdict.status is Status.SUSPECT
    if counterexample is None or known or evidence.leaves_open(counterexample.input.call):
        return Settled(refuted)
    return await _asked_about(context, asked, refuted)


async def _asked_about(context: CheckContext, asked: Model, evidence: Evidence) -> Settled:
    context.stage("asking what the docstring says")
    sampling = context.settings.sampling
    asking = Asking.in_slots(asked, sampling)
    return await settle(asking, evidence, max_tokens=sampling.max_tokens)


async def _confirmed(context: CheckContext, asked: Model, evidence: Evidence) -> Confirmed | None:
    """The triangulation by transformed problems, if it was asked for and can show anything."""
    if context.tier is not Tier.THOROUGH:
        return None
    if not (evidence.votes and evidence.is_deterministic):
        return None
    bounds = Bounds(context.settings.thorough, context.settings.sampling)
    return await confirm(asked, context.executor, evidence, bounds, context.stage)


async def _offers(
    executor: Executor,
    subject: CheckUnit,
    evidence: Evidence,
    inputs: Sequence[Input],
    selections: Sequence[Selection],
    workspace: Modules,
) -> tuple[tuple[Replacement, ...], tuple[Problem, ...]]:
    made = [
        await offer(executor, subject, selection, evidence, inputs, workspace)
        for selection in selections
    ]
    return (
        tuple(entry for entry in made if isinstance(entry, Replacement)),
        tuple(entry for entry in made if isinstance(entry, Problem)),
    )
