"""Markdown that shows text from programs and models as it is, never as a link or emphasis."""

from __future__ import annotations

import re

from assay_engine.types import Phrase, Words
from assay_engine.words import backticks_around, one_line, visible

_MARKS = "\\`*_{}[]<>#|!&~"


def code(text: str) -> str:
    """Inline code. Its fence is longer than any run of backticks in the text, so none closes it."""
    line = one_line(text)
    fence = backticks_around(line, 1)
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def marked_up(phrase: Phrase) -> str:
    """The phrase, with everything but our own words as code."""
    return "".join(part.text if isinstance(part, Words) else code(part.text) for part in phrase)


def prose(text: str) -> str:
    """A sentence of ours: text in backticks is code, and nothing else in it is a Markdown mark."""
    line = one_line(text)
    parts = re.split(r"`([^`]+)`", line)
    if any("`" in part for part in parts[::2]):
        # The backticks do not pair up as ours do.
        return _escaped(line)
    return "".join(
        code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts)
    )


def fenced(program: str, language: str = "python") -> str:
    """A block of code."""
    shown = visible(program.rstrip())
    fence = backticks_around(shown, 3)
    return f"{fence}{language}\n{shown}\n{fence}"


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in _MARKS else c for c in one_line(text))
