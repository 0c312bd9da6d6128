"""Fresh workers: the same answers without a zygote."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import BoundedSemaphore

import pytest

from assay_sandbox import (
    Call,
    Crashed,
    Limits,
    LoadFailed,
    Observation,
    OutOfMemory,
    Program,
    Raised,
    Returned,
    Sandbox,
    SandboxUnavailable,
    Surroundings,
    TimedOut,
    decode,
    encode,
    wire,
)
from assay_sandbox.batches import Batch, Task
from assay_sandbox.frames import SharedValues
from assay_sandbox.fresh import seatbelt
from assay_sandbox.fresh.children import FreshWorkers, popen
from assay_sandbox.places import Place
from assay_sandbox.pool import drive
from assay_sandbox.workers import WorkerSource
from assay_sandbox.zygotes import Interpreter, Launch
from support import processes
from support.places import placed
from support.waiting import eventually

LAUNCH = Launch(Interpreter(Path(sys.executable)), "none", Surroundings())
LIMITS = Limits(call_seconds=0.5, total_seconds=60.0)
PROGRAM = """
import os, time, sys

def f(what, *more):
    if what == "echo":
        print("said", *more)
        return list(more)
    if what == "raise":
        raise KeyError(*more)
    if what == "loop":
        while True:
            pass
    if what == "exit":
        os._exit(3)
    if what == "fill":
        kept = [bytearray(1 << 20) for _ in range(400)]
        time.sleep(30)
    if what == "scribble":
        os.write(1, b"x" * 100)
        return 1
    if what == "input":
        return sys.stdin.read()
    return hash("text")
"""


@pytest.fixture
def source() -> Iterator[FreshWorkers]:
    """Unconfined: these programs are ours, and what is shown is the transport."""
    workers = FreshWorkers(
        lambda _limits: popen(LAUNCH.fresh_command(), LAUNCH.environment()),
        seatbelt.resident_bytes,
    )
    yield workers
    workers.close()


def run(
    source: WorkerSource,
    calls: list[Call],
    limits: Limits = LIMITS,
    text: str = PROGRAM,
    place: Place | None = None,
) -> list[Observation]:
    inputs = source.hold(wire.inputs_bytes(calls))
    program = Program(text, "f", place)
    batch = Batch(Task(program, inputs, len(calls), limits, SharedValues()), source)
    return [
        observation
        for _number, answers in drive((batch,), BoundedSemaphore(1), lambda: False)
        for observation in answers.observations
    ]


def test_a_fresh_worker_answers_call_by_call_and_goes_on_after_each_end(
    source: FreshWorkers,
) -> None:
    calls = [
        Call(("echo", 1, "two")),
        Call(("raise", "k")),
        Call(("exit",)),
        Call(("loop",)),
        Call(("input",), stdin="typed"),
        Call(("scribble",)),
        Call(("echo",)),
    ]
    echoed, raised, ended, looped, typed, scribbled, last = run(source, calls)
    assert isinstance(echoed, Returned)
    assert (echoed.value, echoed.stdout) == ('[1,"two"]', "said 1 two\n")
    assert isinstance(raised, Raised)
    assert raised.type_name == "KeyError"
    assert ended == Crashed("ended itself with status 3")
    assert looped == TimedOut(0.5)
    assert isinstance(typed, Returned)
    assert typed.value == '"typed"'
    assert isinstance(scribbled, Crashed)
    assert "nonsense on the wire" in scribbled.how
    assert isinstance(last, Returned)


def test_many_calls_arrive_in_order(source: FreshWorkers) -> None:
    calls = [Call(("echo", "x" * 500, number)) for number in range(2000)]
    seen = run(source, calls)
    wanted = [encode(["x" * 500, number]) for number in range(2000)]
    assert [each.value for each in seen if isinstance(each, Returned)] == wanted


DRIBBLES = """
import gc, os, struct, time

(found,) = [each for each in gc.get_objects() if type(each).__name__ == "StreamWire"]

def f(x):
    import signal
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.write(1, struct.pack("<I16sI?", 1 << 20, found._token, 0, False))
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        time.sleep(0.02)
        os.write(1, b"x")
    return "late"
"""


def test_a_frame_that_never_ends_gains_no_time(source: FreshWorkers) -> None:
    limits = Limits(call_seconds=0.2, total_seconds=60.0)
    assert run(source, [Call((1,))], limits, DRIBBLES) == [TimedOut(0.2)]


def test_memory_that_the_system_does_not_bound_is_watched(source: FreshWorkers) -> None:
    limits = Limits(call_seconds=20.0, total_seconds=60.0, memory_bytes=200 << 20)
    seen = run(source, [Call(("fill",)), Call(("echo",))], limits)
    assert seen[0] == OutOfMemory(200 << 20)
    assert isinstance(seen[1], Returned)


def test_a_text_that_does_not_load_is_said_for_every_call(source: FreshWorkers) -> None:
    seen = run(source, [Call(()), Call(())], text="def f(:\n")
    assert [type(each) for each in seen] == [LoadFailed, LoadFailed]


GIVEN_AWAY = """
import datetime, decimal, enum, fractions, re

class Colour(enum.Enum):
    RED = 1

def f():
    day, share = datetime.date(2020, 1, 2), fractions.Fraction(1, 3)
    return [Colour.RED, day, decimal.Decimal("0.10"), share, re.I]
"""
DAYS = """
import calendar

def f():
    return min(calendar.Calendar().itermonthdates(2020, 1))
"""
PRICE = '{"scalar":["decimal.Decimal","0.10"]}'


@pytest.mark.parametrize(
    ("text", "files", "given", "value"),
    [
        (
            "from neighbour import f",
            {"neighbour.py": GIVEN_AWAY},
            (),
            (
                '[{"member":["neighbour.Colour","RED"]},{"scalar":["datetime.date","2020-01-02"]},'
                f'{PRICE},{{"scalar":["fractions.Fraction","1/3"]}},'
                '{"member":["re.RegexFlag","IGNORECASE"]}]'
            ),
        ),
        (DAYS, {}, (), '{"scalar":["datetime.date","2019-12-30"]}'),
        ("def f(given):\n    return given", {}, (decode(PRICE),), PRICE),
    ],
    ids=["a neighbour's", "another module's", "an argument"],
)
def test_what_a_program_does_not_name_is_told_in_a_first_run_as_in_any_other(
    source: FreshWorkers,
    text: str,
    files: dict[str, str],
    given: tuple[object, ...],
    value: str,
    tmp_path: Path,
) -> None:
    calls = [Call(given)]
    place = placed(tmp_path, files) if files else None

    first = run(source, calls, text=text, place=place)
    with Sandbox() as sandbox:
        later = [sandbox.run(Program(text, "f", place), calls)[0] for _ in range(3)]

    assert [*first, *later] == [Returned(value)] * 4


def test_closing_ends_what_runs_and_refuses_what_comes(source: FreshWorkers) -> None:
    before = len(os.listdir("/proc/self/fd"))
    # Other tests of this process may have left theirs, multiprocessing's tracker for one.
    known = {(each.pid, each.started) for each in processes.below(os.getpid())}
    run(source, [Call(("echo",))])
    source.close()
    with pytest.raises(SandboxUnavailable, match="closed"):
        run(source, [Call(("echo",))])
    left = [e for e in processes.below(os.getpid()) if (e.pid, e.started) not in known]
    assert not [each for each in left if processes.alive(each)]
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_fresh_worker_ends_with_its_host() -> None:
    caller_text = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "p.stdin.write(bytes.fromhex(sys.argv[1])); p.stdin.flush()\n"
        "print(p.stdout.read(1)[:0].decode() + 'began', flush=True)\ntime.sleep(60)\n"
    )
    program = wire.program_text(
        Program("import time\ndef f():\n    time.sleep(60)\n", "f"),
        Limits(call_seconds=60.0, total_seconds=60.0),
        Surroundings(),
        start=0,
        token=bytes(wire.TOKEN_BYTES),
    )
    inputs = wire.inputs_bytes([Call()])
    job = len(program).to_bytes(8, "little") + len(inputs).to_bytes(8, "little") + program + inputs
    with subprocess.Popen(
        [sys.executable, "-c", caller_text, job.hex(), *LAUNCH.fresh_command()],
        stdout=subprocess.PIPE,
    ) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == b"began\n"
        started = processes.below(caller.pid)
        assert started
        caller.kill()
    eventually(lambda: not any(map(processes.alive, started)))


def test_the_complaint_of_what_does_not_start_is_passed_on() -> None:
    failing = [sys.executable, "-c", "import sys; sys.exit('profile refused')"]
    for command, reason in ((failing, "profile refused"), (["/no/such"], "cannot be started")):
        with pytest.raises(SandboxUnavailable, match=reason):
            seatbelt.see_start(command, {})
    seatbelt.see_start([*LAUNCH.fresh_command(), "hello"], {})
