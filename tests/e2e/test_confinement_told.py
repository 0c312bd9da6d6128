"""What doctor, check and editors say of confinement: on a machine as it is, on one that forbids
namespaces, and on one of a kind whose system calls nobody has listed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.lsp_editor import Editor, start_editor, stop_editor

# Fails its example, which needs no model to be seen.
MODULE = '''\
def twice(number: int) -> int:
    """Double a number.

    >>> twice(2)
    5
    """
    return 2 * number
'''
UNCONFINED = "i-accept-that-programs-can-do-anything-i-can"
FORBID = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
WITHOUT_NAMESPACES = ("unshare", "--user", "--map-root-user", "sh", "-c", FORBID, "sh")
WITHOUT_FILTER = ("setarch", "i686")
WEAKER = (
    "Programs are confined by tier L (Landlock, seccomp and resource limits), since nothing "
    "stronger works here (N: OSError: [Errno 28] unshare: No space left on device)."
)
REMEDY = (
    f"To run programs without confinement, set ASSAY_RUN_UNCONFINED to {UNCONFINED}, if you accept "
    "the risk."
)

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="what is taken away are parts of Linux"
)


def can_be_run(*machine: str) -> bool:
    """Whether this machine lets itself be narrowed this way."""
    if shutil.which(machine[0]) is None:
        return False
    return subprocess.run([*machine, "true"], capture_output=True, check=False).returncode == 0


needs_user_namespaces = pytest.mark.skipif(
    not can_be_run(*WITHOUT_NAMESPACES), reason="there are no user namespaces to forbid others in"
)
needs_another_kind = pytest.mark.skipif(
    not can_be_run(*WITHOUT_FILTER), reason="this machine cannot say that it is an i686"
)


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "ASSAY_STORE": str(folder / "assay.db"),
        **more,
    }


def assay(
    folder: Path, *arguments: str, machine: tuple[str, ...] = (), **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*machine, sys.executable, "-m", "assay_engine", *arguments],
        cwd=folder,
        env=environment(folder, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


@asynccontextmanager
async def editor_on(machine: tuple[str, ...], project: Path) -> AsyncIterator[Editor]:
    editor = await start_editor(
        (*machine, sys.executable, "-m", "assay_engine", "server", "--stdio"),
        project,
        project / "journal",
        environment=environment(project),
    )
    try:
        await editor.open(MODULE)
        yield editor
    finally:
        await stop_editor(editor)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "module.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


def test_doctor_says_that_canaries_were_run_and_how_long_that_took(tmp_path: Path) -> None:
    said = assay(tmp_path, "doctor").stdout
    assert re.search(r"^confinement  [NLBSW]: .*\n +6 canaries held, found in \d+ ms\n", said, re.M)


@needs_user_namespaces
def test_doctor_names_the_stronger_tier_that_does_not_hold_and_what_would_help(
    tmp_path: Path,
) -> None:
    said = assay(tmp_path, "doctor", machine=WITHOUT_NAMESPACES).stdout
    assert "confinement  L: Landlock, seccomp and resource limits\n" in said
    assert "does not work here: N: OSError: [Errno 28] unshare: No space left on device\n" in said
    assert "Allow unprivileged user namespaces: " in said
    assert "note" not in said


@needs_user_namespaces
def test_a_check_says_once_that_a_weaker_tier_is_used(project: Path) -> None:
    (project / "other.py").write_text(MODULE, encoding="utf-8")
    run = assay(project, "check", ".", machine=WITHOUT_NAMESPACES)
    assert run.stdout.count("twice: suspect") == 2, run.stderr
    assert (
        run.stderr.splitlines().count(f"assay: {WEAKER} `assay doctor` says what would help.") == 1
    )


def test_a_check_in_the_strongest_tier_says_nothing_of_it(project: Path) -> None:
    if "does not work here" in assay(project, "doctor").stdout:
        pytest.skip("the strongest tier does not hold on this machine")
    run = assay(project, "check", "module.py")
    assert "twice: suspect" in run.stdout, run.stderr
    assert "confined" not in run.stderr


@needs_user_namespaces
async def test_an_editor_is_told_once_that_a_weaker_tier_is_used(project: Path) -> None:
    async with editor_on(WITHOUT_NAMESPACES, project) as editor:
        await editor.settled()
        assert WEAKER not in " ".join(editor.messages())
        for text in (MODULE, MODULE.replace("2 * number", "number * 2")):
            await editor.change(text)
            await editor.save()
            await editor.until(editor.codes, "the finding")
            await editor.idle()
        assert len([each for each in editor.messages() if WEAKER in each]) == 1
        engine = (await editor.command("status"))["engine"]
        assert [each["name"] for each in engine["passed_over"]] == ["N"]
        assert [each["held"] for each in engine["canaries"]] == [True] * 6
        assert 0 < engine["canary_seconds"] < 60


@needs_another_kind
def test_where_nothing_holds_the_setting_is_named_with_its_value(project: Path) -> None:
    said = assay(project, "doctor", machine=WITHOUT_FILTER).stdout
    assert "confinement  none\n" in said
    assert "no system call list for i686" in said
    assert f"             {REMEDY}\n" in said
    run = assay(project, "check", "module.py", machine=WITHOUT_FILTER)
    assert run.returncode == 2
    assert REMEDY in run.stdout
    allowed = assay(
        project, "check", "module.py", machine=WITHOUT_FILTER, ASSAY_RUN_UNCONFINED=UNCONFINED
    )
    assert "twice: suspect" in allowed.stdout
    assert allowed.stderr.count("assay: Programs run without confinement, ") == 1


@needs_another_kind
async def test_an_editor_is_told_the_setting_and_its_value(project: Path) -> None:
    async with editor_on(WITHOUT_FILTER, project) as editor:
        await editor.save()
        await editor.until(lambda: REMEDY in " ".join(editor.messages()), "the remedy")
