"""Asks whether an output conforms to the specification (2.6), and scores the votes (2.7)."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.methods.trails.generating import TriedInput
from assay_engine.sampling.asking import Asking, Dialogue
from assay_engine.settling.prompting import Questions
from assay_engine.settling.questions import Said, read_verdict
from assay_engine.settling.serialising import input_text, output_text
from assay_engine.settling.values import JudgedPair, JudgeVote, Question
from assay_engine.types import Opinion, Prompt

OPINIONS = {"CORRECT": Opinion.CORRECT, "INCORRECT": Opinion.INCORRECT}


async def judged(
    asking: Asking, questions: Questions, inputs: Sequence[tuple[str | None, TriedInput]]
) -> tuple[JudgedPair, ...]:
    """One vote on each input, all asked for at once. Each input comes with its scenario, if any."""
    return await asking.answers(
        *(_judged(asking, questions, scenario, tried) for scenario, tried in inputs)
    )


def conforms(
    asking: Asking, questions: Questions, input_shown: str, output_shown: str, *, vote: int = 0
) -> Dialogue[JudgeVote]:
    """One vote on one pair, given as the texts that the judge is shown."""
    prompt = questions.conforms(input_shown, output_shown)
    return opinion_on(asking, prompt, Question.CONFORMS, vote=vote)


def opinion_on(
    asking: Asking, prompt: Prompt, question: Question, *, vote: int = 0
) -> Dialogue[JudgeVote]:
    """The vote in the reply to a prompt that asks for CORRECT or INCORRECT."""
    said = yield from asking.dialogue(prompt, _read, vote=vote)
    if said is None:
        return JudgeVote(question, None, "")
    return JudgeVote(question, OPINIONS[said.word], said.reason)


def share_of_correct(pairs: Sequence[JudgedPair]) -> float | None:
    """The score of section 2.7, over the pairs that were voted on; None if there are none.

    Pairs on which votes contradict each other count as not correct.
    """
    voted = [pair for pair in pairs if any(vote.opinion is not None for vote in pair.votes)]
    if not voted:
        return None
    return sum(pair.opinion is Opinion.CORRECT for pair in voted) / len(voted)


def _judged(
    asking: Asking, questions: Questions, scenario: str | None, tried: TriedInput
) -> Dialogue[JudgedPair]:
    shown = input_text(tried.call, questions.specification)
    output = output_text(tried.observation)
    vote = yield from conforms(asking, questions, shown, output)
    return JudgedPair(tried.call, tried.observation, shown, output, scenario, (vote,), vote.opinion)


def _read(reply: str) -> Said | None:
    return read_verdict(reply, OPINIONS)
