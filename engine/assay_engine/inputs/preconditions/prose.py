"""Patterns for how docstrings speak of parameters and numbers, to read preconditions in them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from assay_engine.reading.sentences import CASE, PARAGRAPH_END, SENTENCE_END


def lazily(text: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A pattern that is compiled when it is first asked for, so that an editor starts fast."""
    return cache(partial(re.compile, text, flags))


# The most statements that are looked at, and the number of characters around each in which its
# subject is sought.
STATED_MAX = 50
AROUND = 300
QUOTES = "`'\"*"
NAME = rf"[{QUOTES}]*[A-Za-z_]\w*[{QUOTES}]*"
AND = re.compile(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+")
NAMES = rf"(?<![\w.])(?P<names>{NAME}(?:(?:{AND.pattern}){NAME})*)"
# Often with a power of ten.
NUMBER = r"-?\d+(?:\.\d+)?(?:\s*(?:\^|\*\*)\s*\d+)?"
# "n is always", "n must be": the words behind state something of n.
IS = r"(?:is|are|will\s+be|must\s+be|should\s+be)\s+(?:always\s+)?"
# "must be", "may not be", "is expected to be".
DUTY = (
    r"(?:(?:must|should|shall|may|can)(?P<not>\s*not)|must|should|shall|ha(?:s|ve)\s+to"
    r"|needs?\s+to|(?:is|are)\s+(?:assumed|guaranteed|expected|required)\s+to)\s+(?:always\s+)?be"
)
# The verbs for what a function does with its arguments.
TAKES = r"\b(?:given|takes?|accepts?|receives?|expects?)\s+"
# The beginning of an entry of a list of parameters: "n:", ":param int n:", "n (int) :".
MARK = r"[ \t]*(?:[-*][ \t]+)?(?::param[ \t]+(?:\w+[ \t]+)?)?"
COLON = r"[ \t]*(?:\([^)\n]*\)[ \t]*)?(?::|[ \t]--?[ \t])"
_ENTRY = lazily(rf"^{MARK}(?P<name>{NAME}){COLON}", re.MULTILINE)
_PARAGRAPH_END = lazily(PARAGRAPH_END)
# Words that make a sentence one about a case among others, a question, or a result, until the
# sentence turns to what is assumed.
_CASE = lazily(
    rf"{CASE}|\b(?:whether|else|otherwise|true|false"
    r"|checks?|determines?|tests?|verify|verifies|decides?|results?|clamps?|clips?)\b"
    r"|\b(?:that|for|not|to|so)\s+\Z",
    re.IGNORECASE,
)
_ASSUMED = lazily(r"\b(?:where|assum\w+|guaranteed?|suppos\w+|provided)\b", re.IGNORECASE)
# The end of a sentence, or of the entry before this one in a list of parameters.
ENTRY_BEGINS = rf"\n(?={MARK}{NAME}{COLON})"
_SENTENCE_END = lazily(rf"{SENTENCE_END}|{ENTRY_BEGINS}")
# Words that say that other numbers are welcome, too.
OR_ELSE = lazily(
    rf"[{QUOTES}]*\s{{0,9}}[,(]?\s{{0,9}}"
    r"(?:else|otherwise|or(?!\s+(?:an?\s+)?(?:none|float|list|tuple|str)\b))\b",
    re.IGNORECASE,
)


def text_before(docstring: str, end: int) -> str:
    """The text before `end`.

    A text that is too long is cut at the front, at the beginning of a line if possible.
    """
    if end <= AROUND:
        return docstring[:end]
    near = docstring[end - AROUND : end]
    return near.partition("\n")[2] or near


def is_case(before: str) -> bool:
    """Whether the sentence that `before` ends in speaks of a case or a result."""
    return _CASE().search(_ASSUMED().split(sentence(before))[-1]) is not None


def sentence(before: str) -> str:
    """The last sentence of a text, as far as the text goes."""
    return _SENTENCE_END().split(before)[-1]


def last_entry(before: str) -> tuple[str, str] | None:
    """The name and the text so far of the entry of a list of parameters that a text ends in."""
    paragraph = _PARAGRAPH_END().split(before)[-1]
    entries = list(_ENTRY().finditer(paragraph))
    return (entries[-1]["name"], paragraph[entries[-1].end() :]) if entries else None


def known(written: Sequence[str], parameters: Sequence[str]) -> Iterator[str]:
    """The names of parameters up to the first word that is no parameter, where the list ends."""
    for each in written:
        name = each.strip(QUOTES)
        if name not in parameters:
            return
        yield name


def number_in(text: str) -> float:
    """The number that a text matching `NUMBER` says."""
    base, *power = re.split(r"\^|\*\*", text)
    try:
        return float(base) ** float(power[0]) if power else float(base)
    except OverflowError:
        return math.inf
