"""The trial of one function, from specification to report.

The caller hands in everything that a trial uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.verdict import abstained, decide
from assay_engine.deciding.verdict import unsupported as unsupported_verdict
from assay_engine.drawing.candidates import candidate_drawing, draw_proposals
from assay_engine.filing import Filing
from assay_engine.models import CountedModel, ProgressModel
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
from assay_engine.saying.silencing import silenced
from assay_engine.trial.comparison import Comparison, compared, compared_at_first, first_look
from assay_engine.trial.concluding import Apparatus, concluded
from assay_engine.trial.electing import with_examples_that_count
from assay_engine.types import Cost, Problem, Report, Specification, Tier


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
    asked = apparatus.model
    comparison = await _compared(apparatus, asked, specification, own)
    filing = filing.with_model(asked.name)
    evidence, problems = comparison.evidence, comparison.problems
    if comparison.gathered is None:
        report = _without_comparison(filing, evidence, problems, asked.cost)
        return replace(report, candidates=comparison.asked_for)
    inputs = comparison.gathered.inputs
    report = await concluded(apparatus, asked, filing, workspace, evidence, inputs, problems)
    return replace(
        report,
        candidates=comparison.asked_for,
        partitions=evidence.partitions(comparison.gathered.partitions),
    )


async def _compared(
    apparatus: Apparatus,
    asked: CountedModel,
    specification: Specification,
    own: Sequence[OwnTrial],
) -> Comparison:
    """Compare the function with as many candidates as are needed: few at first, then all."""
    settings = apparatus.settings
    wanted = settings.sampling.candidates
    heard = ProgressModel(asked, partial(_say_how_many, apparatus, wanted))
    candidates = candidate_drawing(heard, specification, settings)
    # In the thorough tier, witnesses may refute what most candidates do. Any candidate may then be
    # the right one, so all of them are drawn at once.
    first = wanted if apparatus.tier is Tier.THOROUGH else first_look(wanted)
    # The inputs are asked for first. If the budget is short, one candidate fewer matters little,
    # but candidates without inputs are paid for in vain.
    proposals, drawn = await asyncio.gather(
        draw_proposals(heard, specification, settings), candidates.more(range(first))
    )
    if first < wanted:
        comparison = await compared_at_first(apparatus, specification, own, drawn, proposals)
        if comparison is not None:
            return comparison
        drawn = await candidates.more(range(first, wanted))
    return await compared(apparatus, specification, own, drawn, proposals)


def _say_how_many(apparatus: Apparatus, wanted: int, replies: int) -> None:
    # One further reply is the one that proposes inputs.
    apparatus.stage(f"asking for candidates, {replies} of at most {wanted + 1} replies")


def _without_comparison(
    filing: Filing, evidence: Evidence, problems: Sequence[Problem], cost: Cost
) -> Report:
    """Report what can be said without rivals: whether the function meets its own examples."""
    verdict = abstained()
    if evidence.failures:
        disputed = evidence.is_disputed
        verdict = decide((), None, fails_example=True, disputes_example=disputed)
    return replace(
        filing.report(verdict),
        findings=findings(evidence, verdict),
        problems=tuple(problems),
        cost=cost,
    )
