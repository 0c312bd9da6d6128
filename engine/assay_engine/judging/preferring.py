"""Asks which of two outputs is what the docstring promises, in either order."""

from __future__ import annotations

from msgspec import Struct

from assay_engine.drawing.asking import Asking
from assay_engine.drawing.dialogues import Dialogue
from assay_engine.judging.prompting import Questions
from assay_engine.judging.values import Question
from assay_engine.judging.verdicts import Said, read_verdict
from assay_engine.types import Reading

_OWN_FIRST = {
    "FIRST": Reading.OWN,
    "SECOND": Reading.THEIRS,
    "BOTH": Reading.BOTH,
    "NEITHER": Reading.NEITHER,
    "UNDECIDED": Reading.OPEN,
}
_OWN_SECOND = {**_OWN_FIRST, "FIRST": Reading.THEIRS, "SECOND": Reading.OWN}


class Preference(Struct, frozen=True):
    """What one reply says, and its reason in one sentence, or empty."""

    reading: Reading
    reason: str


def preferred(
    asking: Asking,
    questions: Questions,
    shown: str,
    own: str,
    theirs: str,
    question: Question,
) -> Dialogue[Preference | None]:
    """By the order that `question` names. `shown` is the input, `own` and `theirs` what the
    function and its rivals did on it, as a judge is shown them. None if no reply can be read."""
    own_first = question is Question.OWN_FIRST
    prompt = questions.preference(shown, *((own, theirs) if own_first else (theirs, own)))
    said = yield from asking.dialogue(prompt, read_preference)
    if said is None:
        return None
    return Preference((_OWN_FIRST if own_first else _OWN_SECOND)[said.word], said.reason)


def read_preference(reply: str) -> Said | None:
    """What the reply says, in the prompt's own words; None if that cannot be read."""
    return read_verdict(reply, _OWN_FIRST)
