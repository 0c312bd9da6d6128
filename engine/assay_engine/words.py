"""Small matters of wording, shared by everything that writes sentences."""

from __future__ import annotations

SHORT_CHARACTERS = 60


def short(text: str, limit: int = SHORT_CHARACTERS) -> str:
    """The text on one line, cut in the middle if it is long."""
    line = " ".join(text.split("\n")) if "\n" in text else text
    if len(line) <= limit:
        return line
    tail = limit // 4
    return f"{line[: limit - tail - 1]}…{line[-tail:]}"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def share(weight: int, total: int, noun: str) -> str:
    """``9 of 10 candidates``, ``all 10 candidates``, ``1 of 10 candidates``."""
    if weight == total and total > 1:
        return f"all {total} {noun}s"
    return f"{weight} of {total} {noun}s"
