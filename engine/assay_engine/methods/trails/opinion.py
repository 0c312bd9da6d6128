"""The judge's opinion on a function that was checked, with its own words: the room's one call."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.compare.example_trials import try_own_examples
from assay_engine.compare.executor import Executor
from assay_engine.compare.materialising import is_carried
from assay_engine.compare.voters import elected
from assay_engine.inputs.gather import gather_inputs
from assay_engine.messages.opinions import REASON_CHARACTERS, quoted
from assay_engine.messages.phrases import CALL_CHARACTERS, VALUE_CHARACTERS, name_span
from assay_engine.methods.trails.assay_judge import judge_by_assay
from assay_engine.methods.trails.prompting import SETTINGS, VERSIONS
from assay_engine.methods.trails.values import Judgement, Jury
from assay_engine.sampling.asking import Asking
from assay_engine.sampling.candidates import voters
from assay_engine.types import (
    Code,
    Draw,
    Finding,
    Judged,
    JudgedOutput,
    Opinion,
    Origin,
    Outcome,
    Report,
    Ruling,
    Severity,
    Specification,
    Status,
    Verbatim,
    Witness,
    Words,
    text_of,
)
from assay_engine.values.describing import call_text, script_shown
from assay_engine.values.outcomes import outcome_phrase
from assay_engine.words import share, short

# Inputs that are run on every candidate to find a few that tell them apart.
INPUTS_MAX = 80
# How many characters a report keeps of each text that the judge was shown: its beginning and end.
SHOWN_CHARACTERS = 400


async def with_judgement(
    asking: Asking,
    executor: Executor,
    specification: Specification,
    drawn: Draw,
    proposals: Draw,
    report: Report,
) -> Report:
    """The report with the judge's finding and scores.

    The jury consists of the candidates in `drawn`, and the inputs in `proposals` are run on them.
    The judge alone makes a function suspect only if the candidates did not decide about it. Never
    raises for what a program, a reply or the model does.
    """
    candidates, _rejected = voters(specification, drawn)
    own = await try_own_examples(executor, specification)
    voting = (await elected(executor, specification, candidates, own)).voters
    gathered = await gather_inputs(executor, specification, proposals, limit=INPUTS_MAX)
    jury = Jury(
        tuple(voter.source for voter in voting),
        tuple(voter.candidate.weight for voter in voting),
        # Those that can be sent again as what they are, and that the docstring decides.
        tuple(
            each
            for each in gathered.inputs
            if is_carried(each.call) and each.origin is not Origin.OPEN
        ),
    )
    judgement = await judge_by_assay(asking, executor, specification, jury, SETTINGS)
    verdict = report.verdict
    finding = objection(judgement, specification, verdict.status)
    if finding is not None and not (verdict.status.accuses or verdict.status.acquits):
        # The verdict's confidence is about the candidates. The judge's has not been measured.
        verdict = replace(verdict, status=Status.SUSPECT, confidence=None)
    known = set(report.problems)
    return replace(
        report,
        verdict=verdict,
        findings=report.findings if finding is None else (*report.findings, finding),
        problems=(*report.problems, *(each for each in judgement.problems if each not in known)),
        prompts={**report.prompts, **{f"judge.{name}": each for name, each in VERSIONS.items()}},
        judged=_told(judgement),
    )


def objection(judgement: Judgement, specification: Specification, status: Status) -> Finding | None:
    """The finding on the pair that the judge objects to, if it accuses.

    If the candidates agree with the function, the finding is only information: it is one model's
    word against what its own samples do.
    """
    pair = judgement.objection
    if judgement.ruling is not Ruling.INCORRECT or pair is None:
        return None
    reason = quoted(pair.reason)
    against = [vote for vote in pair.votes if vote.opinion is Opinion.INCORRECT]
    did = text_of(outcome_phrase(pair.observation, None, VALUE_CHARACTERS))
    call = call_text(pair.call, specification, CALL_CHARACTERS)
    return Finding(
        Code.JUDGED,
        Severity.INFORMATION if status.acquits else Severity.WARNING,
        f"{call}: this {did}; judged not to conform{f': {reason}' if reason else ''}",
        name_span(specification),
        Witness(
            call_text(pair.call, specification),
            (
                Outcome.of("this function", outcome_phrase(pair.observation), 0, is_original=True),
                Outcome.of(
                    f"the judge, in {share(len(against), len(pair.votes), 'vote')},",
                    (Words("objects: "), Verbatim(reason)) if reason else (Words("objects"),),
                    len(against),
                    is_original=False,
                ),
            ),
            Origin.PROPOSED,
            script=script_shown(pair.call, specification),
        ),
    )


def _told(judgement: Judgement) -> Judged:
    """The judgement as a report holds it."""
    return Judged(
        judgement.judge,
        judgement.ruling,
        judgement.score,
        judgement.threshold,
        tuple(
            JudgedOutput(
                short(pair.input, SHOWN_CHARACTERS),
                short(pair.output, SHOWN_CHARACTERS),
                None if pair.scenario is None else short(pair.scenario, SHOWN_CHARACTERS),
                tuple(vote.opinion for vote in pair.votes),
                pair.opinion,
                short(" ".join(pair.reason.split()), REASON_CHARACTERS),
            )
            for pair in judgement.pairs
        ),
    )
