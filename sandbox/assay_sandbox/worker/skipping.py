"""Lets waiting take no time: sleeping returns at once, and the clocks are later by as much.

For a program that retries after a pause, or a coroutine with a timeout: all that can be compared of
it comes out as if it had waited, only sooner. Where other threads are running, waiting still waits,
since nobody could say how far they get meanwhile. The same goes while an alarm is set.
"""

from __future__ import annotations

import sys
import time
from _thread import _count as others_running  # pyright: ignore[reportPrivateUsage]

from .core import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, Sequence

    from .surroundings import Clock

_NANOSECONDS = 1_000_000_000
# Nothing can be waited for without one of these words somewhere in the program.
_WORDS = ("sleep", "asyncio", "threading", "queue")
# `time.sleep` refuses longer pauses.
_SECONDS_MAX = float(1 << 33)
# Modules that wait with a deadline, and took the clock for themselves when they were imported.
_WAITING = ("threading", "queue", "sched", "concurrent.futures._base")
_REAL = time.monotonic
_alarm: Callable[[int], Sequence[float]] = getattr(signal, "getitimer", lambda _which: (0.0,))
_ITIMER = getattr(signal, "ITIMER_REAL", 0)


class _Skipped:
    """How many seconds were not waited for so far, and the clock that stands still, if one does."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.clock: Any = None

    def add(self, seconds: float) -> None:
        self.seconds += seconds
        self.clock.advance(seconds)


_skipped = _Skipped()
# The functions of `time`, by name.
_real: Dict[str, Callable[..., Any]] = {}


class Waits:
    """The functions of `time` that change. Bound methods stay what they are as attributes of a
    class, like functions in C; and without fields, they are told alike in every program."""

    __slots__ = ()

    def sleep(self, seconds: Any, /) -> None:
        is_plain = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
        if is_plain and 0 < seconds < _SECONDS_MAX and not must_wait():
            _skipped.add(float(seconds))
        else:
            _real["sleep"](seconds)
            _skipped.clock.advance(float(seconds))

    def time(self) -> float:
        return _real["time"]() + _skipped.seconds

    def monotonic(self) -> float:
        return _real["monotonic"]() + _skipped.seconds

    def perf_counter(self) -> float:
        return _real["perf_counter"]() + _skipped.seconds

    def time_ns(self) -> int:
        return _real["time_ns"]() + int(_skipped.seconds * _NANOSECONDS)

    def monotonic_ns(self) -> int:
        return _real["monotonic_ns"]() + int(_skipped.seconds * _NANOSECONDS)

    def perf_counter_ns(self) -> int:
        return _real["perf_counter_ns"]() + int(_skipped.seconds * _NANOSECONDS)


def mentions_waiting(texts: Iterable[str]) -> bool:
    return any(word in text for text in texts for word in _WORDS)


def must_wait() -> bool:
    """Whether something may happen while a program waits."""
    return bool(others_running()) or _alarm(_ITIMER)[0] > 0


def skip_waits(clock: Clock, texts: Iterable[str]) -> None:
    """Patch `time`, and what waits in the modules that these texts import. Not undone."""
    waits = Waits()
    _skipped.clock = clock
    for name in [each for each in vars(Waits) if not each.startswith("_")]:
        _real[name] = getattr(time, name)
        setattr(time, name, getattr(waits, name))
    for name in ("threading", "queue"):
        if any(f"import {name}" in text or f"from {name} " in text for text in texts):
            __import__(name)
    for module in filter(None, map(sys.modules.get, _WAITING)):
        for name, value in vars(module).items():
            if value is _REAL:
                setattr(module, name, waits.monotonic)
    selectors: Any = sys.modules.get("selectors")
    if selectors is not None:
        kind = selectors.DefaultSelector
        kind.select = _skipping(kind.select)
    threading: Any = sys.modules.get("threading")
    if threading is not None:
        threading.Condition.wait = _skipping(threading.Condition.wait)


def _skipping(real: Callable[..., Any]) -> Callable[..., Any]:
    """What waits for something, at most so many seconds. If it is not there at once, it will not
    come: a program that is alone has nobody to wait for."""

    def wait(self: Any, timeout: Any = None) -> Any:
        if timeout is None or timeout <= 0 or must_wait():
            return real(self, timeout)
        found = real(self, 0)
        if not found:
            _skipped.add(timeout)
        return found

    return wait
