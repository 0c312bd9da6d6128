"""Clocks that stand still, and waiting that takes no time.

While a call has a moment, every clock gives that moment, until the program waits: then it is later
by as much, no more and no less, so that every run says the same. Where waits are skipped, they are
over at once. But where other threads are running, waiting still waits, since nobody could say how
far they get meanwhile. The same goes while an alarm is set.

A program that asks for the time again and again waits for it to pass, so in the end it does: after
`ASKED_MAX` questions in a row, each moves the clock a little further than the one before.

The clock of `datetime` is stopped by stand-ins for its classes, whose attributes cannot be set.
They make instances of the real ones, so that values stay what they are, and a class that a program
derives from a stand-in is an ordinary class. Two limitations remain. ``type(moment) is datetime``
is false, while ``==`` is true. And no class can derive from a stand-in and from another class that
has a metaclass.

For comparing honest programs, not for security: a program that wants the real time finds it.
"""

from __future__ import annotations

import sys
import time
from _thread import _count as others_running  # pyright: ignore[reportPrivateUsage]
from math import ceil
from types import MethodType

from ..core import signal
from ..inspecting import identity, is_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar, Iterable, Sequence

_CONSTRUCTORS = """
combine fromisocalendar fromisoformat fromordinal fromtimestamp strptime utcfromtimestamp
"""


def stand_still(said: Callable[[], float]) -> None:
    """Replace the classes. `said`: gives the time, in seconds since 1970."""
    import copyreg
    import datetime as module

    real_date, real_datetime = module.date, module.datetime

    class date(real_date, metaclass=_StandIn):
        def __new__(cls, *arguments: Any, **named: Any) -> Any:
            return real_date.__new__(real_date if cls is date else cls, *arguments, **named)

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(said())

    class datetime(real_datetime, metaclass=_StandIn):
        def __new__(cls, *arguments: Any, **named: Any) -> Any:
            kind = real_datetime if cls is datetime else cls
            return real_datetime.__new__(kind, *arguments, **named)

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(said(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(said(), module.timezone.utc).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    _StandIn.reals = {identity(date): real_date, identity(datetime): real_datetime}
    for stand_in, real in ((date, real_date), (datetime, real_datetime)):
        stand_in.__module__, stand_in.__qualname__ = real.__module__, real.__qualname__
        for name in ("now", "utcnow", "today"):
            if name in vars(stand_in):
                # Told by its name, as the real one is.
                vars(stand_in)[name].__func__.__qualname__ = f"{real.__qualname__}.{name}"
        for name in _CONSTRUCTORS.split():
            if hasattr(real, name):
                setattr(stand_in, name, _constructor(stand_in, real, name))
        # A pickle names the class of its value, and that name leads to the stand-in.
        copyreg.pickle(real, _reduced_to(stand_in))
    replaced: Any = module
    replaced.date, replaced.datetime = date, datetime


class _StandIn(type):
    """The metaclass of both stand-ins, and so of classes derived from them, or from both.

    `reals` has the real class of each stand-in, by its identity.
    """

    reals: ClassVar[dict[int, type]] = {}

    def __instancecheck__(cls, instance: object) -> bool:
        real = _StandIn.reals.get(identity(cls))
        return super().__instancecheck__(instance) if real is None else isinstance(instance, real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        real = _StandIn.reals.get(identity(cls))
        return super().__subclasscheck__(subclass) if real is None else issubclass(subclass, real)

    def __eq__(cls, other: object) -> bool:
        return cls is other or other is _StandIn.reals.get(identity(cls), cls)

    def __hash__(cls) -> int:
        real = _StandIn.reals.get(identity(cls))
        return super().__hash__() if real is None else hash(real)


def _constructor(stand_in: type, real: type, name: str) -> Any:
    """An alternative constructor: of real instances, or of those of a derived class."""
    made_by = next(each.__dict__[name] for each in real.__mro__ if name in each.__dict__)

    def constructor(cls: type, *arguments: Any, **named: Any) -> Any:
        return made_by.__get__(None, real if cls is stand_in else cls)(*arguments, **named)

    # Any: only the caller knows which class it binds to.
    of_class: Any = classmethod
    return of_class(constructor)


def _reduced_to(stand_in: Callable[..., Any]) -> Callable[[Any], Any]:
    # The oldest protocol that keeps `fold`: which of two equal times this is.
    return lambda moment: (stand_in, *moment.__reduce_ex__(4)[1:])


# 2024-06-15 12:30:15 in UTC: a moment like any other.
MOMENT = 1_718_454_615.0
# Ten thousand questions take as long as half a second, a hundred thousand as long as 50 seconds.
ASKED_MAX = 1000
FURTHER_NANOSECONDS = 10
_SECOND = 1_000_000_000
# Of a number of seconds since 1970, as a float. Event loops want to know.
_RESOLUTION = 1e-6
# Without one of these words in it, a program that has no packages neither waits nor asks.
_WORDS = ("time", "sleep", "async", "thread", "queue", "sched")
# `time.sleep` refuses longer pauses.
_SECONDS_MAX = float(1 << 33)
_CLOCKS = ("time", "monotonic", "perf_counter")
_PROCESSOR_CLOCKS = ("process_time", "thread_time")
_OF_PROCESSOR = ("CLOCK_PROCESS_CPUTIME_ID", "CLOCK_THREAD_CPUTIME_ID")
# Modules that take the clock for themselves when they are imported.
_HOLDERS = ("threading", "queue", "sched", "timeit", "concurrent.futures._base")
_sleep = time.sleep
_alarm: Callable[[int], Sequence[float]] = getattr(signal, "getitimer", lambda _which: (0.0,))
_ITIMER = getattr(signal, "ITIMER_REAL", 0)


class Clock:
    """Gives moments in nanoseconds since 1970; None: the real clock is to be asked.

    `usual`: the moment, in seconds, at which a call begins that says nothing else.
    """

    def __init__(self, usual: float | None, *, skips: bool) -> None:
        self._usual = usual
        self._skips = skips
        self.begin()

    def begin(self, moment: float | None = None) -> None:
        """Begin a call at this moment, or at the usual one."""
        if moment is None:
            moment = self._usual
        self.moment = None if moment is None else _nanoseconds(moment)
        self._processor = 0
        self._asked = 0

    @property
    def seconds(self) -> float | None:
        return None if self.moment is None else self.moment / _SECOND

    def ask(self) -> int | None:
        """The moment, for a program that asks for it."""
        if self.moment is not None and (further := self._further()):
            self._wait(_pause, further / _SECOND)
        return self.moment

    def ask_processor(self) -> int | None:
        """How long the program has computed: it takes no time."""
        self._processor += self._further()
        return None if self.moment is None else self._processor

    def wait(self, wait: Callable[[float], Any], seconds: float) -> Any:
        """What waiting gives, at most so many seconds. If nothing comes, the clock is as much
        later; and what is not there at once will not come to a program that is alone."""
        self._asked = 0
        return self._wait(wait, seconds)

    def _wait(self, wait: Callable[[float], Any], seconds: float) -> Any:
        before = self.moment
        skipped = self._skips and before is not None and not must_wait()
        found = wait(0 if skipped else seconds)
        if not found and before is not None and self.moment is not None:
            # Not added to what other threads have waited meanwhile.
            self.moment = max(self.moment, before + _nanoseconds(seconds))
        return found

    def _further(self) -> int:
        self._asked += 1
        return max(0, self._asked - ASKED_MAX) * FURTHER_NANOSECONDS


def may_ask(texts: Iterable[str]) -> bool:
    """Whether a program with these texts may ask for the time, or wait."""
    return any(word in text for text in texts for word in _WORDS)


def must_wait() -> bool:
    """Whether something may happen while a program waits."""
    return bool(others_running()) or _alarm(_ITIMER)[0] > 0


def stop(clock: Clock, texts: Sequence[str]) -> None:
    """Make the clocks of `time` and `datetime` say what `clock` says, and what waits wait by it.

    Not undone. `texts` are those of the program.
    """
    real: dict[int, Any] = {}
    for name in _CLOCKS:
        _put_clock(name, clock.ask, real)
    for name in _PROCESSOR_CLOCKS:
        _put_clock(name, clock.ask_processor, real)
    _put("clock_gettime", lambda given: _of_number(given, clock, _SECOND), real)
    _put("clock_gettime_ns", lambda given: _of_number(given, clock, 0), real)
    _put("sleep", lambda given: _sleeping(given, clock), real)
    for name in ("localtime", "gmtime", "ctime"):
        _put(name, lambda given: _defaulting(given, clock), real)
    _put("get_clock_info", _coarser, real)
    _put("strftime", lambda given: _of_parts(given, 2), real)
    _put("asctime", lambda given: _of_parts(given, 1), real)
    for module in filter(None, map(sys.modules.get, _HOLDERS)):
        for name, value in vars(module).items():
            if id(value) in real:
                setattr(module, name, real[id(value)])
    patch_waits(clock)
    # The stand-ins for its classes have limitations.
    if any("datetime" in text and ("now" in text or "today" in text) for text in texts):
        stand_still(lambda: _seconds(clock.ask(), time.time))


def patch_waits(clock: Clock) -> None:
    """Make what waits in the modules that are loaded wait by the clock, if it does not yet."""
    selectors: Any = sys.modules.get("selectors")
    if selectors is not None:
        for kind in selectors.__dict__.values():
            if is_class(kind) and "select" in kind.__dict__:
                _patch(kind, "select", clock)
    threading: Any = sys.modules.get("threading")
    if threading is not None:
        _patch(threading.Condition, "wait", clock)


def _patch(kind: Any, name: str, clock: Clock) -> None:
    real = kind.__dict__[name]
    if hasattr(real, "waits_by_the_clock") or hasattr(real, "__isabstractmethod__"):
        return

    def wait(self: Any, timeout: Any = None) -> Any:
        if timeout is None or timeout <= 0:
            return real(self, timeout)
        return clock.wait(lambda seconds: real(self, seconds), timeout)

    wait.waits_by_the_clock = True  # pyright: ignore[reportFunctionMemberAccess]
    setattr(kind, name, wait)


def _put(name: str, make: Callable[[Any], Callable[..., Any]], real: dict[int, Any]) -> None:
    """Replace a function of `time`.

    By a method of the module: as an attribute of a class it stays what it is, like functions in C,
    and it is told by its name.
    """
    replaced = getattr(time, name, None)
    if replaced is None:
        return
    function: Any = make(replaced)
    function.__module__, function.__name__, function.__qualname__ = "time", name, name
    ours = MethodType(function, time)
    setattr(time, name, ours)
    real[id(replaced)] = ours


def _put_clock(name: str, ask: Callable[[], int | None], real: dict[int, Any]) -> None:
    def seconds(given: Callable[[], float]) -> Callable[[Any], float]:
        def said(_time: Any) -> float:
            return _seconds(ask(), given)

        return said

    def nanoseconds(given: Callable[[], int]) -> Callable[[Any], int]:
        def said(_time: Any) -> int:
            moment = ask()
            return given() if moment is None else moment

        return said

    _put(name, seconds, real)
    _put(f"{name}_ns", nanoseconds, real)


def _pause(seconds: float) -> None:
    if seconds:
        _sleep(seconds)


def _seconds(moment: int | None, real: Callable[[], float]) -> float:
    return real() if moment is None else moment / _SECOND


def _of_number(real: Callable[[Any], Any], clock: Clock, parts: int) -> Callable[..., Any]:
    """Clocks by number; in so many parts of a second, or none: in whole nanoseconds."""
    processor = [getattr(time, name, None) for name in _OF_PROCESSOR]

    def of_number(_time: Any, number: Any, /) -> Any:
        said = real(number)
        moment = clock.ask_processor() if number in processor else clock.ask()
        return said if moment is None else moment / parts if parts else moment

    return of_number


def _coarser(real: Callable[[str], Any]) -> Callable[..., Any]:
    def get_clock_info(_time: Any, name: str, /) -> Any:
        info = real(name)
        info.resolution = max(info.resolution, _RESOLUTION)
        return info

    return get_clock_info


def _sleeping(real: Callable[[Any], None], clock: Clock) -> Callable[..., None]:
    def sleep(_time: Any, seconds: Any, /) -> None:
        is_plain = isinstance(seconds, (int, float)) and 0 < seconds < _SECONDS_MAX
        if is_plain:
            clock.wait(real, seconds)
        else:
            real(seconds)

    return sleep


def _defaulting(real: Callable[..., Any], clock: Clock) -> Callable[..., Any]:
    def defaulting(_time: Any, seconds: float | None = None, /) -> Any:
        if seconds is None:
            clock.ask()
            return real(clock.seconds)
        return real(seconds)

    return defaulting


def _of_parts(real: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A function whose last of `count` arguments is the present time unless it is given."""

    def of_parts(_time: Any, *given: Any) -> Any:
        now = () if len(given) >= count else (time.localtime(),)
        return real(*given, *now)

    return of_parts


def _nanoseconds(seconds: float) -> int:
    """Not fewer, or a wait for the rest would never end."""
    whole = int(seconds // 1)
    return whole * _SECOND + ceil((seconds - whole) * _SECOND)
