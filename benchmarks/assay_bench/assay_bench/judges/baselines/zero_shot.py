"""The baseline that reads the code and thinks step by step (TRAILS, section 3.3)."""

from __future__ import annotations

from assay_bench.judges.baselines.prompting import BaselineQuestions
from assay_engine.methods.trails.assay_judge import opinion_on
from assay_engine.methods.trails.values import Judgement, JudgeSettings, JudgeVote, Question
from assay_engine.sampling.asking import Asking
from assay_engine.types import Opinion, Ruling, Specification

NAME = "zero-shot"
RULINGS = {Opinion.CORRECT: Ruling.CORRECT, Opinion.INCORRECT: Ruling.INCORRECT}


async def judge_by_zero_shot(
    asking: Asking, specification: Specification, code: str, settings: JudgeSettings
) -> Judgement:
    """One vote on specification and code. This judge sends the code."""
    prompt = BaselineQuestions.about(specification, settings).zero_shot(code)
    vote = await asking.answer(opinion_on(asking, prompt, Question.CODE))
    return of_one_vote(NAME, asking, vote)


def of_one_vote(judge: str, asking: Asking, vote: JudgeVote) -> Judgement:
    """The judgement of a judge with a single vote; an abstention if the vote has no opinion."""
    score = None if vote.opinion is None else float(vote.opinion is Opinion.CORRECT)
    ruling = Ruling.ABSTAINED if vote.opinion is None else RULINGS[vote.opinion]
    return Judgement(
        judge,
        ruling,
        score,
        threshold=1.0,
        votes=(vote,),
        usage=asking.usage,
        problems=asking.problems,
    )
