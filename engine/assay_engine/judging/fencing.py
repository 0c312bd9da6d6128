"""Keeps data apart from what is asked, whatever is written in the data.

Every line of data begins with a bar, and stands between two lines that carry a mark. The mark is
derived from the data, so that a prompt is the same every time, and occurs nowhere in them: nobody
who writes a docstring, an input or an output can write the line that ends it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from assay_engine import digest

MARK_CHARACTERS = 12
BAR = "| "
# What cannot be seen, turns text around, or is read differently by different readers.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_LINE_BREAK = re.compile(r"\r\n|\r")


@dataclass(frozen=True, slots=True)
class Fence:
    """The mark of one prompt; `around` puts it around a text."""

    mark: str

    def around(self, label: str, text: str) -> str:
        """The text between the lines ``[begin label mark]`` and ``[end label mark]``."""
        lines = "\n".join(f"{BAR}{line}".rstrip() for line in text.split("\n"))
        return f"[begin {label} {self.mark}]\n{lines}\n[end {label} {self.mark}]"


def fence_for(texts: Iterable[str]) -> Fence:
    """A fence whose mark occurs in none of the texts. Equal texts get equal fences."""
    parts = list(texts)
    attempt = 0
    while True:
        mark = digest.of_parts([str(attempt), *parts])[:MARK_CHARACTERS]
        if not any(mark in part.lower() for part in parts):
            return Fence(mark)
        attempt += 1


def plain(text: str, limit: int) -> str:
    """The text with everything unseen escaped, but for line breaks and tabs, and cut in its middle
    to about `limit` characters."""
    shown = "".join(map(_shown, _LINE_BREAK.sub("\n", text)))
    return bounded(shown, limit)


def bounded(text: str, limit: int) -> str:
    """The text, or its beginning and end with a note on how much was left out between them."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    head = limit - tail
    return f"{text[:head]} …({len(text) - limit} characters left out)… {text[-tail:]}"


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _UNSEEN:
        return character
    point = ord(character)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
