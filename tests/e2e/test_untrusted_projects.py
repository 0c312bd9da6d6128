"""A project that somebody else wrote: its interpreter and packages run nothing unconfined."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assay_sandbox import Call, LoadFailed, Program, Sandbox
from support.forking import forked
from support.lsp_editor import Editor, start_editor, stop_editor

KEY = "sk-never-to-be-seen"
# Fails its example, which needs no model to be seen, but the module has to be found and run.
MODULE = '''\
import packaged


def twice(number: int) -> int:
    """Double a number.

    >>> twice(2)
    5
    """
    return packaged.doubled(number)
'''
PACKAGED = "def doubled(number):\n    return 2 * number\n"
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}


def assay(
    folder: Path, *arguments: str, home: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forked("-m", "assay_engine"), *arguments],
        cwd=folder,
        env={
            **ENVIRONMENT,
            "HOME": str(home or folder.parent / "home"),
            "ASSAY_API_KEY": KEY,
            "ASSAY_STORE": str(folder.parent / "store.db"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "cloned"
    folder.mkdir()
    (tmp_path / "home").mkdir()
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    (folder / "module.py").write_text(MODULE, encoding="utf-8")
    return folder


def with_script(project: Path) -> Path:
    """Brings a script as its interpreter. Returns the file that it writes its environment to."""
    seen = project.parent / "seen"
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    run = f"#!/bin/sh\nenv > {shlex.quote(str(seen))}\nexec {shlex.quote(sys.executable)} "
    python.write_text(run + '"$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return seen


def with_environment(project: Path) -> Path:
    """Brings a usual virtual environment, made by hand. Returns its site-packages."""
    program = Path(sys.executable).resolve()
    home = project / ".venv"
    packages = home / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    packages.mkdir(parents=True)
    (home / "bin").mkdir()
    (home / "bin" / "python").symlink_to(program)
    (home / "pyvenv.cfg").write_text(f"home = {program.parent}\n", encoding="utf-8")
    (packages / "packaged.py").write_text(PACKAGED, encoding="utf-8")
    return packages


def writing(file: Path) -> str:
    return f"import os\nos.close(os.open({str(file)!r}, os.O_CREAT | os.O_WRONLY))\n"


@pytest.mark.parametrize("command", [("check", "module.py"), ("doctor",)])
def test_a_script_in_the_place_of_the_interpreter_is_not_started(
    project: Path, command: tuple[str, ...]
) -> None:
    seen = with_script(project)
    run = assay(project, *command)
    assert not seen.exists()
    said = run.stdout + run.stderr
    assert f"{project / '.venv/bin/python'} is not used" in said
    assert "`assay consent`" in said
    assert "Traceback" not in said


def test_a_script_that_is_named_as_the_interpreter_is_started_without_the_key(
    project: Path,
) -> None:
    seen = with_script(project)
    run = assay(project, "check", "module.py", "--interpreter", ".venv/bin/python")
    assert "left aside" not in run.stderr
    assert KEY not in seen.read_text("utf-8")


def test_the_packages_of_a_usual_environment_are_found(project: Path) -> None:
    with_environment(project)
    run = assay(project, "check", "module.py")
    assert "left aside" not in run.stderr
    assert "twice: suspect" in run.stdout, run.stdout + run.stderr


def test_nothing_of_an_environment_runs_outside_of_the_sandbox(project: Path) -> None:
    packages = with_environment(project)
    written = project.parent / "written"
    (packages / "first.pth").write_text(
        "import os; " + writing(written).partition("\n")[2], encoding="utf-8"
    )
    # Python 3.15 and later: what to call at every start.
    (packages / "second.start").write_text("started:main\n", encoding="utf-8")
    (packages / "started.py").write_text(writing(written) + "def main(): pass\n", encoding="utf-8")
    # What Python, and its standard library on some systems, look for wherever they may.
    for name in ("sitecustomize", "usercustomize", "_winapi", "msvcrt", "nt", "org"):
        (packages / f"{name}.py").write_text(writing(written), encoding="utf-8")
    run = assay(project, "check", "module.py")
    assert not written.exists()
    assert "twice: suspect" in run.stdout, run.stdout + run.stderr


def test_an_environment_cannot_say_where_the_standard_library_is(project: Path) -> None:
    with_environment(project)
    written = project.parent / "written"
    # Started by the link, the interpreter believes this file, and imports that library.
    standard = Path(sysconfig.get_path("stdlib"))
    copy = project / "library" / "lib" / standard.name
    copy.mkdir(parents=True)
    for entry in standard.iterdir():
        if entry.name not in ("encodings", "site-packages", "test"):
            (copy / entry.name).symlink_to(entry)
    shutil.copytree(standard / "encodings", copy / "encodings")
    with (copy / "encodings" / "__init__.py").open("a", encoding="utf-8") as file:
        path = str(written).encode()
        file.write(f"import posix\nposix.close(posix.open({path!r}, posix.O_CREAT))\n")
    (project / ".venv" / "pyvenv.cfg").write_text(
        f"home = {project / 'library' / 'bin'}\n", encoding="utf-8"
    )
    by_the_link = project / ".venv" / "bin" / "python"
    subprocess.run([by_the_link, "-I", "-S", "-c", ""], check=True, env={}, timeout=60)
    assert written.exists()
    written.unlink()
    run = assay(project, "check", "module.py")
    assert not written.exists()
    assert "twice: suspect" in run.stdout, run.stdout + run.stderr


@pytest.fixture
async def editor(project: Path) -> AsyncIterator[Editor]:
    seen = with_script(project)
    editor = await start_editor(
        forked("-m", "assay_engine", "server", "--stdio"),
        project,
        project.parent / "journal",
        environment={
            "HOME": str(project.parent / "home"),
            "ASSAY_API_KEY": KEY,
            "ASSAY_STORE": str(seen.parent / "store.db"),
        },
    )
    editor.patience = 60.0
    yield editor
    await stop_editor(editor)


async def test_an_editor_is_told_and_the_script_is_not_started(editor: Editor) -> None:
    await editor.open(MODULE)
    await editor.save()
    await editor.until(
        lambda: [each for each in editor.client.messages if "is not used" in each.message],
        "the word about the interpreter",
    )
    await editor.idle()
    assert (await editor.command("status"))["engine"]["confinement"]
    assert not (editor.folder.parent / "seen").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the tier is of Linux")
def test_a_standard_module_of_another_system_is_not_taken_from_the_packages(project: Path) -> None:
    packages = with_environment(project)
    written = project.parent / "written"
    (packages / "winreg.py").write_text(writing(written), encoding="utf-8")
    program = Program("import winreg\n\ndef f():\n    return 1\n", "f")
    interpreter = Path(sys.executable).resolve()
    with Sandbox(interpreter, tier="S", virtual_environment=project / ".venv") as sandbox:
        (seen,) = sandbox.run(program, [Call()])
    assert isinstance(seen, LoadFailed)
    assert not written.exists()
