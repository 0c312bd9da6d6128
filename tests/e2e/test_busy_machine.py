"""A machine that is busy, or halts for a while, changes nothing in a report, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
# Their functions are trusted, accused and ambiguous.
CHECKED = ("calendars.py",)
BUSY = "while True: pass"
FORKING = """
import os
while True:
    child = os.fork()
    if not child:
        bytearray(1 << 22)
        os._exit(0)
    os.waitpid(child, 0)
"""
WRITING = """
import os, sys
while True:
    with open(sys.argv[1], "wb") as file:
        file.write(os.urandom(1 << 22))
        os.fsync(file.fileno())
"""
HALTS = 6
HALT_SECONDS = 0.7


def keep_on_one_core(process: int) -> None:
    """All that is slowed, and all that slows it, share a core: the others are for other tests."""
    os.sched_setaffinity(process, {min(os.sched_getaffinity(0))})


@contextmanager
def busy(folder: Path) -> Iterator[None]:
    programs = [*[(BUSY,)] * 4, (FORKING,), (WRITING, str(folder / "written"))]
    started = [subprocess.Popen([sys.executable, "-c", *each]) for each in programs]
    for each in started:
        keep_on_one_core(each.pid)
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


def report(folder: Path, *, halts: int = 0) -> bytes:
    """What a check of the examples prints; on a core of its own, with sandboxes halted so often."""
    folder.mkdir()
    environment = os.environ | {"ASSAY_STORE": str(folder / "store.db")}
    replies = ("--replay", str(EXAMPLES / "replies.jsonl"))
    check = subprocess.Popen(
        [sys.executable, "-m", "assay_engine", "check", *CHECKED, *replies, "--format", "json"],
        cwd=EXAMPLES,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    if halts:
        keep_on_one_core(check.pid)
    for _ in range(halts):
        time.sleep(HALT_SECONDS)
        with suppress(psutil.NoSuchProcess):
            halted = psutil.Process(check.pid).children(recursive=True)
            for each in halted:
                with suppress(psutil.NoSuchProcess):
                    each.suspend()
            time.sleep(HALT_SECONDS)
            for each in halted:
                with suppress(psutil.NoSuchProcess):
                    each.resume()
    printed = check.communicate(timeout=300)[0]
    assert check.returncode == 1
    return printed


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="this system ties no process to a core"
)
def test_reports_of_a_busy_machine_are_those_of_an_idle_one(tmp_path: Path) -> None:
    idle = report(tmp_path / "idle")
    with busy(tmp_path):
        assert report(tmp_path / "busy", halts=HALTS) == idle
