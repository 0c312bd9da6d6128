"""Measures how much of a text a change affects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

# A word, a number, the white space at the start of a line, or one sign.
_PART = re.compile(r"\w+|^[ \t]+|[^\w\s]", re.MULTILINE)


def changed(before: str, after: str) -> int:
    """How many parts are taken from the text or added to it."""
    was, now = _PART.findall(before), _PART.findall(after)
    # Most of a program stays as it is. Strip the common start and end first, since a comparison may
    # cost the product of both lengths.
    for _ in range(2):
        same = _shared(was, now)
        was, now = was[same:][::-1], now[same:][::-1]
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    return len(was) + len(now) - 2 * sum(each.size for each in matcher.get_matching_blocks())


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the common start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (its, own) in pairs if its != own), min(len(one), len(other)))
