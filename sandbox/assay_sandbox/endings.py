"""Turns the end of a child into the observation of the call in which it ended."""

from __future__ import annotations

import signal

from . import wire
from .errors import ProtocolError
from .observations import LATE, Crashed, LoadFailed, Observation, TimedOut
from .programs import Limits
from .workers import Worker


def how_it_ended(child: Worker, limits: Limits, loading: bool) -> Observation:
    """The observation of the call that was under way, or of the program if it was `loading`."""
    status = child.exit_status
    if status is None:
        return Crashed("took its zygote with it")
    if status == wire.TORN_EXIT:
        return Crashed("a signal handler of its own cut off what it had to say")
    if status == wire.OVERDUE_EXIT:
        return slow_load(limits) if loading else TimedOut(limits.call_seconds)
    if status == wire.TRAPPED_EXIT:
        return Crashed("trapped in WebAssembly")
    if status >= 0:
        return Crashed(f"ended itself with status {status}")
    if -status == signal.SIGXCPU:
        return TimedOut(limits.call_seconds)
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return Crashed(f"ended by {name}")


def nonsense(error: ProtocolError) -> Crashed:
    return Crashed(f"nonsense on the wire: {error}")


def slow_load(limits: Limits) -> LoadFailed:
    return LoadFailed("TimeoutError", f"{LATE}{limits.load_seconds:g} s")
