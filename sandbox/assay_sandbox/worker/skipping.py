"""Lets waiting take no time: sleeping returns at once, and the clocks are later by as much.

For a program that retries with a pause, or a coroutine with a timeout: all that can be compared of
it comes out as if it had waited, only sooner. Where other threads are running, waiting still waits,
since nobody could say how far they come meanwhile.
"""

from __future__ import annotations

import sys
import time
from _thread import _count as others_running  # pyright: ignore[reportPrivateUsage]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable

    from .surroundings import Clock

_NANOSECONDS = 1_000_000_000
# What cannot be waited for without one of these words somewhere in the program.
_WORDS = ("sleep", "asyncio")
# `time.sleep` refuses longer pauses; so do the waits of `asyncio` when their turn comes.
_SECONDS_MAX = float(1 << 33)


class Skipped:
    """How many seconds were not waited for so far."""

    def __init__(self, clock: Clock) -> None:
        self.seconds = 0.0
        self._clock = clock

    def add(self, seconds: float) -> None:
        self.seconds += seconds
        # A clock that stands still is moved by waiting alone.
        self._clock.advance(seconds)


def mentions_waiting(texts: Iterable[str]) -> bool:
    return any(word in text for text in texts for word in _WORDS)


def skip_waits(clock: Clock) -> None:
    """Patch `time`, and the event loops of `asyncio` if that is loaded. Not undone."""
    skipped = Skipped(clock)
    time.sleep = _sleeping(time.sleep, skipped)
    for name in ("time", "monotonic", "perf_counter"):
        seconds, nanoseconds = getattr(time, name), getattr(time, f"{name}_ns")
        setattr(time, name, _later(seconds, lambda: skipped.seconds))
        setattr(
            time, f"{name}_ns", _later(nanoseconds, lambda: int(skipped.seconds * _NANOSECONDS))
        )
    selectors: Any = sys.modules.get("selectors")
    if selectors is not None:
        kind = selectors.DefaultSelector
        kind.select = _selecting(kind.select, skipped)


def _later(real: Callable[[], Any], skipped: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: real() + skipped()


def _sleeping(real: Callable[[float], None], skipped: Skipped) -> Callable[[float], None]:
    def sleep(seconds: float, /) -> None:
        kind = type(seconds)
        if (kind is int or kind is float) and 0 < seconds < _SECONDS_MAX and not others_running():
            skipped.add(float(seconds))
        else:
            real(seconds)

    return sleep


def _selecting(real: Callable[..., Any], skipped: Skipped) -> Callable[..., Any]:
    """What an event loop waits by, for files or until its next task is due: here, no files can
    become ready by themselves."""

    def select(self: Any, timeout: Any = None) -> Any:
        if timeout is None or timeout <= 0 or others_running():
            return real(self, timeout)
        ready = real(self, 0)
        if not ready:
            skipped.add(timeout)
        return ready

    return select
