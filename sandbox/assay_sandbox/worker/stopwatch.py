"""How long a call took, where that was asked for."""

from __future__ import annotations

# Taken now: a scene's clock stands still.
from time import perf_counter


class Stopwatch:
    """Goes from before a call until it has returned or raised."""

    def __init__(self) -> None:
        self._began = 0.0
        self._seconds = 0.0

    def arm(self) -> None:
        """Nothing has to be watched while a call runs."""

    def begin(self) -> None:
        self._seconds = 0.0
        self._began = perf_counter()

    def end(self) -> None:
        self._seconds = perf_counter() - self._began

    def take(self) -> str:
        return "%.9f" % self._seconds
