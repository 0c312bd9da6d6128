"""Puts a judgement into words: what the judge was shown, what it said, and what follows.

Text that a model wrote is quoted on one line, is bounded, and is never part of a sentence of ours.

Tells how the model read the docstring when it was asked about disputed calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay_engine.messages.phrases import (
    CALL_CHARACTERS,
    LINE_CHARACTERS,
    VALUE_CHARACTERS,
    name_span,
)
from assay_engine.settling.values import JudgedPair, Judgement
from assay_engine.syntax.shortening import shortened
from assay_engine.types import (
    Code,
    Finding,
    Judged,
    JudgedOutput,
    Opinion,
    Origin,
    Outcome,
    Reading,
    Report,
    Ruling,
    Settling,
    Severity,
    Specification,
    Status,
    Verbatim,
    Witness,
    Words,
    text_of,
)
from assay_engine.values.describing import call_text
from assay_engine.values.outcomes import outcome_phrase
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
            Origin.PROPOSED,
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


_READINGS = {
    Reading.OWN: "this function is right",
    Reading.THEIRS: "the candidates are right",
    Reading.BOTH: "both are right",
    Reading.NEITHER: "neither is right",
    Reading.OPEN: "it does not say",
    None: "a reply that could not be read",
}
_NO_ANSWER = "no answer when asked again"
# Matches "the first returns" and "only the second.", but not "the second request". In case of
# doubt it matches, so that the reader is told whose outcome was the first or second.
_BY_ORDER = re.compile(
    r"\bthe (?:first|second)(?=[^\w\s]|$| (?:outcome|output|\w*(?:s|ed))\b)", re.IGNORECASE
)


def settling_phrases(
    report: Report, set_as: Callable[[str], str], quote: Callable[[str], str]
) -> Iterator[str]:
    """For each call, the answers (in both orders, if it was asked in both) and the last reason.

    The call itself is left out if it is the only one and the finding shows it. The words "the
    candidates are right" are left out if a reason follows, since the finding says this.
    """
    shown = next((each.witness for each in report.findings if each.witness is not None), None)
    for settling in report.settling:
        alone = len(report.settling) == 1 and shown is not None and shown.call == settling.call
        on = "" if alone else f" on {set_as(shortened(settling.call, LINE_CHARACTERS))}"
        if settling.readings == (None,):
            yield (
                f"the model was asked what the docstring says{on}; its reply could not be read"
                if settling.is_answered
                else f"the model could not be asked what the docstring says{on or ' of it'}"
            )
            continue
        said = list(dict.fromkeys(_reading(each, settling) for each in settling.readings))
        because = _because(settling, quote)
        if because and set(settling.readings) == {Reading.THEIRS}:
            # The finding already says that the candidates are right.
            said = []
        told = ": ".join(filter(None, (", then ".join(said), because)))
        yield f"the docstring{on}, as the model reads it: {told}"


def _reading(reading: Reading | None, settling: Settling) -> str:
    return _NO_ANSWER if reading is None and not settling.is_answered else _READINGS[reading]


def _because(settling: Settling, quote: Callable[[str], str]) -> str:
    """The reason. If it may refer to the order, it is told whose outcome was first and second."""
    if not settling.reason or _BY_ORDER.search(settling.reason) is None:
        return quote(settling.reason) if settling.reason else ""
    order = ["this function", "the candidates"][:: 1 if settling.own_first else -1]
    return f"{quote(settling.reason)} (first: {order[0]}; second: {order[1]})"
