"""The question to the docstring, and how verdicts are read from the replies.

Which of two outputs, shown in either order, does the docstring promise? Replies are read strictly:
reasons, then one line with the reason in a sentence, then a last line with the verdict. A reply
that is cut off has no such last line. A reply with two verdicts, or with its verdict in other words
or another language, has said nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec import Struct

from assay_engine import digest
from assay_engine.models.thoughts import without_thoughts
from assay_engine.sampling.asking import Asking, Dialogue
from assay_engine.settling.prompting import Questions
from assay_engine.settling.serialising import bounded, plain
from assay_engine.settling.values import Question
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


def orders_for(shown: str) -> tuple[Question, Question]:
    """The two orders in which outcomes on this input are shown, the one to begin with first.

    Models favour one of the two places. Which outcome has it must not depend on whose it is.
    """
    if int(digest.of_text(shown), 16) % 2:
        return Question.OWN_FIRST, Question.OWN_SECOND
    return Question.OWN_SECOND, Question.OWN_FIRST


def read_preference(reply: str) -> Said | None:
    """The verdict of the reply, in the prompt's own words; None if it cannot be read."""
    return read_verdict(reply, _OWN_FIRST)


REPLY_CHARACTERS_MAX = 100_000
REASON_CHARACTERS = 300

_DECORATION = " \t*_`#>"
_VERDICT = re.compile(r"VERDICT[*_` ]*:[*_` ]*(?P<said>.*)", re.IGNORECASE)
_REASON = re.compile(r"REASON[*_` ]*:[*_` ]*(?P<said>.+)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class Said(Struct, frozen=True):
    """A verdict, one of the words that were asked for, and its reason in one sentence."""

    word: str
    reason: str


def read_verdict(reply: str, words: Collection[str]) -> Said | None:
    """The verdict of a reply that ends in ``VERDICT:`` and one of the words, after some reasons,
    and states no other verdict anywhere; otherwise None."""
    if len(reply) > REPLY_CHARACTERS_MAX:
        return None
    lines = [line.strip(_DECORATION) for line in without_thoughts(reply).splitlines()]
    lines = [line for line in lines if line]
    if len(lines) < 2 or not _VERDICT.fullmatch(lines[-1]):
        return None
    verdicts = {_word(found["said"]) for line in lines if (found := _VERDICT.fullmatch(line))}
    if len(verdicts) != 1:
        return None
    (word,) = verdicts
    return Said(word, _reason(lines[:-1])) if word in words else None


def _word(said: str) -> str:
    return said.strip(_DECORATION + ".").upper()


def _reason(lines: list[str]) -> str:
    """The last reason that is marked as one, or the last sentence before the verdict."""
    marked = [found["said"] for line in lines if (found := _REASON.fullmatch(line))]
    text = marked[-1] if marked else _SENTENCE_END.split(lines[-1])[-1]
    return bounded(plain(text.strip(_DECORATION), REASON_CHARACTERS), REASON_CHARACTERS)
