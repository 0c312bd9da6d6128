"""How docstrings speak of parameters and numbers, as far as preconditions are read in them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from assay_engine.reading.sentences import CASE, PARAGRAPH_END, SENTENCE_END


def lazily(text: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A pattern that is compiled when it is first asked for: an editor starts without."""
    return cache(partial(re.compile, text, flags))


# So many statements are looked at, and so much around each for whose it is.
STATED_MAX = 50
AROUND = 300
QUOTES = "`'\"*"
NAME = rf"[{QUOTES}]*[A-Za-z_]\w*[{QUOTES}]*"
AND = re.compile(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+")
NAMES = rf"(?<![\w.])(?P<names>{NAME}(?:(?:{AND.pattern}){NAME})*)"
# With a power of ten as often as not.
NUMBER = r"-?\d+(?:\.\d+)?(?:\s*(?:\^|\*\*)\s*\d+)?"
# "n is always", "n must be": what follows is stated of it.
IS = r"(?:is|are|will\s+be|must\s+be|should\s+be)\s+(?:always\s+)?"
# "must be", "may not be", "is expected to be".
DUTY = (
    r"(?:(?:must|should|shall|may|can)(?P<not>\s*not)|must|should|shall|ha(?:s|ve)\s+to"
    r"|needs?\s+to|(?:is|are)\s+(?:assumed|guaranteed|expected|required)\s+to)\s+(?:always\s+)?be"
)
# What a function does with its arguments.
TAKES = r"\b(?:given|takes?|accepts?|receives?|expects?)\s+"
# The beginning of an entry of a list of parameters: "n:", ":param int n:", "n (int) :".
MARK = r"[ \t]*(?:[-*][ \t]+)?(?::param[ \t]+(?:\w+[ \t]+)?)?"
COLON = r"[ \t]*(?:\([^)\n]*\)[ \t]*)?(?::|[ \t]--?[ \t])"
_ENTRY = lazily(rf"^{MARK}(?P<name>{NAME}){COLON}", re.MULTILINE)
_PARAGRAPH_END = lazily(PARAGRAPH_END)
# What makes a sentence one about a case among others, a question, or a result; until it turns to
# what is assumed.
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
# Other numbers are welcome, too.
OR_ELSE = lazily(
    rf"[{QUOTES}]*\s{{0,9}}[,(]?\s{{0,9}}"
    r"(?:else|otherwise|or(?!\s+(?:an?\s+)?(?:none|float|list|tuple|str)\b))\b",
    re.IGNORECASE,
)


def text_before(docstring: str, end: int) -> str:
    """The text up to there, from the beginning of a line on if it is too long."""
    if end <= AROUND:
        return docstring[:end]
    near = docstring[end - AROUND : end]
    return near.partition("\n")[2] or near


def is_case(before: str) -> bool:
    """Whether a sentence that begins so goes on about a case, or a result."""
    return _CASE().search(_ASSUMED().split(sentence(before))[-1]) is not None


def sentence(before: str) -> str:
    """The beginning of a sentence that a text ends in."""
    return _SENTENCE_END().split(before)[-1]


def last_entry(before: str) -> tuple[str, str] | None:
    """Whose entry of a list of parameters a text ends in, and what it says so far."""
    paragraph = _PARAGRAPH_END().split(before)[-1]
    entries = list(_ENTRY().finditer(paragraph))
    return (entries[-1]["name"], paragraph[entries[-1].end() :]) if entries else None


def known(written: Sequence[str], parameters: Sequence[str]) -> Iterator[str]:
    """The names of parameters up to the first word that is none: there the list has ended."""
    for each in written:
        name = each.strip(QUOTES)
        if name not in parameters:
            return
        yield name


def number_in(text: str) -> float:
    """What a text that matches `NUMBER` says."""
    base, *power = re.split(r"\^|\*\*", text)
    try:
        return float(base) ** float(power[0]) if power else float(base)
    except OverflowError:
        return math.inf
