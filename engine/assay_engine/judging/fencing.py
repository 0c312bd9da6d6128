"""Separates the data in a prompt from the question, whatever is written in the data.

Every line of data begins with a bar, and the data stand between two lines that carry a mark. The
mark is derived from the data, so that a prompt is the same every time. The mark occurs nowhere in
the data, so nobody who writes a docstring, an input or an output can write the line that ends them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from assay_engine import digest
from assay_engine.syntax.statements import with_newlines
from assay_engine.words import visible

MARK_CHARACTERS = 12
BAR = "| "
_LEFT_OUT = re.compile(r"…\(\d+ characters left out\)…")


class Fence(Struct, frozen=True):
    """The mark of one prompt; `around` puts lines with the mark around a text."""

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
    """The text with invisible characters escaped, except line breaks and tabs, and cut in the
    middle to about `limit` characters."""
    return bounded(visible(with_newlines(text, "\n")), limit)


def is_whole(text: str) -> bool:
    """Whether `bounded` left nothing out of the text."""
    return not _LEFT_OUT.search(text)


def bounded(text: str, limit: int) -> str:
    """The text, or its beginning and end with a note on how much was left out between them."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    head = limit - tail
    return f"{text[:head]} …({len(text) - limit} characters left out)… {text[-tail:]}"
