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


# Lines and branches, see `Covered`.
Trace = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Covered:
    """An observation with the lines and branches of its call.

    Lines count from 1 in `Program.source`. A branch is a pair of lines that followed each other; a
    negative first line means that the code beginning at that line was entered. Both are empty for
    a call that did not end by itself.
    """

    observation: Observation
    lines: tuple[int, ...] = ()
    branches: tuple[tuple[int, int], ...] = ()


class Traces(dict[str, Trace]):
    """Reads every different text once, because any number of answers can name the same one."""

    def __missing__(self, text: str) -> Trace:
        made = self[text] = _read(text)
        return made


def covered(observation: Observation, text: str, traces: Traces) -> Covered:
    """The trace that the text gives; an empty one if a program scribbled over it."""
    return Covered(observation, *traces[text])


def _read(text: str) -> Trace:
    if not text:
        return (), ()
    try:
        parsed: object = json.loads(text)
        lines, branches = cast("tuple[list[int], list[list[int]]]", parsed)
        pairs = tuple((_line(before), _line(after)) for before, after in branches)
        return tuple(map(_line, lines)), pairs
    except (ValueError, TypeError, RecursionError, OverflowError):
        return (), ()


def _line(number: object) -> int:
    # As an integer, a float of five characters would take a hundred and fifty bytes.
    if type(number) is not int:
        raise TypeError("a line that is no whole number")
    return number
