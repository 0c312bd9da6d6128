"""A busy machine changes nothing: what a program does not get does not count as its time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore

import pytest

from assay_sandbox import (
    Call,
    Limits,
    Observation,
    Program,
    Returned,
    Sandbox,
    TimedOut,
    batches,
    canaries,
    wire,
)
from assay_sandbox.batches import Batch, Task
from assay_sandbox.children import ForkedChildren
from assay_sandbox.frames import SharedValues
from assay_sandbox.keeping import Zygotes
from assay_sandbox.packages import Imports
from assay_sandbox.pool import drive
from assay_sandbox.programs import Surroundings
from assay_sandbox.workers import NOTHING_USED, ProcessUsage
from assay_sandbox.zygotes import Interpreter, Launch

LAUNCH = Launch(Interpreter(Path(sys.executable)), "none", Surroundings())
# Longer than a child may take to load.
STOPPED_SECONDS = 7.0
BUSY_PROCESSES = 6

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="nothing is forked on this system"
)


@pytest.fixture
def source() -> Iterator[ForkedChildren]:
    children = ForkedChildren(Zygotes(LAUNCH))
    yield children
    children.close()


@contextmanager
def busy_processes(count: int) -> Generator[None]:
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in processes:
            each.kill()
            each.wait()


def answers_of(source: ForkedChildren, text: str, count: int) -> list[Observation]:
    limits = Limits()
    inputs = source.hold(wire.inputs_bytes([Call()] * count))
    batch = Batch(Task(Program(text, "f"), inputs, count, limits, SharedValues()), source)
    found: list[Observation] = []
    for _number, answers in drive((batch,), BoundedSemaphore(1), lambda: False):
        assert answers.first == len(found)
        found += answers.observations
    return found


def test_a_zygote_that_was_stopped_for_a_while_has_cost_no_program_its_time(
    source: ForkedChildren,
) -> None:
    zygote = source._zygotes.get(None, Imports())
    os.kill(zygote.pid, signal.SIGSTOP)
    threading.Timer(STOPPED_SECONDS, os.kill, (zygote.pid, signal.SIGCONT)).start()
    text = "import time\ndef f():\n    time.sleep(0.5)\n    return 2\n"
    assert answers_of(source, text, 1) == [Returned("2")]
    assert source._zygotes.get(None, Imports()) is zygote


COUNTING = """
import time
calls = []
def f():
    calls.append(0)
    time.sleep(0.02)
    return len(calls)
"""


def test_who_stands_in_for_a_program_that_was_lost_does_what_it_did(
    source: ForkedChildren,
) -> None:
    zygote = source._zygotes.get(None, Imports())
    threading.Timer(0.6, os.kill, (zygote.pid, signal.SIGKILL)).start()
    seen = answers_of(source, COUNTING, 60)
    assert seen == [Returned(str(number)) for number in range(1, 61)]
    assert source._zygotes.get(None, Imports()) is not zygote


def test_a_batch_has_its_time_however_long_that_takes() -> None:
    source = """
import time
def f():
    began = time.process_time()
    while time.process_time() - began < 0.04: pass
    return True
"""
    limits = Limits(total_seconds=1.0)
    with Sandbox(workers=1) as sandbox:
        sandbox.start()
        with busy_processes(BUSY_PROCESSES):
            seen = sandbox.run(Program(source, "f"), [Call()] * 12, limits)
        assert seen == (Returned("true"),) * 12
        # What is used up is the program's own.
        seen = sandbox.run(Program(source, "f"), [Call()] * 60, limits)
    assert seen[0] == Returned("true")
    assert seen[-1] == TimedOut(1.0, whole_batch=True)


@pytest.mark.parametrize(
    ("looks", "own"),
    [
        ([(1.0, ProcessUsage(0.9, waits=False, threads=1))], 0.9),
        ([(1.0, ProcessUsage(0.0, waits=False, threads=1))], 0.0),
        ([(1.0, NOTHING_USED), (8.0, NOTHING_USED)], 0.0),
        (
            [
                (0.1, ProcessUsage(0.0, waits=True, threads=1)),
                (0.2, ProcessUsage(0.0, waits=True, threads=1)),
            ],
            0.2,
        ),
        # Who was not looked at for long may have waited for the processor most of the time.
        ([(5.0, ProcessUsage(0.0, waits=True, threads=1))], batches.WAITED_MAX),
        ([(5.0, ProcessUsage(3.0, waits=True, threads=9))], 3.0),
        ([(1.0, None), (2.5, None)], 2.5),
    ],
)
def test_what_a_program_computes_and_waits_for_is_its_own_time(
    looks: list[tuple[float, ProcessUsage | None]], own: float
) -> None:
    clock = batches.Stopwatch()
    clock.begin(0.0)
    for now, usage in looks:
        clock.look(now, usage)
    assert clock.seconds == pytest.approx(own)
    usage = looks[-1][1]
    # Who computes has less time than who waits: only what nothing interrupts comes so far.
    computes = usage is not None and usage.seconds > 0
    times = batches.UNINTERRUPTED if computes else batches.PATIENCE
    assert not clock.overstays(own / times + 0.01, 0.0)
    assert clock.overstays(own / times - 0.01, 0.0)
    clock.take_back()
    assert clock.seconds == 0.0


def test_an_attempt_that_was_cut_off_was_not_held_back() -> None:
    assert not canaries._judge("fork", TimedOut(2.0)).held
