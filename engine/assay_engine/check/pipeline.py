"""The trial of one function, from specification to report.

The caller hands in everything that a trial uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.check.comparison import Comparison, compared, compared_at_first, first_look
from assay_engine.check.concluding import concluded
from assay_engine.check.context import CheckContext
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.example_trials import OwnTrial, failures, try_own_examples, unanswered
from assay_engine.compare.loading import not_live, not_loaded
from assay_engine.compare.verdict import decide
from assay_engine.compare.verdict import unsupported as unsupported_verdict
from assay_engine.compare.voters import with_examples_that_count
from assay_engine.dependencies.modules import Modules
from assay_engine.inputs.proposed import proposals_in
from assay_engine.messages.findings import findings
from assay_engine.messages.phrases import name_span, not_checked
from assay_engine.models import CountedModel, ProgressModel
from assay_engine.sampling.candidates import candidate_drawing, draw_proposals
from assay_engine.specification.examples import unread
from assay_engine.specification.supportable import unsupported
from assay_engine.syntax.silencing import silenced
from assay_engine.types import Cost, Problem, Report, Specification, Tier
from assay_sandbox import LoadFailed


async def check_unit(
    context: CheckContext, subject: CheckUnit, workspace: Modules
) -> tuple[Report, ...]:
    """Put one unit on trial. Never raises for what a program, a reply or the model does.

    The last report is the one that was asked for. Where an earlier version ran, the report without
    that comes first.
    """
    executor = context.executor.for_trial()
    reports = await _tried(replace(context, executor=executor), subject, workspace)
    unit, unseen = subject.specification.unit, unread(subject.specification.docstring)
    calls = executor.tally.calls
    return tuple(
        silenced(
            replace(
                report,
                cost=replace(report.cost, program_calls=calls),
                problems=(*report.problems, *unseen),
            ),
            unit,
        )
        for report in reports
    )


async def _tried(
    context: CheckContext, subject: CheckUnit, workspace: Modules
) -> tuple[Report, ...]:
    refusal = unsupported(subject.specification, importable=context.importable)
    if refusal is not None:
        return (_refused(subject, refusal),)
    context.stage("loading its module")
    specification = with_examples_that_count(subject.specification)
    # Of a text that runs alone, its examples tell whether it loads.
    if specification.place is not None or not specification.examples:
        found = await context.loads.loaded(context.executor, specification)
        if isinstance(found, Problem):
            return (_refused(subject, found),)
        specification = found
    refusal = await not_live(context.executor, specification)
    if refusal is not None:
        return (_refused(subject, refusal),)
    subject = replace(subject, specification=specification)
    context.stage("trying its examples")
    own = await try_own_examples(context.executor, specification)
    for trial in own:
        if isinstance(trial.observation, LoadFailed):
            return (_refused(subject, not_loaded(trial.observation)),)
    if context.model is None:
        evidence = Evidence(specification, failed_examples=failures(own, (), ()))
        problems = () if context.no_model is None else (context.no_model,)
        problems += unanswered(own)
        return (_without_comparison(subject, evidence, problems, Cost()),)
    context.stage("asking for candidates")
    asked = context.model
    comparison = await _compared(context, asked, specification, own)
    subject = replace(subject, model=asked.name)
    evidence, problems = comparison.evidence, comparison.problems
    if comparison.gathered is None:
        report = _without_comparison(subject, evidence, problems, asked.cost)
        return (replace(report, candidates=comparison.asked_for),)
    inputs = comparison.gathered.inputs
    reports = await concluded(context, asked, subject, workspace, evidence, inputs, problems)
    partitions = evidence.partitions(comparison.gathered.partitions)
    return tuple(
        replace(each, candidates=comparison.asked_for, partitions=partitions) for each in reports
    )


def _refused(subject: CheckUnit, refusal: Problem) -> Report:
    hint = not_checked(name_span(subject.specification), refusal)
    report = subject.report(unsupported_verdict())
    return replace(report, findings=(hint,), problems=(refusal,))


async def _compared(
    context: CheckContext,
    asked: CountedModel,
    specification: Specification,
    own: Sequence[OwnTrial],
) -> Comparison:
    """Compare the function with as many candidates as are needed: few at first, then all."""
    settings = context.settings
    wanted = settings.sampling.candidates

    def has_inputs(reply: str) -> bool:
        return bool(proposals_in(reply, specification))

    heard = ProgressModel(asked, partial(_say_how_many, context, wanted))
    candidates = candidate_drawing(heard, specification, settings)
    # In the thorough tier, witnesses may refute what most candidates do. Any candidate may then be
    # the right one, so all of them are drawn at once.
    first = wanted if context.tier is Tier.THOROUGH else first_look(wanted)
    # The inputs are asked for first. If the budget is short, one candidate fewer matters little,
    # but candidates without inputs are paid for in vain.
    proposals, drawn = await asyncio.gather(
        draw_proposals(heard, specification, settings, has_inputs), candidates.more(range(first))
    )
    if first < wanted:
        comparison = await compared_at_first(context, specification, own, drawn, proposals)
        if comparison is not None:
            return comparison
        drawn = await candidates.more(range(first, wanted))
    return await compared(context, specification, own, drawn, proposals)


def _say_how_many(context: CheckContext, wanted: int, replies: int) -> None:
    # One further reply is the one that proposes inputs.
    context.stage(f"asking for candidates, {replies} of at most {wanted + 1} replies")


def _without_comparison(
    subject: CheckUnit, evidence: Evidence, problems: Sequence[Problem], cost: Cost
) -> Report:
    """Report what can be said without voters: whether the function meets its own examples."""
    verdict = decide(evidence)
    return replace(
        subject.report(verdict),
        findings=findings(evidence, verdict),
        problems=tuple(problems),
        cost=cost,
    )
