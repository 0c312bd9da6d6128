"""Reads how long a call took, as the child reported it."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
