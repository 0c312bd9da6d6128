"""The timer of a child's deadline: one of its own, whose signal programs have no use for.

SIGALRM, `alarm` and `setitimer` are left to the program, which can end what it tries by them.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from _thread import get_ident

# Taken now: a scene's clock stands still.
from time import monotonic

from ..confine import kernel, syscalls
from ..core import signal
from ..origin import is_ours
from . import deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable

# struct sigevent: a value, the signal, delivery to the process; then padding.
_EVENT = struct.pack("=QiI48x", 0, signal.SIGRTMAX, 0)
_NANOSECONDS = 1_000_000_000


class Timer:
    """A timer. Made before the filter, which allows no further ones. Raises OSError."""

    leaves_alarms = True

    def __init__(self) -> None:
        made = ctypes.c_int()
        kernel.syscall(_CREATE, "timer", syscalls.CLOCK_MONOTONIC, _EVENT, ctypes.byref(made))
        self._number = made.value

    def start(self, handler: Callable[[int, Any], None], seconds: float) -> None:
        """Call the handler at this interval from now on."""
        signal.signal(signal.SIGRTMAX, handler)
        _replace("pause", _pausing(signal.pause))
        _replace("sigtimedwait", _waiting(signal.sigtimedwait, seconds))
        each = divmod(int(seconds * _NANOSECONDS), _NANOSECONDS)
        # struct itimerspec: the interval, and the time to the first tick.
        kernel.syscall(_START, "timer", self._number, 0, struct.pack("=4q", *each, *each), None)


def ticker() -> Timer | deadline.Alarm:
    """A timer; or an `Alarm`, which programs notice, if the kernel gives no timer because the
    account has as many pending signals as it may."""
    try:
        return Timer() if _CREATE else deadline.Alarm()
    except OSError:
        return deadline.Alarm()


def _replace(name: str, ours: Callable[..., Any]) -> None:
    """In the core's module, and in the one around it if that has been imported."""
    for module in (signal, sys.modules.get("signal")):
        if module is not None:
            setattr(module, name, ours)


def _pausing(real: Callable[[], None]) -> Callable[[], None]:
    """A pause that ends when a handler of the program has run, which a tick is not."""

    def pause() -> None:
        if get_ident() != main:
            # Ticks come to the main thread, and so do handlers.
            real()
            return
        over = False
        counting: dict[int, tuple[Any, Any]] = {}

        def counted(handler: Any) -> Any:
            def handled(number: int, frame: Any) -> None:
                nonlocal over
                over = True
                handler(number, _outside(frame))

            return handled

        try:
            for number in range(1, signal.NSIG):
                handler: Any = signal.getsignal(number)
                if callable(handler) and number != signal.SIGRTMAX:
                    counting[number] = handler, counted(handler)
                    signal.signal(number, counting[number][1])
            while not over:
                real()
        finally:
            for number, (handler, instead) in counting.items():
                if signal.getsignal(number) is instead:
                    signal.signal(number, handler)

    main = get_ident()
    return pause


def _outside(frame: Any) -> Any:
    """The nearest frame that is the program's: the signal may come in the pause, or in a tick."""
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    return frame


def _waiting(real: Callable[..., Any], seconds: float) -> Callable[[Iterable[int], float], Any]:
    """A `sigtimedwait` that no tick interrupts: CPython makes a signal up if the time is over when
    one does. Ticks come in between."""

    def sigtimedwait(sigset: Iterable[int], timeout: float, /) -> Any:
        if type(timeout) not in (int, float) or not timeout > 0:
            return real(sigset, timeout)
        # Not the tick itself, which will be waiting.
        wanted = {*sigset} - {signal.SIGRTMAX}
        ends = monotonic() + timeout
        found, left = None, timeout
        while found is None and left > 0:
            before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGRTMAX,))
            try:
                found = real(wanted, min(left, seconds))
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            left = ends - monotonic()
        return found

    return sigtimedwait


def _number(table: syscalls.Numbers, name: str) -> int:
    machine = os.uname().machine
    return syscalls.numbers_of(table, machine)[name] if machine in syscalls.MACHINES else 0


_CREATE = _number(syscalls.JUDGED, "timer_create")
_START = _number(syscalls.PLAIN, "timer_settime")
