"""Measures how long a call takes, on request."""

from __future__ import annotations

# Imported now, because a scene's clock stands still.
from time import perf_counter


class CallStopwatch:
    """Runs from before a call until the call has returned or raised."""

    def __init__(self, _text: str) -> None:
        self._began = 0.0
        self._seconds = 0.0

    def arm(self, _namespace: dict[str, object]) -> None:
        """Nothing to do: nothing has to be watched while a call runs."""

    def begin(self) -> None:
        self._seconds = 0.0
        self._began = perf_counter()

    def end(self) -> None:
        self._seconds = perf_counter() - self._began

    def take(self) -> str:
        return "%.9f" % self._seconds
