"""Asks again before an objection may accuse, so that the order of outputs cannot decide."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.deciding.domain import accepts
from assay_engine.deciding.voting import Vote
from assay_engine.drawing.asking import Asking
from assay_engine.drawing.dialogues import Dialogue, in_lockstep
from assay_engine.judging.conforming import conforms
from assay_engine.judging.preferring import preferred
from assay_engine.judging.prompting import Questions
from assay_engine.judging.serialising import output_text
from assay_engine.judging.values import JudgedPair, JudgeVote, Opinion, Question
from assay_engine.types import Reading

_OPINIONS = {
    Reading.OWN: Opinion.CORRECT,
    Reading.BOTH: Opinion.CORRECT,
    Reading.THEIRS: Opinion.INCORRECT,
    Reading.NEITHER: Opinion.INCORRECT,
}


def rejudged(
    asking: Asking, questions: Questions, pair: JudgedPair, rival: str | None
) -> Dialogue[JudgedPair]:
    """The pair with further votes. Its opinion is that of the votes if they agree, otherwise None.

    `rival` is the output of another class of programs. With one, each of the two outputs is shown
    first once. Without one, the same question is asked a second time.
    """
    if rival is None:
        dialogues = [conforms(asking, questions, pair.input, pair.output, vote=1)]
    else:
        dialogues = [
            _compared(asking, questions, pair, rival, question)
            for question in (Question.OWN_FIRST, Question.OWN_SECOND)
        ]
    votes = yield from in_lockstep(dialogues)
    opinions = {vote.opinion for vote in votes}
    agreed = opinions.pop() if len(opinions) == 1 else None
    # If the second vote contradicts the first, the two decide nothing.
    if rival is None and agreed is not pair.opinion:
        agreed = None
    return replace(pair, votes=(*pair.votes, *votes), opinion=agreed)


def rival_output(vote: Vote, exceptions: tuple[str, ...]) -> str | None:
    """The output of the largest class of candidates that accepts the input and differs from the
    function; None if there is no such class."""
    for behaviour in vote.behaviours:
        if not behaviour.is_original and accepts(behaviour.observation, exceptions):
            return output_text(behaviour.observation)
    return None


def _compared(
    asking: Asking, questions: Questions, pair: JudgedPair, rival: str, question: Question
) -> Dialogue[JudgeVote]:
    said = yield from preferred(asking, questions, pair.input, pair.output, rival, question)
    if said is None:
        return JudgeVote(question, None, "")
    return JudgeVote(question, _OPINIONS.get(said.reading), said.reason)
