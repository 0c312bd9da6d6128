"""Phrases for the characters that a text consists of: "lowercase letters and spaces"."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import partial

from assay_engine.inputs.preconditions.shape import Spelled

_CHARACTERS = r"(?:\s+(?:characters?|symbols?))?"
# Not "of one argument" nor "of 0 or 1 items", which count things.
_NO_COUNT = r"(?!\s+(?!(?:and|or|that|which|with|in|only|characters?)\b)\w)"
_CLASSES = {
    rf"(?:decimal\s+|numeric\s+)?digits?{_CHARACTERS}": string.digits,
    rf"numeric{_CHARACTERS}": string.digits,
    r"lower-?case\s+(?:english\s+|ascii\s+|latin\s+)?(?:letters?|characters?|alphabets?)": (
        string.ascii_lowercase
    ),
    r"upper-?case\s+(?:english\s+|ascii\s+|latin\s+)?(?:letters?|characters?|alphabets?)": (
        string.ascii_uppercase
    ),
    rf"(?:(?:english|ascii|latin)\s+)?letters?|alphabetic(?:al)?{_CHARACTERS}": (
        string.ascii_letters
    ),
    rf"alphanumeric{_CHARACTERS}": string.ascii_letters + string.digits,
    r"(?:hexadecimal|hex)\s+digits?": string.hexdigits,
    r"spaces?": " ",
    rf"zero(?:e?s|{_NO_COUNT})|0'?s": "0",
    rf"one(?:s|{_NO_COUNT})|1'?s": "1",
}
# Not a letter in backticks, which is often a name: "the axis of `x`".
_CLASS = (
    rf"(?:(?:the\s+)?(?:characters?\s+)?\(?(?:{'|'.join(_CLASSES)}|['\"]\S['\"]|`[^\sA-Za-z_]`|[01]{_NO_COUNT})(?!\w)\)?"
    # Not "letters A to F" or "digits from 2 to 9", which are other sets.
    r"(?!\s+(?:from\b|between\b|(?-i:[B-Z]|A[,\s-])|\()))"
)
_LINK = r"(?:\s*,\s*(?:and|or)\s+|\s*,\s*|\s+and\s+|\s+or\s+|/)"
# Not "of one" by itself, which means a single thing.
_ALONE = rf"(?!(?:zero|one|[01])\b(?!{_LINK}{_CLASS}))"
# Words with which a sentence goes on behind a list.
_NEW_CLAUSE = r"(?:an?|the|returns?|finds?|counts?|computes?|your|we|you)\b"
# Not where the list goes on with a class of characters that is not known here.
SPELLING = (
    rf"(?P<classes>{_ALONE}{_CLASS}(?:{_LINK}{_CLASS})*)(?!\s*-|\s*/|\s*,?\s*(?:and|or)\s+(?!{_NEW_CLAUSE})"
    r"|\s*,\s*[\w-]+(?:\s+[\w-]+)?\s*(?:,|and\b|or\b))"
)
MADE_OF = (
    r"(?:(?:consist(?:s|ing)?|compos(?:ed|es)|made(?:\s+up)?|compris(?:ed|ing)|formed)"
    r"\s+(?:only\s+|solely\s+|entirely\s+|exclusively\s+)?(?:of|from)\s+(?:only\s+|just\s+)?"
    r"|(?:contain(?:s|ing)?|with|has|have|having)\s+(?:only|just|nothing\s+but)\s+|of\s+(?:only\s+)?)"
)


def spelled(match: re.Match[str]) -> Callable[[str], Spelled]:
    """The shape of text made of all classes of characters in a match of `SPELLING`."""
    characters: set[str] = set()
    for each in re.finditer(_CLASS, match["classes"], re.IGNORECASE):
        characters.update(_characters(each.group()))
    return partial(Spelled, characters=frozenset(characters))


def _characters(text: str) -> str:
    bare = re.sub(r"^(?:the\s+)?(?:characters?\s+)?", "", text, flags=re.IGNORECASE).strip("()")
    for pattern, members in _CLASSES.items():
        if re.fullmatch(pattern, bare, re.IGNORECASE):
            return members
    return bare.strip("`'\"")
