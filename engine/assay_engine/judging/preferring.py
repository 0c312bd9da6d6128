"""Asks which of two outputs the docstring promises; the outputs can be shown in either order."""

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
    """The reading that one reply states, and its reason: one sentence, or empty."""

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
    """Ask in the order that `question` names. `shown` is the input, `own` and `theirs` are the
    outputs of the function and its rivals, as texts for the judge. None if no reply can be read."""
    own_first = question is Question.OWN_FIRST
    prompt = questions.preference(shown, *((own, theirs) if own_first else (theirs, own)))
    said = yield from asking.dialogue(prompt, read_preference)
    if said is None:
        return None
    return Preference((_OWN_FIRST if own_first else _OWN_SECOND)[said.word], said.reason)


def read_preference(reply: str) -> Said | None:
    """The verdict of the reply, in the prompt's own words; None if it cannot be read."""
    return read_verdict(reply, _OWN_FIRST)
