"""Reads how long a call took, as the child reported it.

Reads which of the program's lines a call ran through, as the child reported it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import cast

from .observations import Observation


@dataclass(frozen=True, slots=True)
class Timed:
    """An observation with the wall time of its call in seconds, until it returned or raised.

    None for a call that did neither: it crashed, or never began. A program can reach the stopwatch,
    so this is as trustworthy as its result.
    """

    observation: Observation
    seconds: float | None = None


def timed(observation: Observation, text: str) -> Timed:
    """The time that the text gives; None if a program scribbled over it."""
    try:
        seconds = float(text)
    except ValueError:
        return Timed(observation)
    return Timed(observation, seconds if math.isfinite(seconds) and seconds >= 0 else None)


def names_told(text: str) -> tuple[str, ...]:
    """The dotted names that the text gives; none if a program scribbled over it."""
    try:
        found = cast("list[object]", json.loads(text or "[]"))
        named = [part for each in found if isinstance(each, str) for part in each.split(".")]
        return tuple(map(str, found)) if all(map(_is_name, named)) else ()
    except (ValueError, TypeError, RecursionError):
        return ()


def _is_name(part: str) -> bool:
    return part.removesuffix("()").isidentifier()


@dataclass(frozen=True, slots=True)
class Covered:
    """An observation with the lines that its call ran through.

    They count from 1 in `Program.source`; there are none for a call that did not end by itself.
    """

    observation: Observation
    lines: tuple[int, ...] = ()


class Traces(dict[str, tuple[int, ...]]):
    """Reads every different text once, because any number of answers can name the same one.

    A text that a program scribbled over has no lines.
    """

    def __missing__(self, text: str) -> tuple[int, ...]:
        made = self[text] = _lines(text)
        return made


def _lines(text: str) -> tuple[int, ...]:
    if not text:
        return ()
    try:
        return tuple(map(_line, cast("list[object]", json.loads(text))))
    except (ValueError, TypeError, RecursionError):
        return ()


def _line(number: object) -> int:
    # As an integer, a float of five characters would take a hundred and fifty bytes.
    if type(number) is not int:
        raise TypeError("a line that is no whole number")
    return number
