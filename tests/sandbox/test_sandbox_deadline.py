"""The clock of a child, at moments that real timers meet once in ten thousand calls."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import pytest

from assay_sandbox import Call, Limits, Program, Raised, Returned, Sandbox, TimedOut, decode, encode
from assay_sandbox.worker.bounds import deadline, streams
from support.interpreters import interpreters

if TYPE_CHECKING:
    from pathlib import Path

    from assay_sandbox.worker.bounds.wire import Wire


class Idle:
    """A wire on which the first call is under way and nothing is held."""

    def __init__(self) -> None:
        self.flushed = 0

    def under_way(self) -> int:
        return 0

    def flush(self) -> None:
        self.flushed += 1


def test_a_tick_within_a_tick_does_not_end_a_call_that_has_only_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wire = Idle()
    out, printed = cast("Wire", wire), streams.Printed()
    clock = deadline.Deadline(out, printed, deadline.Alarm())
    tick = clock.handler()
    # Between calls: from here on the next one counts.
    tick(0, None)
    real, nested = deadline.monotonic, 0

    def interrupted() -> float:
        nonlocal nested
        nested += 1
        if nested == 1:
            tick(0, None)
        return real()

    monkeypatch.setattr(deadline, "monotonic", interrupted)
    clock.start(0.05)
    tick(0, None)
    assert nested == 1
    assert wire.flushed == 1


def test_a_call_that_was_ended_is_not_ended_again_before_it_could_be_dealt_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = deadline.Deadline(cast("Wire", Idle()), streams.Printed(), deadline.Alarm())
    tick = clock.handler()
    now = (0.0, 0.0, 0)
    monkeypatch.setattr(deadline, "_clocks", lambda: now)
    tick(0, None)
    clock.start(0.1)
    now = (0.1, 0.1, 0)
    with pytest.raises(deadline.OutOfTime):
        tick(0, None)
    # The machine was busy elsewhere: it has had no time to do anything about that.
    now = (0.2, 0.1001, 0)
    tick(0, None)
    # It has, and goes on all the same: computing, or waiting again and again.
    for goes_on in ((0.21, 0.1101, 0), (0.22, 0.1102, 2)):
        now = goes_on
        with pytest.raises(deadline.OutOfTime):
            tick(0, None)
    # What comes next has its own time.
    clock.start(0.1)
    now = (0.3, 0.19, 2)
    tick(0, None)
    now = (0.35, 0.24, 2)
    with pytest.raises(deadline.OutOfTime):
        tick(0, None)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_no_attribute_of_the_handler_leads_to_the_clock(sandbox: Sandbox) -> None:
    source = """
import signal
def f():
    (handler,) = filter(callable, map(signal.getsignal, signal.valid_signals() - {signal.SIGINT}))
    return True, hasattr(handler, "__self__"), hasattr(handler, "_wire")
"""
    (seen,) = sandbox.run(Program(source, "f"), [Call(())])
    assert isinstance(seen, Returned)
    assert seen.value == '{"tuple":[true,false,false]}'


ALARMED = """
import signal, time

class TooSlow(Exception):
    pass

def give_up(number, frame):
    raise TooSlow

signal.signal(signal.SIGALRM, give_up)
TABLE = [number * number for number in range(1_000_000)]

def f(what):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        if what == "sleep":
            time.sleep(10)
        while what == "loop":
            pass
        return sum(TABLE)
    finally:
        signal.alarm(0)

def g(what):
    while what == "loop":
        pass
    return what
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the clock ticks by SIGALRM")
def test_alarms_are_the_programs_own(sandbox: Sandbox) -> None:
    calls = [Call((what,)) for what in ("go", "sleep", "go", "loop", "go")]
    seen = sandbox.run(Program(ALARMED, "f"), calls, Limits(call_seconds=5.0))
    outcomes = ["Returned", "Raised", "Returned", "Raised", "Returned"]
    assert [type(each).__name__ for each in seen] == outcomes
    assert {each.type_name for each in seen if isinstance(each, Raised)} == {"TooSlow"}
    # And what switches them off switches no clock of ours off.
    switched_off = "import signal\nsignal.alarm(0)\nsignal.setitimer(signal.ITIMER_REAL, 0)\n"
    program = Program(f"{switched_off}{ALARMED}", "g")
    (late, next_one) = sandbox.run(
        program, [Call(("loop",)), Call(("go",))], Limits(call_seconds=0.2, total_seconds=60.0)
    )
    assert late == TimedOut(0.2, whole_batch=False)
    assert next_one == Returned(encode("go"))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the clock ticks by SIGALRM")
def test_an_alarm_of_one_call_does_not_ring_in_another(sandbox: Sandbox) -> None:
    source = """
import signal, time

def f(seconds):
    if seconds:
        time.sleep(seconds)
        return seconds
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    raise ValueError
"""
    seen = sandbox.run(Program(source, "f"), [Call((seconds,)) for seconds in (0, 0.2, 0.1)])
    assert [type(each).__name__ for each in seen] == ["Raised", "Returned", "Returned"]


PAUSING = """
import os, signal, threading, time

got = []

def note(number, frame):
    got.append((number, frame.f_code.co_name))

def once():
    signal.signal(signal.SIGALRM, note)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    signal.pause()
    return got == [(signal.SIGALRM, "once")], signal.getsignal(signal.SIGALRM) is note

def from_a_thread():
    signal.signal(signal.SIGUSR1, note)
    began = time.monotonic()
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    signal.pause()
    return len(got), time.monotonic() - began >= 0.1

def many():
    signal.signal(signal.SIGALRM, note)
    signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
    for _ in range(30):
        signal.pause()
    signal.setitimer(signal.ITIMER_REAL, 0)
    return len(got) >= 30

def raised():
    def give_up(number, frame):
        raise KeyError(number)
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        signal.pause()
    except KeyError:
        return signal.getsignal(signal.SIGALRM) is give_up

def given_another():
    def first(number, frame):
        signal.signal(number, note)
    signal.signal(signal.SIGALRM, first)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    signal.pause()
    return signal.getsignal(signal.SIGALRM) is note

def without_end():
    signal.pause()

def in_vain():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    return [signal.sigtimedwait([signal.SIGUSR1], 0.012) for _ in range(20)]

def all_at_once():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    return signal.sigtimedwait(signal.valid_signals(), 0.03)

def in_time():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    os.kill(os.getpid(), signal.SIGUSR1)
    found = signal.sigtimedwait([signal.SIGUSR1], 0.03)
    return found.si_signo == signal.SIGUSR1, found.si_pid == os.getpid()

def too_long():
    signal.sigtimedwait([signal.SIGUSR1], 60)

def call(name):
    return globals()[name]()
"""
PAUSED = {
    "once": (True, True),
    "from_a_thread": (1, True),
    "many": True,
    "raised": True,
    "given_another": True,
    "in_vain": [None] * 20,
    "all_at_once": None,
    "in_time": (True, True),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there the clock uses SIGALRM")
@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_ticks_are_no_signals_to_a_program_that_waits_for_one(python: Path) -> None:
    program = Program(PAUSING, "call")
    with Sandbox(python) as sandbox:
        seen = {name: sandbox.run(program, [Call((name,))])[0] for name in PAUSED}
        found = {name: decode(one.value) for name, one in seen.items() if isinstance(one, Returned)}
        assert found == PAUSED, seen
        for name in ("without_end", "too_long"):
            assert sandbox.run(program, [Call((name,))], Limits(call_seconds=0.2)) == (
                TimedOut(0.2),
            )
