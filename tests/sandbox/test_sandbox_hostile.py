"""Hostile programs, run and judged from outside, in every tier that works on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assay_sandbox
from assay_sandbox import Sandbox, SandboxUnavailable
from assay_sandbox.self_check import OWN_PROGRAMS, read_manifest
from assay_sandbox.tiers import ORDER
from assay_sandbox.trial.judge import Hostile, judge

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
    ]
