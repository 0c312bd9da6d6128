"""Reads verdicts from replies, strictly: a reply that is not in the requested form is no vote.

The form is reasons, then one line with the reason in a sentence, then a last line with the verdict.
A reply that is cut off has no such last line. A reply with two verdicts, or with its verdict in
other words or another language, has said nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec import Struct

from assay_engine.judging.fencing import bounded, plain
from assay_engine.models.thoughts import without_thoughts

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
