"""Hostile programs, run and judged from outside, in every tier that works on this machine."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

import assay_sandbox
from assay_sandbox import Sandbox
from assay_sandbox.tiers import ORDER
from support import processes
from support.hostile.__main__ import OWN_PROGRAMS
from support.hostile.judge import PROCESSOR_SECONDS_MAX, Hostile, judge, read_manifest
from support.waiting import eventually

OWN = {each.name: each for each in read_manifest(OWN_PROGRAMS)}
# One of every kind; the whole list is for the command line, it takes a minute per tier.
TELLING = (
    "control_plain",
    "allocate_shared",
    "fork_many",
    "read_secret",
    "write_everywhere",
    "connect_unix",
    "kill_around",
    "rare_calls",
)
ORDINARY = 65534
TESTS = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="what is left is looked for in /proc"
)


@pytest.mark.parametrize("hostile", OWN.values(), ids=lambda hostile: hostile.name)
def test_every_hostile_program_is_contained_in_the_strongest_tier(hostile: Hostile) -> None:
    assert judge(hostile, None).failed == ()


@pytest.mark.parametrize("tier", ORDER[1:])
@pytest.mark.parametrize("name", TELLING)
def test_the_telling_ones_are_contained_in_every_other_tier(
    in_tier: Callable[[str], Sandbox], tier: str, name: str
) -> None:
    in_tier(tier)
    assert judge(OWN[name], tier).failed == ()


def test_the_telling_ones_are_contained_for_an_ordinary_user() -> None:
    """Under an interpreter that everybody may run, as nobody in particular."""
    python = Path("/usr/bin/python3")
    if os.getuid() != 0:
        pytest.skip("the tests run as an ordinary user already")
    asking = [str(python), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    if not python.exists() or subprocess.run(asking, timeout=30, check=False).returncode:
        pytest.skip("there is no interpreter of 3.11 outside the folders of root")
    package = Path(assay_sandbox.__file__).parents[1]
    if not package.stat().st_mode & TESTS.stat().st_mode & 0o005:
        pytest.skip("an ordinary user cannot read the package")
    for name in TELLING:
        done = subprocess.run(
            [str(python), "-B", "-m", "support.hostile", "--only", name],
            env={"PATH": os.defpath, "PYTHONPATH": f"{package}:{TESTS}"},
            cwd="/",
            user=ORDINARY,
            group=ORDINARY,
            extra_groups=(),
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_what_others_have_of_the_machine_is_not_the_program_s() -> None:
    """Everybody is stopped while it loops, for longer than it may compute."""
    others = {each.pid for each in processes.below(os.getpid())}

    def of_the_trial() -> list[processes.Process]:
        return [each for each in processes.below(os.getpid()) if each.pid not in others]

    with ThreadPoolExecutor() as threads:
        sentence = threads.submit(judge, OWN["loop_in_c"], None)
        eventually(lambda: [each for each in of_the_trial() if each.processor_seconds > 0.9])
        stopped = [each.pid for each in of_the_trial()]
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            sleep(PROCESSOR_SECONDS_MAX + 1.0 if number == signal.SIGSTOP else 0.0)
        assert sentence.result().failed == ()
        assert sentence.result().seconds > PROCESSOR_SECONDS_MAX


# What the judge has to find: each program, and the check that it fails.
JUDGED = {
    "good": ("return 'CONTROL'", ["control_value", "status==ok"], []),
    "bad": ("return 'BREACH'", ["no_breach", "supervisor_ok"], ["no_breach"]),
    "orphaned": ("return 'CONTROL'", ["no_leftover", "supervisor_ok"], []),
}


def test_a_folder_of_programs_is_judged_one_json_line_each(tmp_path: Path) -> None:
    manifest: list[dict[str, object]] = []
    for name, (body, checks, _failed) in JUDGED.items():
        (tmp_path / f"{name}.py").write_text(f"def f(ctx):\n    {body}\n")
        entry: dict[str, object] = {"name": name, "file": f"{name}.py", "checks": checks}
        manifest.append(entry | ({"harness_action": "kill"} if name == "orphaned" else {}))
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    done = subprocess.run(
        [sys.executable, "-m", "support.hostile", "--hostile", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["name"], line["failed"]) for line in lines] == [
        (name, failed) for name, (_body, _checks, failed) in JUDGED.items()
    ]


LEAVING = """
import os, sys, threading, time
from pathlib import Path

def leave():
    number = 0
    while True:
        number += 1
        Path(f"/dev/shm/assay-test-{number}").write_text("left")
        time.sleep(0.05)

threading.Thread(target=leave, daemon=True).start()
sys.argv = ["", "--only", "exit_hard"]
from support.hostile.__main__ import main
os._exit(main())
"""
# A /dev/shm of its own: what is left in it is nothing to the trials of other tests.
ALONE = (
    *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c"),
    'mount -t tmpfs none /dev/shm && exec "$@"',
    "sh",
)


def test_shared_memory_that_is_left_behind_is_named_whatever_the_manifest_lists() -> None:
    try:
        subprocess.run([*ALONE, "true"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no /dev/shm to be had that is nobody else's")
    done = subprocess.run(
        [*ALONE, sys.executable, "-c", LEAVING],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "left behind: shared memory (/dev/shm/assay-test-" in done.stdout
