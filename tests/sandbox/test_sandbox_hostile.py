"""Hostile programs, run and judged from outside, in every tier that works on this machine."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from time import sleep

import pytest

import assay_sandbox
from assay_sandbox import Sandbox, SandboxUnavailable
from assay_sandbox.self_check import OWN_PROGRAMS, read_manifest
from assay_sandbox.tiers import ORDER
from assay_sandbox.trial import processes, remains
from assay_sandbox.trial.judge import PROCESSOR_SECONDS_MAX, Hostile, judge
from support.waiting import eventually

OWN = read_manifest(OWN_PROGRAMS)
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
linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="what is left is looked for in /proc"
)


@cache
def _works(tier: str) -> str:
    """Empty if the tier works here, otherwise why not."""
    try:
        with Sandbox(tier=tier) as sandbox:
            sandbox.start()
    except SandboxUnavailable as error:
        return error.reason
    return ""


@pytest.mark.parametrize("hostile", OWN, ids=lambda hostile: hostile.name)
def test_every_hostile_program_is_contained_in_the_strongest_tier(hostile: Hostile) -> None:
    assert judge(hostile, None).failed == ()


@linux_only
def test_what_others_have_of_the_machine_is_not_the_program_s() -> None:
    """Everybody is stopped while it loops, for longer than it may compute."""
    (hostile,) = [program for program in OWN if program.name == "loop_in_c"]
    others = {each.pid for each in processes.below(os.getpid())}

    def of_the_trial() -> list[processes.Process]:
        return [each for each in processes.below(os.getpid()) if each.pid not in others]

    with ThreadPoolExecutor() as threads:
        sentence = threads.submit(judge, hostile, None)
        eventually(lambda: [each for each in of_the_trial() if each.processor_seconds > 0.9])
        stopped = [each.pid for each in of_the_trial()]
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            sleep(PROCESSOR_SECONDS_MAX + 1.0 if number == signal.SIGSTOP else 0.0)
        assert sentence.result().failed == ()
        assert sentence.result().seconds > PROCESSOR_SECONDS_MAX


@pytest.mark.parametrize("tier", ORDER[1:])
@pytest.mark.parametrize("name", TELLING)
def test_the_telling_ones_are_contained_in_every_other_tier(tier: str, name: str) -> None:
    reason = _works(tier)
    if reason:
        pytest.skip(reason)
    if (tier, name) == ("W", "control_plain"):
        pytest.skip("the control starts a thread, which there is none of in WebAssembly")
    (hostile,) = [program for program in OWN if program.name == name]
    assert judge(hostile, tier).failed == ()


def _as_ordinary_user(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run this package under an interpreter that everybody may run, as nobody in particular."""
    python = Path("/usr/bin/python3")
    if os.getuid() != 0:
        pytest.skip("the tests run as an ordinary user already")
    if not python.exists():
        pytest.skip("there is no interpreter outside the folders of root")
    asked = subprocess.run(
        [str(python), "-c", "import sys; print(sys.version_info >= (3, 11))"],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    if asked.stdout.strip() != "True":
        pytest.skip("the system's interpreter is older than 3.11")
    package = Path(assay_sandbox.__file__).parent.parent
    if not package.stat().st_mode & 0o005:
        pytest.skip("an ordinary user cannot read the package")
    return subprocess.run(
        [str(python), "-B", *arguments],
        env={"PATH": os.defpath, "PYTHONPATH": str(package)},
        cwd="/",
        user=ORDINARY,
        group=ORDINARY,
        extra_groups=(),
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@pytest.mark.parametrize("name", TELLING)
def test_the_telling_ones_are_contained_for_an_ordinary_user(name: str) -> None:
    done = _as_ordinary_user(["-m", "assay_sandbox.self_check", "--only", name])
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_folder_of_programs_is_judged_one_json_line_each(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("def f(ctx):\n    return 'CONTROL'\n")
    (tmp_path / "bad.py").write_text("def f(ctx):\n    return 'BREACH'\n")
    manifest = [
        {"name": "good", "file": "good.py", "checks": ["control_value", "status==ok"]},
        {"name": "bad", "file": "bad.py", "checks": ["no_breach", "supervisor_ok"]},
        {
            "name": "orphaned",
            "file": "good.py",
            "checks": ["no_leftover", "supervisor_ok"],
            "harness_action": "kill_caller",
        },
    ]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    done = subprocess.run(
        [sys.executable, "-m", "assay_sandbox.self_check", "--hostile", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [(line["name"], line["contained"], line["failed"]) for line in lines] == [
        ("good", True, []),
        ("bad", False, ["no_breach"]),
        ("orphaned", True, []),
    ]


def _by_a_relative_path(tmp_path: Path, given: str) -> subprocess.CompletedProcess[str]:
    """The check by an interpreter that has the package from `PYTHONPATH=sandbox` alone."""
    (tmp_path / "sandbox").symlink_to(Path(assay_sandbox.__file__).parent.parent)
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "good.py").write_text("def f(ctx):\n    return 'CONTROL'\n")
    manifest = [{"name": "good", "file": "good.py", "checks": ["control_value", "status==ok"]}]
    (tmp_path / "programs" / "manifest.json").write_text(json.dumps(manifest))
    return subprocess.run(
        [os.path.realpath(sys.executable), "-B", "-c", given, "--hostile", "programs"],
        env={"PATH": os.defpath, "PYTHONPATH": "sandbox"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@linux_only
def test_relative_paths_lead_where_they_did_when_the_check_began(tmp_path: Path) -> None:
    check = "import sys; from assay_sandbox.self_check import main; sys.exit(main())"
    done = _by_a_relative_path(tmp_path, check)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["contained"] is True


@linux_only
def test_a_tool_that_does_not_start_is_no_verdict(tmp_path: Path) -> None:
    broken = """
import sys
from assay_sandbox import self_check
from assay_sandbox.trial import tool
tool.__name__ = "assay_sandbox.trial.nothing"
sys.exit(self_check.main())
"""
    done = _by_a_relative_path(tmp_path, broken)
    assert (done.returncode, done.stdout) == (2, "")
    assert "good could not be tried: the tool that runs it ended with status 1" in done.stderr


@linux_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_check_that_is_ended_leaves_no_folder(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "long.py").write_text("def f(ctx):\n    while True:\n        pass\n")
    manifest = [{"name": "long", "file": "long.py", "checks": ["status==ok"]}]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    # Not below that of the test: the name of a socket in it may not be long.
    with tempfile.TemporaryDirectory() as near:
        folders = Path(near)
        with subprocess.Popen(
            [sys.executable, "-m", "assay_sandbox.self_check", "--hostile", str(tmp_path)],
            env={**os.environ, "TMPDIR": near},
            start_new_session=True,
        ) as check:
            eventually(lambda: list(folders.glob("assay-trial-*/working")))
            os.killpg(check.pid, number)
            assert check.wait(60) == -number
        eventually(lambda: not list(folders.iterdir()))


LEAVING = """
import os, threading, time
from pathlib import Path

def leave():
    number = 0
    while True:
        number += 1
        Path(f"/dev/shm/assay-test-{number}").write_text("left")
        time.sleep(0.05)

threading.Thread(target=leave, daemon=True).start()
from assay_sandbox.self_check import main
status = main(["--only", "exit_hard"])
os._exit(status)
"""


# A /dev/shm of its own: what is left in it is nothing to the trials of other tests.
ALONE = (
    *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c"),
    'mount -t tmpfs none /dev/shm && exec "$@"',
    "sh",
)


@linux_only
def test_shared_memory_that_is_left_behind_is_named_whatever_the_manifest_lists() -> None:
    try:
        subprocess.run([*ALONE, "true"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no /dev/shm to be had that is nobody else's")
    done = subprocess.run(
        [*ALONE, sys.executable, "-c", LEAVING],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "left behind: shared memory (/dev/shm/assay-test-" in done.stdout


KEEPING = """
import os
from assay_sandbox.trial import remains

before = remains.of_this_process()
print(before.descriptors_beyond(before))
read, write = os.pipe()
memory = os.memfd_create("kept")
print(remains.of_this_process().descriptors_beyond(before))
os.close(memory)
print(remains.of_this_process().descriptors_beyond(before))
kept = bytearray(os.urandom(1 << 20)) * 100
print(remains.of_this_process().resident_bytes - before.resident_bytes > 90 << 20)
"""


@linux_only
def test_descriptors_and_memory_that_a_caller_keeps_are_counted() -> None:
    done = subprocess.run(
        [sys.executable, "-c", KEEPING],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "()",
        "('memory (1, not 0)', 'pipe (3, not 1)')",
        "('pipe (3, not 1)',)",
        "True",
    ]


@linux_only
def test_shared_memory_that_somebody_is_at_is_not_left_behind() -> None:
    before = remains.on_this_machine()
    path = Path(f"/dev/shm/assay-test-held-{os.getpid()}")
    try:
        with path.open("w"):
            assert str(path) not in remains.since(before).get("shared memory", ())
        assert str(path) in remains.since(before)["shared memory"]
    finally:
        path.unlink()


SEGMENT = """
import ctypes
from assay_sandbox.trial import remains

libc = ctypes.CDLL(None)
before = remains.on_this_machine()
number = libc.shmget(0, 4096, 0o1600)
assert number >= 0
print(f"shm {number}" in remains.since(before)["shared memory"])
libc.shmctl(number, 0, None)
print(f"shm {number}" in remains.since(before).get("shared memory", ()))
"""


@linux_only
def test_a_segment_is_left_behind_until_it_is_removed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEGMENT], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["True", "False"]
