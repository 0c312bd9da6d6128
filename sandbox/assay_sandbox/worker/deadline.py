"""The clock of a child: a repeating timer that ends a call which takes too long.

A call does not read the clock: every tick does, and a call counts from the last one before it. The
tick nearest to the end of its time ends it, so it may take one tick more or less than allowed; one
that is in C code all the while is ended as it leaves that. What counts is its own time, computing
or waiting; the time that a busy machine gives to others does not, or the same call would be ended
in one run and not in the next.

The handler runs between byte codes of the main thread and touches the wire only while a call is
running; otherwise it could cut an answer in two.
"""

from __future__ import annotations

import os

# Taken now: a scene's clock stands still.
from time import monotonic, process_time

from . import streams, wire
from .core import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn, Optional, Protocol, Tuple
else:
    Protocol = object

# Windows and WASI have neither this module nor a timer.
try:
    import resource
except ImportError:
    resource = None

TICK_SECONDS = 0.005
# A program that swallows the exception this often is not going to stop by itself.
TICKS_IGNORED = 32
# Processor time that counts as all of it: the rest is what ticks and the kernel take.
NEARLY = 0.9
# A call that waits may take this many times as long.
PATIENCE = 2.0
# One that neither computes nor waits is kept from the processor by others; even that has an end.
STARVED_PATIENCE = 50.0


class OutOfTime(BaseException):
    """Raised inside a call. A BaseException, so that `except Exception` lets it through."""


class Ticker(Protocol):
    """Calls a handler every so many seconds, in the main thread. `leaves_alarms`: whether SIGALRM
    is the program's."""

    leaves_alarms: bool

    def start(self, handler: Callable[[int, Any], None], seconds: float) -> None: ...


class Alarm:
    """Ticks by SIGALRM. A program that wants it for itself takes the clock away, or gets ticks."""

    leaves_alarms = False

    def start(self, handler: Callable[[int, Any], None], seconds: float) -> None:
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)


class Deadline:
    def __init__(self, out: wire.Wire, bounds: streams.Printed, ticker: Ticker) -> None:
        self._wire = out
        self._bounds = bounds
        self._ticker = ticker
        # Whether it has: a program may catch what is raised, but not undo that.
        self.struck = False
        # Set directly around every call, which is cheaper than `start` and `stop`.
        self.running = False
        self.seconds = 0.0
        # The call that a tick has found under way, and the clocks at the tick before that.
        self._found: Optional[int] = None
        self._since = (0.0, 0.0, 0)
        # The clocks at the last tick.
        self._last = self._since
        self._ignored = 0
        # The clocks when that call was last ended.
        self._raised: Optional[Tuple[float, float, int]] = None
        self._ticking = False

    def arm(self) -> None:
        if resource is None:
            # There the host's clock alone ends what overstays.
            return
        self._last = _clocks()
        self._ticker.start(self.handler(), TICK_SECONDS)

    def start(self, seconds: float) -> None:
        """Whatever is under way has this long from here on."""
        self.seconds = seconds
        self._found = None
        self.running = True

    def stop(self) -> None:
        """From here on nothing is raised; what the next call uses is its own."""
        self.running = False
        self._found = None

    def handler(self) -> Callable[[int, Any], None]:
        """What every tick calls. No method: a program may ask for it, and its `__self__` would lead
        to the wire."""

        def tick(_signal: int, _frame: Any) -> None:
            if self._ticking:
                # On a busy machine the next tick comes before this one is done, between any two of
                # its steps: it would measure from a moment that is not yet noted, or cut an answer
                # in two.
                return
            self._ticking = True
            try:
                now = _clocks()
                due = self.running and self._due(now)
                self._last = now
                if due:
                    self._raised = now
                if not due:
                    if self.running:
                        self.send_what_is_held()
                    return
            finally:
                self._ticking = False
            self._ignored += 1
            if self._ignored > TICKS_IGNORED:
                os._exit(wire.OVERDUE_EXIT)
            self.strike()

        return tick

    def send_what_is_held(self) -> None:
        """Answers that have been given, if there is memory for it."""
        try:
            self._wire.flush()
        except MemoryError:
            # The program has taken all there is, which it may. The next tick comes soon.
            return

    def strike(self) -> NoReturn:
        """End what is under way; it may catch what this raises, but not undo that it was struck."""
        self.struck = self._bounds.exceeded = True
        raise OutOfTime

    def _due(self, now: Tuple[float, float, int]) -> bool:
        """Whether the time is up, and the call and not the machine has used it."""
        under_way = self._wire.under_way()
        if under_way != self._found:
            self._found = under_way
            self._since = self._last
            self._ignored = 0
            self._raised = None
        if self._raised is not None:
            # On a busy machine the next tick may come before anything was done about the last.
            _, used, waits = _between(self._raised, now)
            return used + TICK_SECONDS * waits >= TICK_SECONDS
        taken, used, waits = _between(self._since, now)
        # Else the tick that comes a moment early would leave it all of another one.
        if taken + TICK_SECONDS / 2 < self.seconds:
            return False
        if used >= NEARLY * self.seconds:
            return True
        if taken < PATIENCE * self.seconds:
            return False
        # No wait outlasts a tick, which interrupts it.
        waited = TICK_SECONDS * waits
        return used + waited >= NEARLY * self.seconds or taken >= STARVED_PATIENCE * self.seconds


def _between(
    before: Tuple[float, float, int], after: Tuple[float, float, int]
) -> Tuple[float, float, int]:
    return after[0] - before[0], after[1] - before[1], after[2] - before[2]


def _clocks() -> Tuple[float, float, int]:
    """The time, the processor time of this process, and how often one of its threads has given up
    the processor of its own accord."""
    assert resource is not None
    waits = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    return monotonic(), process_time(), waits
