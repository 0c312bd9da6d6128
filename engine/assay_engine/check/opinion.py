"""A second opinion on one function: the judge is asked after everything cheaper was tried."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine import digest
from assay_engine.check.context import CheckContext
from assay_engine.check.voters import elected, with_examples_that_count
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.example_trials import try_own_examples
from assay_engine.compare.executor import Executor
from assay_engine.compare.loading import not_live
from assay_engine.compare.materialising import is_carried
from assay_engine.config.settings import JudgeMode
from assay_engine.inputs.gather import gather_inputs
from assay_engine.inputs.proposed import proposals_in
from assay_engine.methods.trails.assay_judge import judge_by_assay
from assay_engine.methods.trails.wording import objection, told
from assay_engine.models import CountedModel
from assay_engine.sampling.asking import Asking
from assay_engine.sampling.candidates import candidate_drawing, draw_proposals, voters
from assay_engine.settling.prompting import VERSIONS
from assay_engine.settling.values import Judgement, JudgeSettings, Jury
from assay_engine.specification.supportable import unsupported
from assay_engine.syntax.silencing import silenced
from assay_engine.types import (
    Code,
    Draw,
    Input,
    Model,
    Origin,
    Problem,
    ProblemKind,
    Report,
    Specification,
    Status,
)

# Increase this when the judge's questions change, or what follows from its answers. Stored opinions
# then become void.
OPINION_VERSION = 2
_SETTINGS = JudgeSettings()
# Inputs that are run on every candidate to find a few that tell them apart.
INPUTS_MAX = 80
_UNDECIDED = (Status.AMBIGUOUS, Status.ABSTAINED, Status.UNSUPPORTED)


def wanted(report: Report, mode: JudgeMode) -> bool:
    """Whether the judge is to be asked about the function of this report.

    The judge is not asked if no model could be asked, or if the function fails an example of its
    own: no opinion could add to that. Unless `mode` is ALWAYS, it is not asked either if nothing
    was run or the function is trusted. If `mode` is ALWAYS, a function that was not compared
    because it does input or output may still be judged, on inputs that bring the replies to what
    the function asks for.
    """
    if report.verdict.status is Status.UNSUPPORTED:
        reaches_out = any(each.kind is ProblemKind.INPUT_OUTPUT for each in report.problems)
        return mode is JudgeMode.ALWAYS and reaches_out
    if mode is JudgeMode.OFF or report.model is None:
        return False
    codes = {finding.code for finding in report.findings}
    if Code.FAILS_EXAMPLE in codes.union(report.ignored):
        return False
    if mode is JudgeMode.ALWAYS:
        return True
    return report.verdict.inputs_run > 0 and report.verdict.status is not Status.TRUSTED


def opinion_digest(subject: CheckUnit) -> str:
    """The key under which a report that holds an opinion is stored."""
    versions = repr(sorted(VERSIONS.items()))
    return digest.of_parts([subject.digest, str(OPINION_VERSION), repr(_SETTINGS), versions])


async def with_opinion(
    context: CheckContext, kept: Model | None, subject: CheckUnit, report: Report
) -> Report:
    """The report with the judge's finding and scores, and what the judge cost.

    The jury consists of the candidates of the report. They are drawn again from `kept`, which
    answers only with replies that the model has given before. Candidates that failed to come the
    first time are not asked for again: that would pay for them twice, and the jury would differ
    from the candidates that the report mentions. The judge alone makes a function suspect only if
    the candidates reached no decision about it. Never raises for what a program, a reply or the
    model does.
    """
    specification = with_examples_that_count(subject.specification)
    if context.model is None or kept is None:
        return report
    found = await context.loads.loaded(context.executor, specification)
    if isinstance(found, Problem):
        return report
    specification = found
    if report.verdict.status is Status.UNSUPPORTED and (
        unsupported(specification, importable=context.importable, answered=True)
        or await not_live(context.executor, specification)
    ):
        return report
    model, executor = context.model, context.executor.for_trial()
    context.stage("asking the judge")
    settings = context.settings
    has_candidates = report.verdict.status is not Status.UNSUPPORTED
    samples = report.candidates if has_candidates else settings.sampling.candidates
    drawing = candidate_drawing(kept if has_candidates else model, specification, settings)
    drawn = await drawing.more(range(samples))
    proposals = await draw_proposals(
        kept, specification, settings, lambda reply: bool(proposals_in(reply, specification))
    )
    judgement = await judge_by_assay(
        Asking.in_slots(model, settings.sampling),
        executor,
        specification,
        await _jury(executor, drawn, proposals, specification),
        _SETTINGS,
    )
    report = replace(report, model=model.name)
    calls = executor.tally.calls
    key = opinion_digest(subject)
    combined = _combined(report, specification, judgement, model, calls, key)
    return silenced(combined, subject.specification.unit)


def _combined(
    report: Report,
    specification: Specification,
    judgement: Judgement,
    asked: CountedModel,
    calls: int,
    key: str,
) -> Report:
    status = report.verdict.status
    finding = objection(judgement, specification, status)
    verdict = report.verdict
    if finding is not None and status in _UNDECIDED:
        # The verdict's confidence is about the candidates. The judge's has not been measured.
        verdict = replace(verdict, status=Status.SUSPECT, confidence=None)
    known = set(report.problems)
    return replace(
        report,
        digest=key,
        verdict=verdict,
        findings=report.findings if finding is None else (*report.findings, finding),
        problems=(*report.problems, *(p for p in judgement.problems if p not in known)),
        cost=report.cost + replace(asked.cost, program_calls=calls),
        prompts={**report.prompts, **{f"judge.{name}": each for name, each in VERSIONS.items()}},
        judged=told(judgement),
    )


async def _jury(
    executor: Executor, drawn: Draw, proposals: Draw, specification: Specification
) -> Jury:
    candidates, _rejected = voters(specification, drawn)
    own = await try_own_examples(executor, specification)
    voting = (await elected(executor, specification, candidates, own)).voters
    gathered = await gather_inputs(executor, specification, proposals, limit=INPUTS_MAX)
    return Jury(
        tuple(voter.source for voter in voting),
        tuple(voter.candidate.weight for voter in voting),
        tuple(each for each in gathered.inputs if _can_be_judged(each)),
    )


def _can_be_judged(entry: Input) -> bool:
    """Whether the call can be sent again as what it is, and the docstring decides it."""
    return is_carried(entry.call) and entry.origin is not Origin.OPEN
