"""The trial of one function, from specification to report. Everything it uses is handed to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.classes import equivalence_classes
from assay_engine.deciding.confirming import Confirmed, confirm
from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.observing import SearchPlan, observe
from assay_engine.deciding.verdict import abstained, decide
from assay_engine.deciding.verdict import unsupported as unsupported_verdict
from assay_engine.drawing.candidates import draw_candidates, draw_proposals, rivals
from assay_engine.electing import elected, weight_of, with_examples_that_count
from assay_engine.inputs.choose import inputs_within
from assay_engine.inputs.constants import constants_of
from assay_engine.inputs.gather import Gathered, gather_inputs
from assay_engine.judging import Asking, Settled, settle
from assay_engine.models import CountingModel, HearingModel
from assay_engine.offering.clarifying import clarifications
from assay_engine.offering.replacing import offer
from assay_engine.offering.selecting import Selection
from assay_engine.reading.modules import Modules
from assay_engine.reading.supportable import unsupported
from assay_engine.reporting import Filing
from assay_engine.ruling import Decision, confirmed_or_not, explained, ruled
from assay_engine.running.example_trials import (
    OwnTrial,
    failures,
    try_own_examples,
    unanswered,
)
from assay_engine.running.laboratory import Laboratory
from assay_engine.running.live import not_live
from assay_engine.running.loadable import not_loaded
from assay_engine.saying.diagnostics import name_span, not_checked
from assay_engine.saying.dissenting import dissent
from assay_engine.saying.explaining import findings
from assay_engine.saying.shortfalls import (
    NO_INPUTS,
    NOT_COMPARABLE,
    not_yet_said,
    of_both,
    summarised,
    too_few,
)
from assay_engine.saying.silencing import silenced
from assay_engine.saying.triangulated import triangulated
from assay_engine.settings import CANDIDATES_MIN, Settings
from assay_engine.transforming import Bounds
from assay_engine.types import (
    Cost,
    Draw,
    Model,
    Problem,
    Replacement,
    Report,
    Settling,
    Status,
    Tier,
    Usage,
)

# Of the inputs of a check, those that a search may add where all others show no difference.
SEARCHED_SHARE = 1 / 2


class Apparatus(Struct, frozen=True):
    """What a trial works with, and how far it goes. Without a model, `no_model` says why."""

    model: Model | None
    no_model: Problem | None
    laboratory: Laboratory
    settings: Settings
    importable: Callable[[str], bool]
    stage: Callable[[str], None]
    tier: Tier = Tier.STANDARD


async def check_unit(apparatus: Apparatus, filing: Filing, workspace: Modules) -> Report:
    """Put one unit on trial. Never raises for what a program, a reply or the model does."""
    laboratory = apparatus.laboratory.counting()
    report = await _tried(replace(apparatus, laboratory=laboratory), filing, workspace)
    report = replace(report, cost=replace(report.cost, program_calls=laboratory.tally.calls))
    return silenced(report, filing.specification.unit)


async def _tried(apparatus: Apparatus, filing: Filing, workspace: Modules) -> Report:
    specification = filing.specification
    refusal = unsupported(specification, importable=apparatus.importable)
    refusal = refusal or await not_loaded(apparatus.laboratory, specification)
    refusal = refusal or await not_live(apparatus.laboratory, specification)
    if refusal is not None:
        hint = not_checked(name_span(specification), refusal)
        return filing.report(unsupported_verdict(), findings=(hint,), problems=(refusal,))
    specification = with_examples_that_count(specification)
    filing = replace(filing, specification=specification)
    apparatus.stage("trying its examples")
    own = await try_own_examples(apparatus.laboratory, specification)
    if apparatus.model is None:
        failed = failures(own, (), ())
        evidence = Evidence(specification, failures=failed)
        problems = () if apparatus.no_model is None else (apparatus.no_model,)
        problems += unanswered(own)
        return _without_comparison(filing, evidence, problems, Cost())
    apparatus.stage("asking for candidates")
    asked = CountingModel(apparatus.model)
    heard = HearingModel(asked, partial(_say_how_many, apparatus))
    # Inputs first: where the budget is short, a candidate less costs little, and candidates without
    # inputs are paid for in vain.
    proposals, drawn = await asyncio.gather(
        draw_proposals(heard, specification, apparatus.settings),
        draw_candidates(heard, specification, apparatus.settings),
    )
    filing = filing.with_model(asked.name)
    return await _compare(apparatus, asked, filing, workspace, own, drawn, proposals)


def _say_how_many(apparatus: Apparatus, replies: int) -> None:
    # The inputs, too, are asked for.
    wanted = apparatus.settings.sampling.candidates + 1
    apparatus.stage(f"asking for candidates, {replies} of {wanted} replies")


async def _compare(
    apparatus: Apparatus,
    asked: CountingModel,
    filing: Filing,
    workspace: Modules,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> Report:
    specification, laboratory = filing.specification, apparatus.laboratory
    contenders, rejected = rivals(specification, drawn)
    problems = [*of_both(drawn, proposals), *summarised(rejected)]
    problems.extend(unanswered(own))
    usage = drawn.usage + proposals.usage
    apparatus.stage("running candidates")
    evidence = await elected(laboratory, specification, contenders, own)
    if (weight := weight_of(evidence.rivals)) < CANDIDATES_MIN:
        problems.extend(too_few(weight, evidence.excluded, drawn))
        return _without_comparison(filing, evidence, problems, _cost(asked, usage))
    gathered, plan = await _prepared(apparatus, evidence, proposals)
    problems.extend(gathered.problems)
    if not gathered.inputs:
        problems.append(NO_INPUTS)
        return _without_comparison(filing, evidence, problems, _cost(asked, usage))
    evidence = await observe(laboratory, evidence, gathered.inputs, plan)
    if not evidence.votes:
        problems.append(NOT_COMPARABLE)
    settled = await _settled(apparatus, asked, evidence)
    evidence, usage = settled.evidence, usage + settled.usage
    problems.extend(not_yet_said(problems, settled.problems))
    ruling = before = ruled(evidence)
    confirmed = await _confirmed(apparatus, asked, evidence)
    about_refutation: tuple[Settling, ...] = ()
    if confirmed is not None:
        usage += confirmed.found.drawn
        problems.extend(confirmed.found.problems)
        refutation = await _settled_refutation(apparatus, asked, evidence, ruling, confirmed)
        usage += refutation.usage
        problems.extend(not_yet_said(problems, refutation.problems))
        about_refutation = refutation.asked
        if refutation.evidence.left_open is None:
            ruling = confirmed_or_not(before, evidence, confirmed)
    ruling = explained(before, ruling, evidence)
    apparatus.stage("preparing a replacement")
    offers, refused = await _offers(laboratory, filing, evidence, ruling.selections, workspace)
    return replace(filing, stated=gathered.admission.stated).report(
        ruling.verdict,
        findings=ruling.findings,
        problems=(*problems, *ruling.problems, *refused),
        replacements=offers,
        classes=equivalence_classes(evidence.votes, [each.candidate for each in evidence.rivals]),
        cost=_cost(asked, usage),
        triangulation=None if confirmed is None else triangulated(confirmed, evidence),
        partitions=evidence.partitions(gathered.partitions),
        dissent=dissent(evidence, ruling.verdict),
        settling=(*settled.asked, *about_refutation),
        clarifications=await clarifications(
            laboratory, filing.source.text, evidence, ruling.findings
        ),
    )


def _cost(asked: CountingModel, drawn: Usage) -> Cost:
    """What has been paid so far, and what the replies cost when they were drawn."""
    return Cost(asked.paid, drawn, failed=asked.failed)


async def _prepared(
    apparatus: Apparatus, evidence: Evidence, proposals: Draw
) -> tuple[Gathered, SearchPlan]:
    """The inputs to begin with, and what a search may add to them."""
    execution, specification = apparatus.settings.execution, evidence.specification
    # The original runs twice.
    programs = 2 + len(evidence.rivals)
    limit = inputs_within(execution.calls, programs)
    searched = round(limit * SEARCHED_SHARE)
    sources = [specification.program, *(rival.source for rival in evidence.rivals)]
    constants = constants_of(sources, specification.docstring)
    gathered = await gather_inputs(
        apparatus.laboratory,
        specification,
        proposals,
        limit=limit - searched,
        seed=execution.seed,
        constants=constants,
    )
    return gathered, SearchPlan(searched * programs, execution.seed, constants, gathered.admission)


async def _settled(apparatus: Apparatus, asked: Model, evidence: Evidence) -> Settled:
    """With what the docstring leaves open taken out of the evidence, if that accuses."""
    return (
        await _asked_about(apparatus, asked, evidence) if evidence.is_accused else Settled(evidence)
    )


async def _settled_refutation(
    apparatus: Apparatus, asked: Model, evidence: Evidence, ruling: Decision, confirmed: Confirmed
) -> Settled:
    """Whether the docstring leaves open what witnesses hold against the function: they share its
    conventions, and nobody is accused of those. Not asked of who is accused already, nor again."""
    case = confirmed.case
    refuted = replace(evidence, cases=() if case is None else (case,), left_open=None)
    known = ruling.verdict.status is Status.SUSPECT
    if case is None or known or evidence.leaves_open(case.separation.input.call):
        return Settled(refuted)
    return await _asked_about(apparatus, asked, refuted)


async def _asked_about(apparatus: Apparatus, asked: Model, evidence: Evidence) -> Settled:
    apparatus.stage("asking what the docstring says")
    sampling = apparatus.settings.sampling
    asking = Asking.within(sampling, asked)
    return await settle(asking, evidence, max_tokens=sampling.max_tokens)


async def _confirmed(apparatus: Apparatus, asked: Model, evidence: Evidence) -> Confirmed | None:
    """What transformed problems say, where that was asked for and can say anything."""
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
    selections: Sequence[Selection],
    workspace: Modules,
) -> tuple[tuple[Replacement, ...], tuple[Problem, ...]]:
    calls = [entry.call for entry in evidence.inputs]
    if evidence.separation is not None:
        calls.append(evidence.separation.input.call)
    made = [
        await offer(laboratory, filing, selection, calls, workspace) for selection in selections
    ]
    return (
        tuple(entry for entry in made if isinstance(entry, Replacement)),
        tuple(entry for entry in made if isinstance(entry, Problem)),
    )


def _without_comparison(
    filing: Filing, evidence: Evidence, problems: Sequence[Problem], cost: Cost
) -> Report:
    """All that can be said without rivals: whether the function meets its own examples."""
    failed = bool(evidence.failures)
    verdict = decide((), None, fails_example=True) if failed else abstained()
    return filing.report(
        verdict, findings=findings(evidence, verdict), problems=tuple(problems), cost=cost
    )
