"""Puts a judgement into words: what the judge was shown, what it said, and what follows.

Text that a model wrote is quoted on one line, is bounded, and is never part of a sentence of ours.
"""

from __future__ import annotations

from assay_engine.judging import Judgement, Ruling
from assay_engine.judging.values import JudgedPair
from assay_engine.running.describing import call_text
from assay_engine.running.outcomes import outcome_phrase
from assay_engine.saying.diagnostics import CALL_CHARACTERS, VALUE_CHARACTERS, name_span
from assay_engine.types import (
    Code,
    Finding,
    Judged,
    JudgedOutput,
    Opinion,
    Origin,
    Outcome,
    Severity,
    Specification,
    Status,
    Verbatim,
    Witness,
    Words,
    text_of,
)
from assay_engine.words import count, share, short

REASON_CHARACTERS = 160
# How many characters a report keeps of each text that the judge was shown: its beginning and end.
SHOWN_CHARACTERS = 400


def told(judgement: Judgement) -> Judged:
    """The judgement as a report holds it."""
    return Judged(
        judgement.judge,
        judgement.ruling,
        judgement.score,
        judgement.threshold,
        tuple(map(_output, judgement.pairs)),
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
        Severity.INFORMATION if status is Status.TRUSTED else Severity.WARNING,
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
            Origin.PROPOSED if pair.scenario is not None else Origin.TYPED,
        ),
    )


def judged_line(judged: Judged) -> str:
    """Score, threshold and votes in one sentence."""
    if judged.score is None:
        return "the judge reached no decision"
    decided = [pair for pair in judged.pairs if pair.opinion is not None]
    correct = sum(pair.opinion is Opinion.CORRECT for pair in decided)
    votes = sum(len(pair.votes) for pair in judged.pairs)
    verb = "conforms" if correct == 1 else "conform"
    return (
        f"the judge {_RULINGS[judged.ruling]}: {share(correct, len(decided), 'output')} {verb} "
        f"(score {judged.score:.2f}, threshold {judged.threshold:.2f}, {count(votes, 'vote')})"
    )


def quoted(reason: str) -> str:
    """A model's sentence on one line, in quotation marks that it cannot close."""
    text = short(" ".join(reason.split()).replace('"', "'"), REASON_CHARACTERS)
    return f'"{text}"' if text else ""


_RULINGS = {
    Ruling.CORRECT: "does not object",
    Ruling.INCORRECT: "objects",
    Ruling.ABSTAINED: "abstains",
}


def _output(pair: JudgedPair) -> JudgedOutput:
    return JudgedOutput(
        short(pair.input, SHOWN_CHARACTERS),
        short(pair.output, SHOWN_CHARACTERS),
        None if pair.scenario is None else short(pair.scenario, SHOWN_CHARACTERS),
        tuple(vote.opinion for vote in pair.votes),
        pair.opinion,
        short(" ".join(pair.reason.split()), REASON_CHARACTERS),
    )
