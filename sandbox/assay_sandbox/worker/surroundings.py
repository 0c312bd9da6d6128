"""Makes every run see the same surroundings: seeded `random`, and on request a frozen clock.

For comparing honest programs, not for security: a program that wants the real time finds it.
"""

from __future__ import annotations

import sys
import time

from . import moments
from .callers import frame_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

_NANOSECONDS = 1_000_000_000
# Modules that wait until a moment of the monotonic clock: if that stood still, they would wait for
# ever.
_WAITING = frozenset(
    (
        "asyncio.base_events",
        "asyncio.timeouts",
        "concurrent.futures._base",
        "multiprocessing.connection",
        "queue",
        "sched",
        "selectors",
        "subprocess",
        "threading",
    )
)


def seeder(seed: int) -> Callable[[], None]:
    """A function that seeds before each call. It costs more than a cheap call does."""
    import random

    seed_standard = random.seed

    def again() -> None:
        seed_standard(seed)
        # Reading the attribute loads the submodule, which must not first happen in a call. Another
        # module of that name may have no such attribute.
        of_numpy: Any = getattr(sys.modules.get("numpy"), "random", None)
        seed_numpy = getattr(of_numpy, "seed", None)
        if seed_numpy is not None:
            seed_numpy(seed & 0xFFFFFFFF)

    return again


def unseed_packages() -> None:
    """Leave packages as a program finds them that has just imported them: not seeded."""
    of_numpy: Any = getattr(sys.modules.get("numpy"), "random", None)
    seed_numpy = getattr(of_numpy, "seed", None)
    if seed_numpy is not None:
        seed_numpy()


def seed_now(seed: int) -> None:
    """Seed every generator that is loaded."""
    seeder(seed)()


class Clock:
    """The time that the patched clocks give, in seconds since 1970; None: the real time."""

    def __init__(self, now: Optional[float]) -> None:
        self.now = now

    def advance(self, seconds: float) -> None:
        if self.now is not None:
            self.now += seconds


def freeze_clock(
    clock: Clock, *, advances: bool, waits: Optional[Callable[[], bool]] = None
) -> None:
    """Make `time` and `datetime` say what `clock` says.

    `advances`: a program that sleeps finds the clock as much later, and no more and no less, so
    that every run says the same. Somebody has to set it back before the next call. `waits` tells
    whether waiting takes time at present; without it, waiting always does.
    """
    real_time = time.time
    _freeze_time(clock, waits or _always)
    if advances:
        time.sleep = _advancing(time.sleep, clock)
    moments.stand_still(lambda: real_time() if clock.now is None else clock.now)


def _always() -> bool:
    return True


def _freeze_time(clock: Clock, waits: Callable[[], bool]) -> None:
    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, _said(clock, getattr(time, name), lambda now: now, waits))
        nanoseconds = name + "_ns"
        ours = _said(clock, getattr(time, nanoseconds), lambda now: int(now * _NANOSECONDS), waits)
        setattr(time, nanoseconds, ours)
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, _defaulting(getattr(time, name), clock))
    real_strftime, real_asctime, frozen_localtime = time.strftime, time.asctime, time.localtime

    def strftime(format: str, t: Any = None) -> str:
        return real_strftime(format, frozen_localtime() if t is None else t)

    def asctime(t: Any = None) -> str:
        return real_asctime(frozen_localtime() if t is None else t)

    time.strftime, time.asctime = strftime, asctime


def _said(
    clock: Clock, real: Callable[[], Any], say: Callable[[float], Any], waits: Callable[[], bool]
) -> Callable[[], Any]:
    def said() -> Any:
        if clock.now is None:
            return real()
        if frame_below(1).f_globals.get("__name__") in _WAITING and waits():
            return real()
        return say(clock.now)

    return said


def _advancing(real: Callable[[float], None], clock: Clock) -> Callable[[float], None]:
    def sleep(seconds: float, /) -> None:
        real(seconds)
        clock.advance(float(seconds))

    return sleep


def _defaulting(real: Callable[..., Any], clock: Clock) -> Callable[..., Any]:
    def defaulting(seconds: Optional[float] = None) -> Any:
        return real(clock.now if seconds is None else seconds)

    return defaulting
