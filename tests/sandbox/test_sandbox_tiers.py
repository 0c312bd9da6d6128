"""Tiers of other systems: what of them can be shown on this one."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay_sandbox import InterpreterUnusable, NothingHolds, Sandbox, SandboxUnavailable
from assay_sandbox.fresh import seatbelt, windows
from assay_sandbox.programs import Surroundings
from assay_sandbox.tiers import SYSTEMS, TIERS, absent
from assay_sandbox.worker.confine import syscalls
from assay_sandbox.zygotes import Interpreter, Launch

GENERIC_HEADER = Path("/usr/include/asm-generic/unistd.h")
PYTHON = Path(sys.executable)


def test_every_platform_of_a_tier_has_a_name() -> None:
    assert {each for tier in TIERS.values() for each in tier.platforms} == set(SYSTEMS)


def test_what_nobody_has_run_is_called_experimental() -> None:
    said = {name for name, tier in TIERS.items() if "Experimental" in " ".join(tier.shortfalls)}
    assert said == {"M", "J"}


def test_a_tier_of_another_system_is_named_with_those_of_this_one() -> None:
    assert absent("M", "linux") == "tier M is for macOS; Linux has N, L, B, S"
    assert absent("N", "darwin") == "tier N is for Linux; macOS has M"
    assert absent("J", "freebsd14") == "tier J is for Windows; freebsd14 has no tier"
    assert absent("X", "win32") == "there is no tier 'X'; Windows has J"
    assert absent("M", "darwin") == absent("none", "win32") == ""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for tiers of others")
def test_the_self_check_says_which_tiers_there_are() -> None:
    for tier, system in (("M", "macOS"), ("J", "Windows")):
        run = subprocess.run(
            [sys.executable, "-m", "assay_sandbox.self_check", "--tier", tier],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert run.returncode == 2
        assert f"tier {tier} is for {system}; Linux has N, L, B, S" in run.stderr
        assert "Traceback" not in run.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bubblewrap is for Linux")
def test_a_tier_that_ends_a_sound_interpreter_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = tmp_path / "bwrap"
    wrapper.write_text("#!/bin/sh\necho 'bwrap: No permissions for a new namespace' >&2\nexit 1\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with Sandbox(tier="B") as sandbox, pytest.raises(NothingHolds) as failure:
        sandbox.start()
    assert "No permissions for a new namespace" in failure.value.in_full()
    assert "Allow what bubblewrap reports" in failure.value.in_full()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bubblewrap is for Linux")
def test_a_program_in_the_current_folder_is_not_taken_for_bubblewrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    wrapper = tmp_path / "bwrap"
    wrapper.write_text(f"#!/bin/sh\necho started > '{seen}'\nexit 1\n")
    wrapper.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (".", ""):
        monkeypatch.setenv("PATH", f"{path}:/nowhere")
        with Sandbox(tier="B") as box, pytest.raises(SandboxUnavailable, match="not installed"):
            box.start()
    assert not seen.exists()


@pytest.mark.parametrize("reason", ["../venv/bin/python is gone", "../venv/bin/python is gone."])
def test_what_failed_is_said_as_it_is_and_ends_in_one_full_stop(reason: str) -> None:
    assert InterpreterUnusable(reason).in_full().startswith("../venv/bin/python is gone. Choose")


def test_the_package_loads_where_posix_is_not() -> None:
    source = (
        "import os, select, shutil, signal, socket, sys\n"
        "for name in ('fcntl', 'grp', 'mmap', 'pwd', 'resource', 'termios'):\n"
        "    sys.modules[name] = None\n"
        "for module, names in ((os, ('fork', 'memfd_create', 'pipe2', 'pread', 'sysconf',\n"
        "        'sched_getaffinity', 'killpg')), (select, ('poll', 'epoll')),\n"
        "        (signal, ('SIGKILL', 'SIGXCPU', 'setitimer', 'pidfd_send_signal')),\n"
        "        (socket, ('AF_UNIX', 'SOCK_SEQPACKET', 'send_fds', 'recv_fds'))):\n"
        "    for name in names:\n"
        "        delattr(module, name)\n"
        "sys.platform = 'win32'\n"
        "import assay_sandbox, assay_sandbox.self_check, assay_sandbox.fresh.windows\n"
        "from assay_sandbox.tiers import ORDER\n"
        "print(*ORDER)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.stdout, run.stderr) == ("J\n", "")


def _parsed(profile: str) -> list[object]:
    """The profile as nested lists; texts keep their quotes."""
    stack: list[list[object]] = [[]]
    for token in re.findall(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()]+', profile):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    (top,) = stack
    return top


def test_a_seatbelt_profile_allows_reading_and_nothing_else_of_note() -> None:
    libraries = ("/libraries", "/site-packages")
    begun, denied, imported, *rules = _parsed(seatbelt.profile(PYTHON, libraries, loader=True))
    assert [begun, denied] == [["version", "1"], ["deny", "default"]]
    assert imported == ["import", '"dyld-support.sb"']
    assert imported not in _parsed(seatbelt.profile(PYTHON, libraries, loader=False))
    conditional = ["if", ["defined?", "'file-test-existence"], ["allow", "file-test-existence"]]
    assert rules.count(conditional) == 1
    allowed = {
        str(rule[1]): rule[2:] for rule in rules if isinstance(rule, list) and rule != conditional
    }
    assert set(allowed) == {
        "process-exec",
        "file-read*",
        "file-map-executable",
        "file-read-metadata",
        "file-write-data",
        "sysctl-read",
        "process-info*",
        "signal",
    }
    assert allowed["file-write-data"] == [["literal", '"/dev/null"']]
    assert allowed["signal"] == allowed["process-info*"] == [["target", "self"]]
    assert ["subpath", '"/libraries"'] in allowed["file-read*"]
    # Of the programs, single files; of folders, none that holds the home or the whole system.
    assert {kind for kind, _path in allowed["process-exec"]} == {"literal"}
    folders = {path for kind, path in allowed["file-read*"] if kind == "subpath"}
    assert folders == {path for _kind, path in allowed["file-map-executable"]}
    assert not folders & {'"/"', '"/Users"', '"/private"', '"/System"', f'"{Path.home()}"'}


def test_no_path_breaks_out_of_a_seatbelt_profile() -> None:
    nasty = '/a")(allow network*)(allow file-read* (subpath "/'
    rules = _parsed(seatbelt.profile(PYTHON, (nasty, "/back\\slash"), loader=True))
    assert not [rule for rule in rules if isinstance(rule, list) and "network*" in rule]
    with pytest.raises(SandboxUnavailable, match="cannot be named"):
        seatbelt.profile(PYTHON, ("/two\nlines",), loader=True)


def test_without_sandbox_exec_there_is_no_seatbelt() -> None:
    if os.path.exists(seatbelt.SANDBOX_EXEC):
        pytest.skip("this system has sandbox-exec")
    with pytest.raises(SandboxUnavailable, match="sandbox-exec"):
        seatbelt.prepare(Launch(Interpreter(PYTHON), "M", Surroundings()), ())


def test_a_launcher_of_windows_is_not_started_but_what_it_would_start(tmp_path: Path) -> None:
    base, environment = tmp_path / "Python 3", tmp_path / "environment"
    launcher = environment / "Scripts" / "python.exe"
    launcher.parent.mkdir(parents=True)
    base.mkdir()
    assert windows.behind_launcher(Interpreter(launcher)) == Interpreter(launcher)
    settings = environment / "pyvenv.cfg"
    settings.write_text(f"include-system-site-packages = false\nhome = {base} \n", "utf-8")
    # Whose interpreter has gone.
    assert windows.behind_launcher(Interpreter(launcher)) == Interpreter(launcher)
    (base / "python.exe").touch()
    found = windows.behind_launcher(Interpreter(launcher))
    assert found == Interpreter(base / "python.exe", environment)
    assert windows.behind_launcher(Interpreter(found.program)) == Interpreter(found.program)
    settings.write_text("homeless = yes\n", "utf-8")
    launcher.touch()
    assert windows.behind_launcher(Interpreter(launcher)).program == launcher


def test_a_process_is_as_large_as_ps_says() -> None:
    assert 5 << 20 < seatbelt.resident_bytes(os.getpid()) < 4 << 30
    assert seatbelt.resident_bytes(1 << 30) == 0


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the sizes are of 64-bit Windows")
def test_the_structures_of_windows_have_their_documented_sizes() -> None:
    sizes = {
        windows.BasicLimits: 64,
        windows.ExtendedLimits: 144,
        windows.SecurityCapabilities: 24,
        windows.StartupInformation: 112,
        windows.ProcessInformation: 24,
    }
    assert {kind: ctypes.sizeof(kind) for kind in sizes} == sizes
    assert windows.BasicLimits.flags.offset == 16
    assert windows.BasicLimits.active_processes.offset == 40
    assert windows.ExtendedLimits.process_memory.offset == 112
    assert windows.StartupInformation.flags.offset == 60
    assert windows.StartupInformation.input.offset == 80
    assert windows.StartupInformation.attributes.offset == 104


def test_a_job_holds_one_process_and_dies_with_its_last_handle() -> None:
    limits = windows.job_limits(1 << 30)
    assert limits.basic.active_processes == 1
    assert limits.process_memory == limits.job_memory == 1 << 30
    assert limits.basic.flags == 0x2000 | 0x400 | 0x200 | 0x100 | 0x8


def test_an_environment_block_is_sorted_and_ended_twice() -> None:
    assert windows.environment_block({"b": "2", "A": "1"}) == "A=1\0b=2\0\0"


def test_a_container_is_granted_reading_and_no_more(tmp_path: Path) -> None:
    file = tmp_path / "python.exe"
    file.touch()
    assert windows.grant_command(str(file), "S-1-15-2-1")[3] == "*S-1-15-2-1:(RX)"
    assert windows.grant_command(str(tmp_path), "S-1-15-2-1")[3] == "*S-1-15-2-1:(OI)(CI)(RX)"


def test_without_windows_there_is_no_container() -> None:
    if sys.platform == "win32":
        pytest.skip("this is Windows")
    with pytest.raises(SandboxUnavailable, match="Windows"):
        windows.prepare(Launch(Interpreter(PYTHON), "J", Surroundings()), ())


@pytest.mark.skipif(not GENERIC_HEADER.exists(), reason="the kernel's headers are not installed")
def test_the_numbers_for_arm_are_those_of_the_kernel() -> None:
    # 64-bit ARM uses the generic table; what depends on the width has names of its own there.
    text = GENERIC_HEADER.read_text()
    numbers = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", text))
    for name, other in re.findall(r"#define __NR_(\w+) __NR3264_(\w+)", text):
        if other in numbers:
            numbers[name] = numbers[other]
    tables = (
        syscalls.PLAIN,
        syscalls.OPENING,
        syscalls.JUDGED,
        syscalls.UNKNOWN,
        syscalls.FORKING,
        syscalls.SESSIONS,
    )
    for table in tables:
        for name, (_x86, arm) in table.items():
            assert numbers.get(name) == (None if arm is None else str(arm)), name
