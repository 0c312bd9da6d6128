"""Children that are there ahead of their turn: confined and loaded with nothing until then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from threading import BoundedSemaphore

import pytest

from assay_sandbox import Call, Limits, Program, Returned, Sandbox, wire
from assay_sandbox.batches import Batch, Task
from assay_sandbox.children import ForkedChildren
from assay_sandbox.frames import SharedValues
from assay_sandbox.fresh.children import FreshWorkers, popen
from assay_sandbox.keeping import Zygotes
from assay_sandbox.pool import drive
from assay_sandbox.programs import Surroundings
from assay_sandbox.workers import WorkerSource
from assay_sandbox.zygotes import Interpreter, Launch
from support import processes
from support.waiting import DEADLINE_SECONDS, eventually

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="nothing is forked on this system"
)

LAUNCH = Launch(Interpreter(Path(sys.executable)), "none", Surroundings())
# A program that says when it was loaded, to whoever can see this machine's clock.
CLOCK = "import time\nloaded = time.monotonic()\ndef f(): return loaded\n"
WAIT_SECONDS = 0.5


@pytest.fixture(params=["forked", "fresh"])
def source(request: pytest.FixtureRequest) -> Iterator[WorkerSource]:
    """Unconfined: these programs are ours, and what is shown is when they begin."""
    workers: WorkerSource = (
        ForkedChildren(Zygotes(LAUNCH))
        if request.param == "forked"
        else FreshWorkers(lambda _limits: popen(LAUNCH.fresh_command(), LAUNCH.environment()))
    )
    yield workers
    workers.close()


def batch_of(source: WorkerSource, text: str, calls: list[Call]) -> Batch:
    inputs = source.hold(wire.inputs_bytes(calls))
    task = Task(Program(text, "f"), inputs, len(calls), Limits(), SharedValues())
    return Batch(task, source)


def only_value(batch: Batch) -> str:
    ((_number, answers),) = drive((batch,), BoundedSemaphore(1), lambda: False)
    (seen,) = answers.observations
    assert isinstance(seen, Returned), seen
    return seen.value


def test_a_program_is_not_loaded_before_its_turn(source: WorkerSource) -> None:
    batch = batch_of(source, CLOCK, [Call()])
    batch.prepare()
    time.sleep(WAIT_SECONDS)
    began = time.monotonic()
    assert float(only_value(batch)) >= began


def test_a_child_that_dies_while_it_waits_is_an_ending_like_any_other() -> None:
    source = ForkedChildren(Zygotes(LAUNCH))
    try:
        batch = batch_of(source, CLOCK, [Call()])
        before = {each.pid for each in processes.below(os.getpid())}
        batch.prepare()
        waiting = _forked_since(before)
        os.kill(waiting, signal.SIGKILL)
        ((_number, answers),) = drive((batch,), BoundedSemaphore(1), lambda: False)
        assert "ended by SIGKILL" in str(answers.observations)
    finally:
        source.close()


def _forked_since(before: set[int]) -> int:
    ends = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < ends:
        new = [each for each in processes.below(os.getpid()) if each.pid not in before]
        # The zygote, and its child.
        if len(new) == 2:
            return max(new, key=lambda each: each.started).pid
        time.sleep(0.01)
    raise AssertionError("no child")


def test_what_waits_goes_with_a_run_that_is_given_up() -> None:
    slow = Program("import time\ndef f(): time.sleep(0.01); return 1\n", "f")
    with Sandbox(workers=1) as sandbox:
        sandbox.run(slow, [Call()])
        before = {each.pid for each in processes.below(os.getpid())}
        descriptors = len(os.listdir("/proc/self/fd"))
        cancelled = threading.Event()
        threading.Timer(WAIT_SECONDS, cancelled.set).start()
        sandbox.run_many((slow,) * 3, [Call()] * 1000, cancelled=cancelled)
        eventually(lambda: {each.pid for each in processes.below(os.getpid())} <= before)
        assert len(os.listdir("/proc/self/fd")) == descriptors


SCARCE = """
import os, resource, sys
from assay_sandbox import Call, Program, Sandbox
from assay_sandbox.errors import WorkerLost

def opened():
    return len(os.listdir("/proc/self/fd"))

slow = Program("import time\\ndef f(): time.sleep(0.02); return 1\\n", "f")
with Sandbox(workers=1) as sandbox:
    sandbox.run(slow, [Call()])
    before = opened()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    failed = 0
    for more in range(4, 28):
        resource.setrlimit(resource.RLIMIT_NOFILE, (before + more, hard))
        try:
            sandbox.run_many([slow] * 3, [Call()] * 3)
        except (OSError, WorkerLost):
            failed += 1
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert opened() == before, (more, opened(), before)
    assert 0 < failed < 24, failed
"""


def test_nothing_is_left_open_by_a_child_that_could_not_be_made() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCARCE], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
