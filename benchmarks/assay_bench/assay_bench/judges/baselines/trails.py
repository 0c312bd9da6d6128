"""TRAILS: correctness inferred from the specification and from pairs of input and output alone.

"TRAILS: Targeted Reasoning Agreement via Inputs and Specifications" (arXiv:2605.29822), section 2.
"""

from __future__ import annotations

from assay_engine.compare.executor import Executor
from assay_engine.methods.trails.assay_judge import judged, share_of_correct
from assay_engine.methods.trails.framing import frame
from assay_engine.methods.trails.generating import (
    bench_for,
    exercised_in_turn,
    stopped_early,
    with_scenarios,
)
from assay_engine.methods.trails.prompting import JudgeQuestions
from assay_engine.methods.trails.values import JudgedPair, Judgement, JudgeSettings, Jury
from assay_engine.sampling.asking import Asking
from assay_engine.types import Opinion, Ruling, Specification

NAME = "trails"


async def judge_by_trails(
    asking: Asking,
    executor: Executor,
    specification: Specification,
    settings: JudgeSettings,
) -> Judgement:
    """The paper's judge. Never raises because of what a program or a reply does.

    If scenarios in a row have no valid input (the early stop of section 2.5), the ruling is
    INCORRECT with a score of 0, and nothing more is asked. The judge abstains if no reply gave a
    scenario or a vote.
    """
    questions = JudgeQuestions.about(specification, settings)
    framing = await frame(asking, questions)
    bench = bench_for(executor, specification, Jury(), framing)
    found = await exercised_in_turn(asking, questions, bench, framing.scenarios, framing.properties)
    pairs: tuple[JudgedPair, ...] = ()
    score: float | None = 0.0
    # Missing answers tell nothing of the function.
    if asking.problems or not stopped_early(found):
        pairs = await judged(asking, questions, with_scenarios(framing, found))
        score = share_of_correct(pairs)
    return Judgement(
        NAME,
        _ruling_by(score, settings.threshold),
        score,
        settings.threshold,
        pairs,
        objection=next((pair for pair in pairs if pair.opinion is Opinion.INCORRECT), None),
        usage=asking.usage,
        problems=asking.problems,
    )


def _ruling_by(score: float | None, threshold: float) -> Ruling:
    """The ruling by a score: a right function reaches the threshold; no score decides nothing."""
    if score is None:
        return Ruling.ABSTAINED
    return Ruling.CORRECT if score >= threshold else Ruling.INCORRECT
