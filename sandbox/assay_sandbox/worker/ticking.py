"""The timer of a child's deadline: one of its own, whose signal programs have no use for.

SIGALRM, `alarm` and `setitimer` are left to the program, which can end what it tries by them.
"""

from __future__ import annotations

import ctypes
import os
import struct

from . import deadline, kernel, syscalls
from .core import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

MONOTONIC = 1
# struct sigevent: a value, the signal, delivery to the process; then padding.
_EVENT = struct.pack("=QiI48x", 0, signal.SIGRTMAX, 0)
_NANOSECONDS = 1_000_000_000


class Timer:
    """A timer. Made before the filter, which allows no further ones. Raises OSError."""

    leaves_alarms = True

    def __init__(self) -> None:
        made = ctypes.c_int()
        kernel.syscall(_CREATE, "timer", MONOTONIC, _EVENT, ctypes.byref(made))
        self._number = made.value

    def start(self, handler: Callable[[int, Any], None], seconds: float) -> None:
        """Call the handler at this interval from now on."""
        signal.signal(signal.SIGRTMAX, handler)
        each = divmod(int(seconds * _NANOSECONDS), _NANOSECONDS)
        # struct itimerspec: the interval, and the time to the first tick.
        kernel.syscall(_START, "timer", self._number, 0, struct.pack("=4q", *each, *each), None)


def ticker() -> "Timer | deadline.Alarm":
    """A timer; or an `Alarm`, which programs notice, if the kernel gives no timer because the
    account has as many pending signals as it may."""
    try:
        return Timer() if _CREATE else deadline.Alarm()
    except OSError:
        return deadline.Alarm()


def _number(table: syscalls.Numbers, name: str) -> int:
    machine = os.uname().machine
    return syscalls.numbers_of(table, machine)[name] if machine in syscalls.MACHINES else 0


_CREATE = _number(syscalls.JUDGED, "timer_create")
_START = _number(syscalls.PLAIN, "timer_settime")
