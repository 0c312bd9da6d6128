"""The trial of one function, from specification to report. Everything it uses is handed to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.observing import SearchPlan, observe
from assay_engine.deciding.verdict import abstained, decide
from assay_engine.deciding.verdict import unsupported as unsupported_verdict
from assay_engine.drawing.candidates import draw_candidates, draw_proposals, rivals
from assay_engine.filing import Filing
from assay_engine.inputs.constants import constants_of
from assay_engine.inputs.gather import Gathered, gather_inputs
from assay_engine.inputs.mixing import inputs_within
from assay_engine.models import CountingModel, HearingModel
from assay_engine.reading.modules import Modules
from assay_engine.reading.supportable import unsupported
from assay_engine.running.example_trials import (
    OwnTrial,
    failures,
    try_own_examples,
    unanswered,
)
from assay_engine.running.live import not_live
from assay_engine.running.loadable import not_loaded
from assay_engine.saying.diagnostics import name_span, not_checked
from assay_engine.saying.explaining import findings
from assay_engine.saying.shortfalls import (
    NO_INPUTS,
    NOT_COMPARABLE,
    of_both,
    summarised,
    too_few,
)
from assay_engine.saying.silencing import silenced
from assay_engine.settings import CANDIDATES_MIN
from assay_engine.trial.concluding import Account, Apparatus, concluded
from assay_engine.trial.electing import elected, weight_of, with_examples_that_count
from assay_engine.types import (
    Cost,
    Draw,
    Problem,
    Report,
)

# Of the inputs of a check, those that a search may add where all others show no difference.
SEARCHED_SHARE = 1 / 2


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
        report = filing.report(unsupported_verdict())
        return replace(report, findings=(hint,), problems=(refusal,))
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
    account = Account(
        [*of_both(drawn, proposals), *summarised(rejected), *unanswered(own)],
        drawn.usage + proposals.usage,
    )
    apparatus.stage("running candidates")
    evidence = await elected(laboratory, specification, contenders, own)
    if (weight := weight_of(evidence.rivals)) < CANDIDATES_MIN:
        account.problems += too_few(weight, evidence.excluded, drawn)
        return _without_comparison(filing, evidence, account.problems, account.cost(asked))
    gathered, plan = await _prepared(apparatus, evidence, proposals)
    account.problems += gathered.problems
    if not gathered.inputs:
        account.problems.append(NO_INPUTS)
        return _without_comparison(filing, evidence, account.problems, account.cost(asked))
    evidence = await observe(laboratory, evidence, gathered.inputs, plan)
    if not evidence.votes:
        account.problems.append(NOT_COMPARABLE)
    report = await concluded(apparatus, asked, filing, workspace, evidence, account)
    return replace(
        report,
        stated=gathered.admission.stated,
        partitions=evidence.partitions(gathered.partitions),
    )


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


def _without_comparison(
    filing: Filing, evidence: Evidence, problems: Sequence[Problem], cost: Cost
) -> Report:
    """All that can be said without rivals: whether the function meets its own examples."""
    failed = bool(evidence.failures)
    verdict = decide((), None, fails_example=True) if failed else abstained()
    return replace(
        filing.report(verdict),
        findings=findings(evidence, verdict),
        problems=tuple(problems),
        cost=cost,
    )
