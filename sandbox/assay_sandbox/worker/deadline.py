"""The clock of a child: a repeating timer that ends a call which takes too long.

The handler runs between byte codes of the main thread, so it touches the wire only while a call is
running; otherwise it could cut a record in two.
"""

from __future__ import annotations

import os
import signal

# Taken now: a scene's clock stands still.
from time import monotonic, process_time
from typing import Any

from . import wire

TICK_SECONDS = 0.02
# A program that swallows the exception this often is not going to stop by itself.
TICKS_IGNORED = 8
# A call that hardly got a processor on a busy machine may take this many times as long.
PATIENCE = 2.0


class OutOfTime(BaseException):
    """Raised inside a call. A BaseException, so that `except Exception` lets it through."""


class Deadline:
    def __init__(self, out: wire.Wire) -> None:
        self._wire = out
        # Processor time at the first tick of the call that began at `_ticked`.
        self._ticked = 0.0
        self._used_before = 0.0
        # Set directly around every call, which is cheaper than `start` and `stop`.
        self.running = False
        self.started = 0.0
        self.seconds = 0.0
        self.ignored = 0
        self._ticking = False

    def arm(self) -> None:
        if not hasattr(signal, "setitimer"):
            # WASI and Windows: there the host's clock alone ends what overstays.
            return
        signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)

    def start(self, seconds: float) -> None:
        self.seconds = seconds
        self.ignored = 0
        self.started = monotonic()
        self.running = True

    def stop(self) -> float:
        """Seconds since `start`; from here on nothing is raised."""
        self.running = False
        return monotonic() - self.started

    def _tick(self, _signal: int, _frame: Any) -> None:
        if not self.running or self._ticking:
            # On a busy machine the next tick can come while this one still sends.
            return
        if not self._due():
            self._ticking = True
            self._wire.flush()
            self._ticking = False
            return
        self.ignored += 1
        if self.ignored > TICKS_IGNORED:
            os._exit(wire.OVERDUE_EXIT)
        raise OutOfTime

    def _due(self) -> bool:
        """Whether the time is up: by the clock, if the call had half of it to itself."""
        if self.started != self._ticked:
            self._ticked = self.started
            self._used_before = process_time()
        taken = monotonic() - self.started
        if taken < self.seconds:
            return False
        used = process_time() - self._used_before
        return used >= self.seconds / 2 or taken >= self.seconds * PATIENCE
