"""Where programs find packages: as after a usual start of the same interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay_sandbox import Call, Program, Returned, Sandbox, decode
from support.interpreters import interpreters

# Each folder may be there or not, and be named twice or once; `.pth` files add others.
FOUND = (
    "import os, sys\n"
    "def f():\n"
    "    own = (sys.prefix, sys.base_prefix)\n"
    "    folders = [each for each in sys.path if os.path.isdir(each) and each.startswith(own)]\n"
    "    return [list(dict.fromkeys(folders)), sys.prefix, sys.exec_prefix, sys.base_prefix,\n"
    "        [callable(each) for each in (exit, quit, help, copyright, credits, license)]]\n"
)


def seen(sandbox: Sandbox) -> Any:
    with sandbox:
        (found,) = sandbox.run(Program(FOUND, "f"), [Call()])
    assert isinstance(found, Returned), found
    return decode(found.value)


def usual(python: Path) -> Any:
    """The same of a usual start, without what the account adds."""
    source = FOUND + "import json\nprint(json.dumps(f()))\n"
    run = subprocess.run(
        [python, "-I", "-c", source],
        env={},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(run.stdout)


def made(python: Path, folder: Path, *, shared: bool) -> Path:
    options = ["--without-pip", *(["--system-site-packages"] if shared else [])]
    subprocess.run([python, "-m", "venv", *options, folder], check=True, env={}, timeout=120)
    return folder


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_an_interpreter_finds_what_it_usually_does(python: Path) -> None:
    assert seen(Sandbox(python)) == usual(python)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_so_does_that_of_a_virtual_environment(
    python: Path, tmp_path: Path, *, shared: bool
) -> None:
    folder = made(python, tmp_path / "environment", shared=shared)
    expected = usual(folder / "bin" / "python")
    assert expected[1] == str(folder)
    assert seen(Sandbox(folder / "bin" / "python")) == expected
    # Nothing of it is started.
    assert seen(Sandbox(python, virtual_environment=folder)) == expected


def test_settings_that_nobody_could_read_make_no_difference(tmp_path: Path) -> None:
    base = Path(os.path.realpath(sys.executable))
    folder = made(base, tmp_path / "environment", shared=False)
    settings = folder / "pyvenv.cfg"
    before = seen(Sandbox(base, virtual_environment=folder))
    settings.write_bytes(b"\xff\xfe = \x00\n" + settings.read_bytes())
    assert seen(Sandbox(base, virtual_environment=folder)) == before
