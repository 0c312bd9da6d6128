"""Turns evidence into a report: settles the evidence, decides the verdict, offers replacements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.classes import equivalence_classes
from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.triangulated_verdict import Confirmed, confirm
from assay_engine.drawing.asking import Asking
from assay_engine.filing import Filing
from assay_engine.judging import Settled, settle
from assay_engine.models import CountedModel
from assay_engine.offering.clarifying import clarifications
from assay_engine.offering.expecting import expectations
from assay_engine.offering.replacing import offer
from assay_engine.offering.selecting import Selection
from assay_engine.reading.modules import Modules
from assay_engine.running.call_keys import call_key
from assay_engine.running.laboratory import Laboratory
from assay_engine.saying.dissenting import dissent
from assay_engine.saying.shortfalls import not_yet_said
from assay_engine.saying.tabling import tabled
from assay_engine.saying.triangulated import triangulated
from assay_engine.settings import Settings
from assay_engine.transforming import Bounds
from assay_engine.trial.ruling import Decision, confirmed_or_not, explained, ruled
from assay_engine.types import (
    Input,
    Model,
    Problem,
    ProblemKind,
    Replacement,
    Report,
    Settling,
    Status,
    Tier,
)


class Apparatus(Struct, frozen=True):
    """What a trial works with, and how far it goes. If `model` is None, `no_model` says why."""

    model: CountedModel | None
    no_model: Problem | None
    laboratory: Laboratory
    settings: Settings
    importable: Callable[[str], bool]
    stage: Callable[[str], None]
    tier: Tier = Tier.STANDARD


async def concluded(
    apparatus: Apparatus,
    asked: CountedModel,
    filing: Filing,
    workspace: Modules,
    evidence: Evidence,
    inputs: Sequence[Input],
    problems: Sequence[Problem],
) -> Report:
    """The report on a function that was compared with candidates.

    `inputs` are those that were gathered, `problems` those met so far.
    """
    settled = await _settled(apparatus, asked, evidence)
    problems = [*problems, *not_yet_said(problems, settled.problems)]
    evidence = settled.evidence
    decision = before = ruled(evidence)
    confirmed = await _confirmed(apparatus, asked, evidence)
    about_refutation: tuple[Settling, ...] = ()
    if confirmed is not None:
        problems += confirmed.found.problems
        refutation = await _settled_refutation(apparatus, asked, evidence, decision, confirmed)
        problems += not_yet_said(problems, refutation.problems)
        about_refutation = _with_what_came(refutation)
        if refutation.evidence.left_open is None:
            decision = confirmed_or_not(before, evidence, confirmed)
    decision = explained(before, decision, evidence)
    shown = evidence.separation
    if shown is None and confirmed is not None and confirmed.case is not None:
        shown = confirmed.case.separation
    apparatus.stage("preparing a replacement")
    laboratory = apparatus.laboratory
    offers, refused = await _offers(
        laboratory, filing, evidence, inputs, decision.selections, workspace
    )
    return replace(
        filing.report(decision.verdict),
        findings=decision.findings,
        problems=(*problems, *decision.problems, *refused),
        replacements=offers,
        classes=equivalence_classes(evidence.votes, [each.candidate for each in evidence.rivals]),
        cost=asked.cost,
        triangulation=None if confirmed is None else triangulated(confirmed, evidence),
        dissent=dissent(evidence, decision.verdict),
        inputs=tabled(evidence),
        settling=(*_with_what_came(settled), *about_refutation),
        clarifications=await clarifications(
            laboratory, filing.source.text, evidence, decision.findings
        ),
        expectations=await expectations(laboratory, evidence, shown, decision.findings),
    )


async def _settled(apparatus: Apparatus, asked: Model, evidence: Evidence) -> Settled:
    """The evidence, and if it accuses the function, without what the docstring leaves open."""
    if not evidence.to_be_settled:
        return Settled(evidence)
    return await _asked_about(apparatus, asked, evidence)


async def _settled_refutation(
    apparatus: Apparatus, asked: Model, evidence: Evidence, decision: Decision, confirmed: Confirmed
) -> Settled:
    """Settle whether the docstring leaves open what witnesses hold against the function.

    Witnesses share conventions that the docstring does not state, and a function is not accused of
    breaking those. The model is not asked if the function is suspect already, or if it was asked
    about this call before.
    """
    case = confirmed.case
    refuted = replace(evidence, cases=() if case is None else (case,), left_open=None)
    known = decision.verdict.status is Status.SUSPECT
    if case is None or known or evidence.leaves_open(case.separation.input.call):
        return Settled(refuted)
    return await _asked_about(apparatus, asked, refuted)


async def _asked_about(apparatus: Apparatus, asked: Model, evidence: Evidence) -> Settled:
    apparatus.stage("asking what the docstring says")
    sampling = apparatus.settings.sampling
    asking = Asking.in_slots(asked, sampling)
    return await settle(asking, evidence, max_tokens=sampling.max_tokens)


def _with_what_came(settled: Settled) -> tuple[Settling, ...]:
    """The questions asked, with the last one marked as unanswered if no reply came to it.

    A missing reply ends the asking. A reply that came but cannot be read is not a missing one.
    """
    if all(problem.kind is ProblemKind.REPLY_UNUSABLE for problem in settled.problems):
        return settled.asked
    return (*settled.asked[:-1], replace(settled.asked[-1], is_answered=False))


async def _confirmed(apparatus: Apparatus, asked: Model, evidence: Evidence) -> Confirmed | None:
    """The triangulation by transformed problems, if it was asked for and can show anything."""
    if apparatus.tier is not Tier.THOROUGH:
        return None
    if not (evidence.votes and evidence.is_deterministic):
        return None
    bounds = Bounds(apparatus.settings.thorough, apparatus.settings.sampling)
    return await confirm(asked, apparatus.laboratory, evidence, bounds, apparatus.stage)


async def _offers(
    laboratory: Laboratory,
    filing: Filing,
    evidence: Evidence,
    inputs: Sequence[Input],
    selections: Sequence[Selection],
    workspace: Modules,
) -> tuple[tuple[Replacement, ...], tuple[Problem, ...]]:
    known = {call_key(entry.call) for entry in inputs}
    further = [*evidence.inputs, *(case.separation.input for case in evidence.cases)]
    tried = [*inputs, *(entry for entry in further if call_key(entry.call) not in known)]
    made = [
        await offer(laboratory, filing, selection, evidence, tried, workspace)
        for selection in selections
    ]
    return (
        tuple(entry for entry in made if isinstance(entry, Replacement)),
        tuple(entry for entry in made if isinstance(entry, Problem)),
    )
