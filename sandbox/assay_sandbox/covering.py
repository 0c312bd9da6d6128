"""Which of the program's lines a call ran through, as the child reported it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

from .observations import Observation


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


def covered(observation: Observation, text: str) -> Covered:
    """What the text says; nothing if a program scribbled over it."""
    if not text:
        return Covered(observation)
    try:
        parsed: object = json.loads(text)
        lines, branches = cast("tuple[list[int], list[list[int]]]", parsed)
        pairs = tuple((int(before), int(after)) for before, after in branches)
        return Covered(observation, tuple(int(line) for line in lines), pairs)
    except (ValueError, TypeError, RecursionError, OverflowError):
        return Covered(observation)
