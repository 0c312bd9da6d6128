"""Processes: what is left afterwards, what killing does, and which interpreters work."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    InterpreterUnusable,
    Limits,
    Observation,
    Program,
    Returned,
    Sandbox,
    SandboxUnavailable,
    Surroundings,
    canaries,
    decode,
    encode,
    tiers,
)
from support import processes
from support.interpreters import interpreters
from support.waiting import eventually

SQUARE = Program("def f(x):\n    return x * x\n", "f")
CALLS = tuple(Call((number,)) for number in range(200))
SQUARES = [encode(number * number) for number in range(200)]


CROWDED = """
import json, os, subprocess, sys
from assay_sandbox import Call, Limits, Program, Sandbox

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
# As polite as the programs, and gone when the parent is.
busy = "import os\\nos.nice(5)\\nparent = os.getppid()\\nwhile os.getppid() == parent: pass"
others = [subprocess.Popen([sys.executable, "-I", "-S", "-c", busy]) for _ in range(10)]
source = '''
import signal, time
def f(what):
    if what == "work":
        began = time.process_time()
        while time.process_time() - began < 0.15:
            pass
    elif what == "deaf":
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        time.sleep(60)
    elif what == "sleep":
        time.sleep(60)
    elif what == "loop":
        while True:
            pass
    return what
'''
try:
    with Sandbox(workers=1) as sandbox:
        calls = [Call((what,)) for what in ("work", "sleep", "loop", "work", "deaf", "work")]
        limits = Limits(call_seconds=0.2, total_seconds=100.0, timeouts_before_giving_up=9)
        seen = sandbox.run(Program(source, "f"), calls, limits)
finally:
    for other in others:
        other.kill()
        other.wait()
print(json.dumps([type(each).__name__ for each in seen]))
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes cannot be pinned here")
def test_a_call_is_charged_its_own_time_and_not_that_of_ten_others_on_its_core() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CROWDED], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    kinds = ["Returned", "TimedOut", "TimedOut", "Returned", "TimedOut", "Returned"]
    assert json.loads(done.stdout) == kinds


def values(seen: tuple[Observation, ...]) -> list[object]:
    return [each.value if isinstance(each, Returned) else each for each in seen]


def test_closing_leaves_no_process_and_no_descriptor() -> None:
    mine = os.getpid()
    # Other tests of this process may have left theirs, multiprocessing's tracker for one.
    before = {(each.pid, each.started) for each in processes.below(mine)}
    descriptors = len(os.listdir("/proc/self/fd"))
    with Sandbox() as sandbox:
        sandbox.run_many((SQUARE,) * 5, CALLS)
        sandbox.run(Program("def f(x):\n    while True: pass\n", "f"), CALLS[:2], Limits(0.2))
        started = [e for e in processes.below(mine) if (e.pid, e.started) not in before]
        assert started
    # What has been killed takes the kernel a moment; nothing but that may be waited for.
    ends = time.monotonic() + 10.0
    while any(map(processes.alive, started)):
        assert time.monotonic() < ends
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_a_closed_sandbox_says_so() -> None:
    sandbox = Sandbox()
    sandbox.close()
    with pytest.raises(SandboxUnavailable, match="closed"):
        sandbox.run(SQUARE, CALLS)


def test_constructing_a_sandbox_starts_nothing() -> None:
    before = processes.below(os.getpid())
    Sandbox().close()
    assert len(processes.below(os.getpid())) <= len(before)


def test_the_death_of_the_caller_is_the_death_of_its_programs() -> None:
    source = (
        "from assay_sandbox import *\n"
        "p = Program('import time\\ndef f():\\n    print(1)\\n    time.sleep(60)\\n', 'f')\n"
        "s = Sandbox()\ns.start()\nprint('began', flush=True)\n"
        "s.run(p, [Call()], Limits(call_seconds=60, total_seconds=60))\n"
    )
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == b"began\n"
        time.sleep(0.5)
        started = processes.below(caller.pid)
        caller.kill()
    assert len(started) >= 2
    eventually(lambda: not [process for process in started if processes.alive(process)])


def kill_all_but(others: Sequence[processes.Process]) -> None:
    """Kill the processes below this one, but for `others`: those are not the sandbox's."""
    kept = {process.pid for process in others}
    for process in processes.below(os.getpid()):
        # The end of one takes others with it, before it is their turn.
        with contextlib.suppress(ProcessLookupError):
            if process.pid not in kept:
                os.kill(process.pid, signal.SIGKILL)


def test_a_lost_zygote_is_replaced_and_nothing_is_lost() -> None:
    others = processes.below(os.getpid())
    with Sandbox(workers=2) as sandbox:
        sandbox.start()
        kill_all_but(others)
        assert values(sandbox.run(SQUARE, CALLS)) == SQUARES


def test_finding_a_tier_makes_no_file_that_could_stay_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    # As in a process that has not asked for it yet.
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = tmp_path.stat().st_mtime_ns
    with Sandbox() as sandbox:
        assert {canary.name: canary.held for canary in sandbox.tier.canaries}["write"]
    assert tmp_path.stat().st_mtime_ns == before


def test_a_tier_without_files_is_found_before_its_modules_are_there_and_runs_nothing_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = canaries.CANARIES.source.replace(
        "return sorted([number, 1])",
        # In two parts: programs that look at what is loaded find all of it.
        "loaded = vars(os.sys)['mod' 'ules']\n"
        "    return sorted([number, 1]) if 'unittest.mock' not in loaded else None",
    )
    assert text != canaries.CANARIES.source
    monkeypatch.setattr(canaries, "CANARIES", Program(text, "attempt"))
    program = Program("import unittest.mock\ndef f(x):\n    return unittest.mock.__name__\n", "f")
    others = processes.below(os.getpid())
    with Sandbox(tier="S") as sandbox:
        sandbox.start()
        assert values(sandbox.run(program, [Call((1,))])) == [encode("unittest.mock")]
        kill_all_but(others)
        assert values(sandbox.run(program, [Call((1,))])) == [encode("unittest.mock")]


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_the_worker_runs_under_every_interpreter_there_is(python: Path) -> None:
    program = Program(
        "import dataclasses, sys, decimal\n"
        "@dataclasses.dataclass\nclass Point:\n    x: int\n"
        "async def f(x):\n    return [Point(x), decimal.Decimal(x), {x}, sys.version_info[:2]]\n",
        "f",
    )
    with Sandbox(python) as sandbox:
        (seen,) = sandbox.run(program, [Call((1,))])
        (lines,) = sandbox.run_covered(SQUARE, [Call((2,))])
    assert isinstance(seen, Returned)
    major, minor = decode(seen.value)[3]
    assert python.name.endswith(f"{major}.{minor}")
    assert lines.lines == (2,)


def test_an_interpreter_that_is_none_is_named() -> None:
    for wrong in (Path("/nowhere/python"), Path("/bin/true"), Path("/etc/passwd")):
        with Sandbox(wrong) as sandbox, pytest.raises(InterpreterUnusable, match=str(wrong)):
            sandbox.start()


def test_the_same_surroundings_give_the_same_answers() -> None:
    program = Program(
        "import datetime, random, time\n"
        "def f():\n"
        "    now = datetime.datetime.now()\n"
        "    return [hash('text'), random.random(), time.time(), now, datetime.date.today(),\n"
        "            isinstance(now, datetime.datetime), list({'a', 'b', 'c', 'd'})]\n",
        "f",
    )
    around = Surroundings(hash_seed=3, random_seed=5, frozen_time=1_600_000_000.0)
    found: list[Observation] = []
    for _ in range(2):
        with Sandbox(surroundings=around) as sandbox:
            found += sandbox.run(program, [Call(), Call()])
    assert isinstance(found[0], Returned)
    assert [each == found[0] for each in found] == [True] * 4
    assert decode(found[0].value)[2] == 1_600_000_000.0


def test_nothing_of_the_environment_reaches_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SECRET_FOR_TEST", "secret")
    program = Program("import os\ndef f():\n    return sorted(os.environ)\n", "f")
    with Sandbox() as sandbox:
        (seen,) = sandbox.run(program, [Call()])
    assert isinstance(seen, Returned)
    assert "ASSAY_SECRET_FOR_TEST" not in seen.value
    assert "HOME" not in decode(seen.value)


def test_the_tier_is_the_one_whose_canaries_were_held() -> None:
    with Sandbox() as sandbox:
        report = sandbox.tier
    assert report.name in tiers.ORDER
    assert all(canary.held for canary in report.canaries)
    assert {canary.name for canary in report.canaries} >= {"control", "read", "write", "fork"}


def test_without_confinement_nothing_runs_unless_the_setting_says_so() -> None:
    with Sandbox(tier="none") as refused, pytest.raises(SandboxUnavailable) as caught:
        refused.run(SQUARE, CALLS)
    assert caught.value.remedies
    with Sandbox(unconfined=True) as allowed:
        assert values(allowed.run(SQUARE, CALLS)) == SQUARES
        assert allowed.tier.name == "none"
        assert "NOT CONFINED" in allowed.tier.description


def test_a_tier_whose_canary_escapes_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    # "none" stands in for a tier that is there and holds nothing back.
    monkeypatch.setattr(tiers, "ORDER", ("none",))
    with Sandbox() as sandbox, pytest.raises(SandboxUnavailable) as caught:
        sandbox.run(SQUARE, CALLS)
    assert "none: read succeeded" in caught.value.reason


POOR = """
import resource
from assay_sandbox import Call, Program, Sandbox, WorkerLost

program = Program("def f():\\n    return 1\\n", "f")
with Sandbox(workers=1) as sandbox:
    sandbox.run(program, [Call()])
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, usual[1]))
    try:
        sandbox.run(program, [Call()])
    except WorkerLost as lost:
        print("lost:", lost.in_full())
    resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    (seen,) = sandbox.run(program, [Call()])
    print(seen.value)
"""


def test_a_process_without_descriptors_is_told_so_and_can_go_on() -> None:
    run = subprocess.run(
        [sys.executable, "-c", POOR], capture_output=True, text=True, timeout=90, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "lost: programs cannot be run" in run.stdout
    assert "Try again" in run.stdout
    assert run.stdout.endswith("\n1\n")


@pytest.mark.parametrize("said", ["nonsense", "[1, 2]", "[" * 100_000, ""])
def test_an_interpreter_that_says_nonsense_is_unusable(tmp_path: Path, said: str) -> None:
    answer = tmp_path / "answer"
    answer.write_text(said, encoding="utf-8")
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexec cat '{answer}'\n", encoding="utf-8")
    python.chmod(0o755)
    # The tier that asks the interpreter for its libraries before anything else.
    with Sandbox(python, tier="B") as sandbox, pytest.raises(InterpreterUnusable) as caught:
        sandbox.start()
    assert "cannot say where its libraries are" in caught.value.in_full()
    assert "Choose another" in caught.value.in_full()


@pytest.mark.parametrize(
    "bound", [{"total_seconds": float("inf")}, {"call_seconds": float("nan")}, {"memory_bytes": 0}]
)
def test_limits_have_an_end(bound: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(bound))} must be positive and finite"):
        Limits(**bound)  # pyright: ignore[reportArgumentType]
