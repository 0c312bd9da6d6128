"""What is killed at random: children, zygotes, what stands between, and the caller itself."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Crashed,
    Observation,
    Program,
    Returned,
    Sandbox,
    SandboxError,
    SandboxUnavailable,
    encode,
)
from support import processes, remains
from support.waiting import DEADLINE_SECONDS, eventually

# Many rounds take longer than tests may; a hang is still found.
KILL_ROUNDS = int(os.environ.get("ASSAY_KILL_ROUNDS", "24"))
CALLER_ROUNDS = min(KILL_ROUNDS // 2, 500)
# Where no process came to be four times in a row, the run says so.
SKIPPED = 0.15
SQUARE = Program("def f(x):\n    return x * x\n", "f")
CALLS = tuple(Call((number,)) for number in range(200))
SQUARES = [encode(number * number) for number in range(200)]
# With the time that starting takes in a round.
ROUNDS_PER_KILL = 0.75
# Warm rounds are many times shorter: there are as many as it takes to kill this often.
KILLS = KILL_ROUNDS // 4
# What a kill yields: of the child, and four times in a row of its zygote.
KILLED = (Crashed("ended by SIGKILL"), Crashed("took its zygote with it"))

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="processes are found in /proc"
)


def _wrong(seen: tuple[Observation, ...]) -> list[tuple[int, Observation]]:
    """Answers that neither are right nor say that somebody killed."""
    return [
        (number, observation)
        for number, (expected, observation) in enumerate(zip(SQUARES, seen, strict=True))
        if not (
            observation.value == expected
            if isinstance(observation, Returned)
            else observation in KILLED
        )
    ]


@pytest.mark.timeout(120 + KILL_ROUNDS)
def test_random_kills_give_no_wrong_answer_no_hang_and_no_orphan() -> None:
    """Children, zygotes and what stands between are killed at random while batches run.

    A killed child is that call's crash; every other answer has to be right. How long a round takes
    is measured: where nothing lives long enough to answer, a storm shows nothing.
    """
    began = time.monotonic()
    with Sandbox(workers=2) as calm:
        calm.run_many((SQUARE,) * 3, CALLS)
    pause = (time.monotonic() - began) * ROUNDS_PER_KILL
    stop = threading.Event()
    generator = random.Random(7)
    mine = os.getpid()
    others = {process.pid for process in processes.below(mine)}
    looks = killed = 0

    def storm() -> None:
        nonlocal looks, killed
        # Most come soon after one another, some long after.
        while not stop.wait(generator.expovariate(1 / pause)):
            victims = [each for each in processes.below(mine) if each.pid not in others]
            looks += 1
            if victims:
                victim = generator.choice(victims)
                # It can end between the look and the kill.
                with contextlib.suppress(ProcessLookupError):
                    if processes.alive(victim):
                        os.kill(victim.pid, signal.SIGKILL)
                        killed += 1

    killer = threading.Thread(target=storm)
    rounds = skipped = answered = 0
    with Sandbox(workers=2) as sandbox:
        sandbox.start()
        killer.start()
        try:
            while rounds < KILL_ROUNDS or killed < KILLS:
                rounds += 1
                try:
                    answers = sandbox.run_many((SQUARE,) * 3, CALLS)
                except SandboxError:
                    # Killed again and again while starting: said, not hidden.
                    skipped += 1
                    continue
                for seen in answers:
                    assert _wrong(seen) == []
                    answered += sum(isinstance(each, Returned) for each in seen)
                # A storm that has died down shows nothing.
                assert killer.is_alive()
        finally:
            stop.set()
            killer.join()
        assert _wrong(sandbox.run(SQUARE, CALLS)) == []
    assert skipped <= SKIPPED * rounds, f"{skipped} of {rounds} rounds, {killed} killed"
    # A worker that has lost its parent goes, too, and is not one that no look can find.
    assert killed > looks // 2
    # Most calls are answered nevertheless.
    assert answered > 0.5 * rounds * 3 * len(CALLS)
    eventually(lambda: {each.pid for each in processes.below(mine)} <= others)


def test_a_worker_that_is_killed_while_it_starts_is_started_again(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(
        f"#!/bin/sh\nif mkdir '{tmp_path}/killed' 2>/dev/null; then kill -9 $$; fi\n"
        f"exec '{sys.executable}' \"$@\"\n",
        encoding="utf-8",
    )
    python.chmod(0o755)
    with Sandbox(python) as sandbox:
        assert _wrong(sandbox.run(SQUARE, CALLS)) == []
        assert sandbox.tier.passed_over == ()
    assert (tmp_path / "killed").exists()


CALLER = """
import sys
from assay_sandbox import Call, Program, Sandbox

program = Program("def f(x):\\n    return x * x\\n", "f")
calls = [Call((number,)) for number in range(200)]
expected = [str(number * number) for number in range(200)]
print("began", flush=True)
while True:
    # Opened anew, so that some die while they start.
    with Sandbox(tier=sys.argv[1], workers=2) as sandbox:
        for _ in range(5):
            for seen in sandbox.run_many((program,) * 3, calls):
                if [getattr(each, "value", each) for each in seen] != expected:
                    print("wrong", seen, flush=True)
"""
# Takes in whoever loses a parent below it: if it has no children left, nobody is left.
KILLER = """
import ctypes, os, random, subprocess, sys, time

BECOME_THE_PARENT_OF_ORPHANS = 36
assert ctypes.CDLL(None).prctl(BECOME_THE_PARENT_OF_ORPHANS, 1, 0, 0, 0) == 0
rounds, seconds, *caller = int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:]
generator = random.Random(11)
most = 0
for number in range(rounds):
    process = subprocess.Popen([sys.executable, "-c", *caller], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"began\\n"
    time.sleep(generator.uniform(0.0, 0.4))
    assert process.poll() is None, f"round {number}: the caller has ended by itself"
    process.kill()
    ended = time.monotonic()
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if not pid:
            assert time.monotonic() < ended + seconds, f"round {number}: somebody lives on"
            time.sleep(0.002)
    most = max(most, time.monotonic() - ended)
    process.returncode = 0
    said = process.stdout.read()
    assert said == b"", f"round {number}: {said[:1000]}"
print(f"{rounds} callers killed; the last of what was theirs was gone after {most:.3f} s")
"""


@pytest.mark.timeout(120 + 3 * CALLER_ROUNDS)
@pytest.mark.parametrize("tier", ["N", "L"])
def test_random_kills_of_the_caller_leave_nothing_behind(tmp_path: Path, tier: str) -> None:
    try:
        with Sandbox(tier=tier) as sandbox:
            sandbox.start()
    except SandboxUnavailable as error:
        pytest.skip(f"tier {tier} is not to be had here: {error.reason}")
    before = remains.on_this_machine()
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(CALLER_ROUNDS), str(DEADLINE_SECONDS), CALLER, tier],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    eventually(lambda: remains.since(before) == {})
