"""The clock of a child: a repeating timer that ends a call which takes too long.

The handler runs between byte codes of the main thread, so it touches the wire only while a call is
running; otherwise it could cut a record in two.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from . import wire

TICK_SECONDS = 0.02
# A program that swallows the exception this often is not going to stop by itself.
TICKS_IGNORED = 8


class OutOfTime(BaseException):
    """Raised inside a call. A BaseException, so that `except Exception` lets it through."""


class Deadline:
    def __init__(self, out: wire.Wire) -> None:
        self._wire = out
        self._monotonic = time.monotonic
        # Set directly around every call, which is cheaper than `start` and `stop`.
        self.running = False
        self.started = 0.0
        self.seconds = 0.0
        self.ignored = 0
        self._ticking = False

    def arm(self) -> None:
        signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)

    def start(self, seconds: float) -> None:
        self.seconds = seconds
        self.ignored = 0
        self.started = self._monotonic()
        self.running = True

    def stop(self) -> float:
        """Seconds since `start`; from here on nothing is raised."""
        self.running = False
        return self._monotonic() - self.started

    def _tick(self, _signal: int, _frame: Any) -> None:
        if not self.running or self._ticking:
            # On a busy machine the next tick can come while this one still sends.
            return
        if self._monotonic() - self.started < self.seconds:
            self._ticking = True
            self._wire.flush()
            self._ticking = False
            return
        self.ignored += 1
        if self.ignored > TICKS_IGNORED:
            os._exit(wire.OVERDUE_EXIT)
        raise OutOfTime
