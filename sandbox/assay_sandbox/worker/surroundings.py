"""The same world at every run: seeded `random`, and on request a clock that stands still.

A comfort for comparing honest programs, not a wall: a program that wants the real time finds it.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

_NANOSECONDS = 1_000_000_000


def seeder(seed: int) -> Callable[[], None]:
    """What to do before each call. It costs more than a cheap call does."""
    import random

    seed_standard = random.seed

    def again() -> None:
        seed_standard(seed)
        # Asking for the attribute is what loads it, and it must not first happen in a call. Another
        # module of that name may have none.
        of_numpy: Any = getattr(sys.modules.get("numpy"), "random", None)
        seed_numpy = getattr(of_numpy, "seed", None)
        if seed_numpy is not None:
            seed_numpy(seed & 0xFFFFFFFF)

    return again


def unseed_packages() -> None:
    """As a program finds them that has just imported them: seeded by nobody."""
    of_numpy: Any = getattr(sys.modules.get("numpy"), "random", None)
    seed_numpy = getattr(of_numpy, "seed", None)
    if seed_numpy is not None:
        seed_numpy()


def seed_now(seed: int) -> None:
    """Seed whatever there is to be seeded."""
    seeder(seed)()


class Clock:
    """What the patched clocks say, in seconds since 1970; None: the real time."""

    def __init__(self, now: Optional[float]) -> None:
        self.now = now


def freeze_clock(clock: Clock) -> None:
    """Make `time` and `datetime` say what `clock` says; waiting still waits."""
    real_time = time.time
    _freeze_time(clock)
    _freeze_datetime(lambda: real_time() if clock.now is None else clock.now)


def _freeze_time(clock: Clock) -> None:
    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, _said(clock, getattr(time, name), lambda now: now))
        nanoseconds = name + "_ns"
        ours = _said(clock, getattr(time, nanoseconds), lambda now: int(now * _NANOSECONDS))
        setattr(time, nanoseconds, ours)
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, _defaulting(getattr(time, name), clock))
    real_strftime, real_asctime, frozen_localtime = time.strftime, time.asctime, time.localtime

    def strftime(format: str, t: Any = None) -> str:
        return real_strftime(format, frozen_localtime() if t is None else t)

    def asctime(t: Any = None) -> str:
        return real_asctime(frozen_localtime() if t is None else t)

    time.strftime, time.asctime = strftime, asctime


def _said(clock: Clock, real: Callable[[], Any], say: Callable[[float], Any]) -> Callable[[], Any]:
    return lambda: real() if clock.now is None else say(clock.now)


def _defaulting(real: Callable[..., Any], clock: Clock) -> Callable[..., Any]:
    def defaulting(seconds: Optional[float] = None) -> Any:
        return real(clock.now if seconds is None else seconds)

    return defaulting


def _freeze_datetime(said: Callable[[], float]) -> None:
    """Stand-ins that make instances of the real classes, so that values stay what they are."""
    import datetime as module

    real_date, real_datetime = module.date, module.datetime

    def meta(real: type) -> type:
        class Frozen(type):
            def __instancecheck__(cls, instance: object) -> bool:
                return isinstance(instance, real)

            def __subclasscheck__(cls, subclass: type) -> bool:
                return issubclass(subclass, real)

        return Frozen

    class date(real_date, metaclass=meta(real_date)):
        def __new__(cls, *arguments: Any, **named: Any) -> Any:
            return real_date.__new__(real_date if cls is date else cls, *arguments, **named)

        @classmethod
        def today(cls) -> Any:
            return real_date.fromtimestamp(said())

    class datetime(real_datetime, metaclass=meta(real_datetime)):
        def __new__(cls, *arguments: Any, **named: Any) -> Any:
            kind = real_datetime if cls is datetime else cls
            return real_datetime.__new__(kind, *arguments, **named)

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return real_datetime.fromtimestamp(said(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return real_datetime.fromtimestamp(said(), module.timezone.utc).replace(tzinfo=None)

        today = now

    # Alternative constructors make real instances, too.
    for stand_in, real in ((date, real_date), (datetime, real_datetime)):
        for name in ("fromtimestamp", "fromordinal", "fromisoformat", "fromisocalendar"):
            setattr(stand_in, name, getattr(real, name))
    for name in ("strptime", "combine", "utcfromtimestamp"):
        setattr(datetime, name, getattr(real_datetime, name))
    replaced: Any = module
    replaced.date, replaced.datetime = date, datetime
