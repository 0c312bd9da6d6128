"""How long a program takes: by its own time, whatever else the machine does meanwhile.

Its own is what it computes, and what it waits of its own accord. What is not its own: waiting for
the processor that other processes have, for the disk, or for a zygote that has not come to fork it.
"""

from __future__ import annotations

from .workers import ProcessUsage

# How often a child is looked at.
LOOK_SECONDS = 0.1
# A busy machine looks less often. How long a child has waited between two looks is then not known.
WAITED_MAX = 2 * LOOK_SECONDS
# A call that waits may take this many times as long, as in the worker.
PATIENCE = 2.0
# The worker ends a call that computes for longer than it may, unless nothing interrupts the call.
UNINTERRUPTED = 1.25
# By the clock, whatever is done may take this many times as long. Then the machine is at fault.
STARVED_PATIENCE = 200.0


class Stopwatch:
    """Counts the own time of the children of a batch, looked at from time to time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._looked = 0.0
        self._used = 0.0
        self._before = 0.0
        # When what is under way was first seen, by both clocks.
        self._began = 0.0
        self._own_began = 0.0
        # What was computed, of all that is counted.
        self._computed = 0.0
        self._computed_began = 0.0

    def begin(self, now: float) -> None:
        """Count for another child from now on."""
        self._looked, self._used = now, 0.0
        self._before = self.seconds
        self.mark(now)

    def take_back(self) -> None:
        """Count nothing of the present child, for which another stands in."""
        self.seconds = self._before

    def look(self, now: float, usage: ProcessUsage | None) -> None:
        """Count what it has used since the last look; all time if the system does not tell."""
        taken, self._looked = now - self._looked, now
        if usage is None:
            self.seconds += taken
            return
        computed, self._used = max(usage.seconds - self._used, 0.0), usage.seconds
        self._computed += computed
        waited = min(taken, WAITED_MAX) if usage.waits else 0.0
        self.seconds += max(computed, waited)

    def mark(self, now: float) -> None:
        """Something else is under way from now on."""
        self._began, self._own_began = now, self.seconds
        self._computed_began = self._computed

    def overstays(self, seconds: float, grace: float) -> bool:
        """Whether what is under way has used up its time."""
        computed = self._computed - self._computed_began
        return (
            computed > UNINTERRUPTED * seconds + grace
            or self.seconds - self._own_began > PATIENCE * seconds + grace
        )

    def is_starved(self, now: float, seconds: float, grace: float) -> bool:
        """Whether it will never come to an end, because others have the machine."""
        return now - self._began > STARVED_PATIENCE * seconds + grace
