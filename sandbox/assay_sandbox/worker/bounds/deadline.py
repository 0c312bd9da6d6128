"""The deadline of a child: a repeating timer that ends a call which takes too long.

Not the call but every tick reads the clock, and a call's time counts from the last tick before it.
The tick nearest to the end of its time ends a call, so it may take one tick more or less than
allowed. A call that is in C code all the while ends as it leaves that. Only the call's own time
counts, computing or waiting. The time that a busy machine gives to other processes, and that the
disk takes, does not, or the same call would be ended in one run and not in the next. A call that
does nothing at all of its own is left to the host.

The handler runs between byte codes of the main thread. It touches the wire only while a call is
running; otherwise it could cut an answer in two.
"""

from __future__ import annotations

import os

# Imported now, because a scene's clock stands still.
from time import monotonic, process_time

from ..core import signal
from . import streams, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn, Protocol
else:
    Protocol = object

# Windows has neither this module nor a timer.
try:
    import resource
except ImportError:
    resource = None

TICK_SECONDS = 0.005
# A program that swallows the exception this often is not going to stop by itself.
TICKS_IGNORED = 32
# The share of processor time that counts as all of it: ticks and the kernel take the rest.
NEARLY = 0.9
# A call that waits may take this many times as long.
PATIENCE = 2.0
# The least of what a wait for the disk reads, in the units in which the system counts that.
BLOCKS_OF_A_READ = 8


class OutOfTime(BaseException):
    """Raised inside a call. A BaseException, so that `except Exception` lets it through."""


class Ticker(Protocol):
    """Calls a handler at an interval in seconds, in the main thread. `leaves_alarms`: whether the
    program can use SIGALRM."""

    leaves_alarms: bool

    def start(self, handler: Callable[[int, Any], None], seconds: float) -> None: ...


class Alarm:
    """Ticks by SIGALRM. A program that uses it, too, stops the ticks, or receives them."""

    leaves_alarms = False

    def start(self, handler: Callable[[int, Any], None], seconds: float) -> None:
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)


class Deadline:
    def __init__(self, out: wire.Wire, bounds: streams.Printed, ticker: Ticker) -> None:
        self._wire = out
        self._bounds = bounds
        self._ticker = ticker
        # Whether the deadline has struck: a program may catch the exception, but not undo this.
        self.struck = False
        # Set directly around every call, which is cheaper than `start` and `stop`.
        self.running = False
        self.seconds = 0.0
        # The call that the last tick found under way, and the clocks at the tick before the call.
        self._found: int | None = None
        self._since = (0.0, 0.0, 0)
        # The clocks at the last tick.
        self._last = self._since
        self._ignored = 0
        # The clocks when the exception was last raised in that call.
        self._raised: tuple[float, float, int] | None = None
        self._ticking = False

    def arm(self) -> None:
        if resource is None:
            # On such systems only the host's clock ends a call that takes too long.
            return
        self._last = _clocks()
        self._ticker.start(self.handler(), TICK_SECONDS)

    def start(self, seconds: float) -> None:
        """Give the work under way this many seconds from now on."""
        self.seconds = seconds
        self._found = None
        self.running = True

    def stop(self) -> None:
        """Raise nothing from now on; the next call's time counts from its own start."""
        self.running = False
        self._found = None

    def handler(self) -> Callable[[int, Any], None]:
        """The function that every tick calls. Not a method: a program may get hold of it, and its
        `__self__` would lead to the wire."""

        def tick(_signal: int, _frame: Any) -> None:
            if self._ticking:
                # On a busy machine the next tick comes before this one is done, between any two of
                # its steps. It would measure from a time that is not yet stored, or cut an answer
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
        """Send the answers that have been given, if there is memory for it."""
        try:
            self._wire.flush()
        except MemoryError:
            # The program has taken all memory, which it may. The next tick comes soon.
            return

    def strike(self) -> NoReturn:
        """End the work under way; it may catch this exception, but not undo `struck`."""
        self.struck = self._bounds.exceeded = True
        raise OutOfTime

    def _due(self, now: tuple[float, float, int]) -> bool:
        """Whether the time is up, and the call, not the rest of the machine, has used it."""
        under_way = self._wire.under_way()
        if under_way != self._found:
            self._found = under_way
            self._since = self._last
            self._ignored = 0
            self._raised = None
        if self._raised is not None:
            # On a busy machine the next tick may come before the program has reacted to the last.
            _, used, waits = _between(self._raised, now)
            return used + TICK_SECONDS * waits >= TICK_SECONDS
        taken, used, waits = _between(self._since, now)
        # Half a tick, or a tick that comes a moment early would grant another whole one.
        if taken + TICK_SECONDS / 2 < self.seconds:
            return False
        if used >= NEARLY * self.seconds:
            return True
        if taken < PATIENCE * self.seconds:
            return False
        # No wait outlasts a tick, because the signal interrupts it.
        waited = TICK_SECONDS * waits
        return used + waited >= NEARLY * self.seconds


def _between(
    before: tuple[float, float, int], after: tuple[float, float, int]
) -> tuple[float, float, int]:
    return after[0] - before[0], after[1] - before[1], after[2] - before[2]


def _clocks() -> tuple[float, float, int]:
    """The time, the processor time of this process, and how often one of its threads has given up
    the processor of its own accord, and not for the disk."""
    assert resource is not None
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return monotonic(), process_time(), usage.ru_nvcsw - usage.ru_inblock // BLOCKS_OF_A_READ
