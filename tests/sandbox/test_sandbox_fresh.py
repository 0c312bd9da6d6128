"""Fresh workers: the same answers without a zygote, and CPython under WebAssembly."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
from assay_sandbox.fresh import seatbelt, wasi
from assay_sandbox.fresh.children import FreshWorkers, completed, popen
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
        with pytest.raises(SandboxUnavailable, match=reason) as caught:
            completed(command, {}, 30.0, ("Do this.",))
        assert caught.value.remedies == ("Do this.",)
    assert "version" in completed([*LAUNCH.fresh_command(), "hello"], {}, 30.0, ())


# WebAssembly: small modules first, which stand for a guest that misbehaves.

needs_wasmtime = pytest.mark.skipif(
    importlib.util.find_spec("wasmtime") is None, reason="wasmtime is not installed"
)
IMPORTS = '(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))'
GUESTS = {
    "loops": ('(func (export "_start") (loop $on (br $on)))', 71),
    "traps": ('(func (export "_start") unreachable)', 72),
    "ends": ('(func (export "_start") (call $exit (i32.const 5)))', 5),
    "grows": (
        # 1600 pages of 64 KB are more than it may have: the answer is -1.
        '(func (export "_start") i32.const 8 i32.const 1600 memory.grow i32.add call $exit)',
        7,
    ),
    "reacts": (
        '(func (export "_initialize")) (func (export "run") (result i32) (i32.const 9))',
        9,
    ),
}


@needs_wasmtime
@pytest.mark.parametrize("name", GUESTS)
def test_a_guest_is_held_to_its_time_and_memory(name: str, tmp_path: Path) -> None:
    body, status = GUESTS[name]
    module, compiled = tmp_path / "guest.wat", tmp_path / "guest.cwasm"
    module.write_text(f'(module {IMPORTS} (memory (export "memory") 1) {body})')
    host = [sys.executable, "-I", str(wasi.HOST)]
    subprocess.run(
        [*host, "compile", json.dumps({"module": str(module), "compiled": str(compiled)})],
        check=True,
        timeout=60,
    )
    job = {
        "compiled": str(compiled),
        "serves": False,
        "memory_bytes": 64 << 20,
        "seconds": 1.0,
        "argv": ["guest"],
        "environment": {},
        "folders": [],
    }
    done = subprocess.run([*host, "run", json.dumps(job)], timeout=60, check=False)
    assert done.returncode == status


def test_sandboxes_that_start_together_share_the_library_of_an_installed_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifacts = tmp_path / wasi.PACKAGE / wasi.ARTIFACTS
    artifacts.mkdir(parents=True)
    (artifacts / "python.wasm").write_bytes(b"")
    (artifacts / "MANIFEST").write_text("python 3.13.1\n", encoding="utf-8")
    (artifacts / "python-stdlib.zip").write_bytes(bytes(8 << 20))
    monkeypatch.syspath_prepend(str(tmp_path))
    cache = tmp_path / "cache"
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: wasi.installed(cache), range(8)))
    assert len(set(found)) == 1
    assert found[0] is not None
    assert found[0].library is not None
    (kept,) = found[0].library.iterdir()
    assert kept.name == "python313.zip"
    assert kept.stat().st_size == 8 << 20


def test_a_build_that_is_not_there_is_named(tmp_path: Path) -> None:
    if importlib.util.find_spec("wasmtime") is None:
        missing, reason = None, "wasmtime is not installed"
    else:
        missing, reason = wasi.WasiPython(tmp_path / "python.wasm"), "python.wasm does not exist"
    with pytest.raises(SandboxUnavailable, match=reason) as caught:
        wasi.prepare(missing, tmp_path / "cache", Surroundings(), ())
    assert caught.value.remedies


@needs_wasmtime
def test_what_others_could_have_written_is_not_executed(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    (tmp_path / "python.wasm").touch()
    build = wasi.WasiPython(tmp_path / "python.wasm")
    with pytest.raises(SandboxUnavailable, match="others may write"):
        wasi.prepare(build, tmp_path / "cache", Surroundings(), ())


def test_a_build_is_named_by_the_environment() -> None:
    assert wasi.named({}) is None
    assert wasi.named({"ASSAY_WASI_PYTHON": "/p.wasm", "ASSAY_WASI_LIBRARY": "/lib"}) == (
        wasi.WasiPython(Path("/p.wasm"), Path("/lib"))
    )


@pytest.fixture(scope="module")
def in_wasm() -> Iterator[Sandbox]:
    if "ASSAY_WASI_PYTHON" not in os.environ:
        pytest.skip("ASSAY_WASI_PYTHON names no build of CPython for WASI")
    with Sandbox(tier="W", workers=1) as sandbox:
        sandbox.start()
        yield sandbox


def test_cpython_in_wasm_answers_as_elsewhere(in_wasm: Sandbox) -> None:
    text = (
        "import decimal\n"
        "def f(x):\n    print(x)\n    return {x: [decimal.Decimal(x), (x, 1.5), {x}]}\n"
    )
    calls = [Call((number,)) for number in range(300)]
    with Sandbox() as native:
        assert in_wasm.run(Program(text, "f"), calls) == native.run(Program(text, "f"), calls)


def test_cpython_in_wasm_is_held_to_its_limits(in_wasm: Sandbox) -> None:
    text = (
        "import os\n"
        "def f(what):\n"
        "    if what == 'loop':\n        while True: pass\n"
        "    if what == 'fill':\n        return len([bytearray(1 << 20) for _ in range(1000)])\n"
        "    if what == 'list':\n        return os.listdir('/')\n"
        "    if what == 'write':\n        open('/worker/new', 'w')\n"
        "    return sorted(os.environ)\n"
    )
    calls = [Call((what,)) for what in ("loop", "fill", "list", "write", "environment")]
    limits = Limits(call_seconds=1.0, total_seconds=100.0, memory_bytes=128 << 20)
    looped, filled, listed, written, environment = in_wasm.run(Program(text, "f"), calls, limits)
    assert looped == TimedOut(1.0)
    assert filled == OutOfMemory(128 << 20)
    assert isinstance(listed, Raised)
    assert not isinstance(written, Returned)
    assert isinstance(environment, Returned)
    assert environment.value == '["PYTHONHASHSEED","TZ"]'
