"""A second opinion on one function: the judge is asked after everything cheaper was tried."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine import digest
from assay_engine.check.context import CheckContext
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.loading import not_live
from assay_engine.compare.voters import with_examples_that_count
from assay_engine.config.settings import JudgeMode
from assay_engine.inputs.proposed import proposals_in
from assay_engine.sampling.asking import Asking
from assay_engine.sampling.candidates import candidate_drawing, draw_proposals
from assay_engine.specification.supportable import unsupported
from assay_engine.syntax.silencing import silenced
from assay_engine.types import Code, Model, Problem, ProblemKind, Report


def wanted(report: Report, mode: JudgeMode) -> bool:
    """Whether the judge is to be asked about the function of this report.

    The judge is not asked if no model could be asked, or if the function fails an example of its
    own: no opinion could add to that. Unless `mode` is ALWAYS, it is not asked either if nothing
    was run or the function is trusted. If `mode` is ALWAYS, a function that was not compared
    because it does input or output may still be judged, on inputs that bring the replies to what
    the function asks for.
    """
    if report.verdict.status.is_untried:
        reaches_out = any(each.kind is ProblemKind.INPUT_OUTPUT for each in report.problems)
        return mode is JudgeMode.ALWAYS and reaches_out
    if mode is JudgeMode.OFF or report.model is None:
        return False
    codes = {finding.code for finding in report.findings}
    if Code.FAILS_EXAMPLE in codes.union(report.ignored):
        return False
    if mode is JudgeMode.ALWAYS:
        return True
    return report.verdict.inputs_run > 0 and not report.verdict.status.acquits


def opinion_digest(subject: CheckUnit) -> str:
    """The key under which a report that holds an opinion is stored."""
    # The judge is optional: nothing of it is loaded unless it is wanted.
    from assay_engine.methods.trails.prompting import OPINION_BASIS

    return digest.of_parts([subject.digest, *OPINION_BASIS])


async def with_opinion(
    context: CheckContext, kept: Model | None, subject: CheckUnit, report: Report
) -> Report:
    """The report with the judge's finding and scores, and what the judge cost.

    The candidates of the report are drawn again from `kept`, which answers only with replies that
    the model has given before. Candidates that failed to come the first time are not asked for
    again: that would pay for them twice, and the jury would differ from the candidates that the
    report mentions. Never raises for what a program, a reply or the model does.
    """
    if context.model is None or kept is None:
        return report
    specification = await context.loads.loaded(
        context.executor, with_examples_that_count(subject.specification)
    )
    if isinstance(specification, Problem):
        return report
    was_compared = not report.verdict.status.is_untried
    if not was_compared and (
        unsupported(specification, importable=context.importable, answered=True)
        or await not_live(context.executor, specification)
    ):
        return report
    # As above: loaded only when it is wanted.
    from assay_engine.methods.trails.opinion import with_judgement

    model, executor, settings = context.model, context.executor.for_trial(), context.settings
    context.stage("asking the judge")
    drawing = candidate_drawing(kept if was_compared else model, specification, settings)
    drawn = await drawing.more(
        range(report.candidates if was_compared else settings.sampling.candidates)
    )
    proposals = await draw_proposals(
        kept, specification, settings, lambda reply: bool(proposals_in(reply, specification))
    )
    asking = Asking.in_slots(model, settings.sampling)
    judged = await with_judgement(asking, executor, specification, drawn, proposals, report)
    cost = report.cost + replace(model.cost, program_calls=executor.tally.calls)
    judged = replace(judged, digest=opinion_digest(subject), model=model.name, cost=cost)
    return silenced(judged, subject.specification.unit)
