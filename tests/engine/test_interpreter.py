"""Which interpreter programs run under, and which are left aside."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay_engine.configuration import EngineOptions
from assay_engine.engine import Engine
from assay_engine.errors import ConfigurationError
from assay_engine.interpreter import ChosenInterpreter, choose_interpreter
from assay_engine.types import SourceText

REAL = Path(sys.executable).resolve()


def chosen(
    root: Path, *, named: str | None = None, agreed: bool = False, **environment: str
) -> ChosenInterpreter:
    return choose_interpreter(named, environment, str(root), lambda _program: agreed)


def environment_in(folder: Path, program: Path = REAL) -> Path:
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(program)
    return python


def script(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_of_a_usual_environment_what_it_leads_to_is_started(tmp_path: Path) -> None:
    python = environment_in(tmp_path / ".venv")
    found = chosen(tmp_path)
    assert found == ChosenInterpreter(python, REAL, tmp_path / ".venv")
    assert found.notice is None


def test_an_environment_elsewhere_is_the_users_own(tmp_path: Path) -> None:
    python = script(tmp_path / "elsewhere" / "bin" / "python")
    found = chosen(tmp_path / "project", VIRTUAL_ENV=str(tmp_path / "elsewhere"))
    assert found == ChosenInterpreter(python, python)


@pytest.mark.parametrize("how", ["script", "link to a script", "link of a folder"])
def test_a_program_of_the_projects_own_needs_a_yes(tmp_path: Path, how: str) -> None:
    project = tmp_path / "project"
    python = project / ".venv" / "bin" / "python"
    if how == "script":
        script(python)
    elif how == "link to a script":
        environment_in(project / ".venv", script(project / "tools" / "python3"))
    else:
        script(project / "tools" / "bin" / "python")
        (project / ".venv").symlink_to("tools")
    found = chosen(project)
    assert found == ChosenInterpreter(Path(sys.executable), Path(sys.executable), None, python)
    assert found.notice is not None
    assert str(python) in found.notice
    assert chosen(project, agreed=True) == ChosenInterpreter(python, python)
    assert chosen(project, named=str(python)) == ChosenInterpreter(python, python)
    assert chosen(project, VIRTUAL_ENV=str(project / ".venv")).left_aside == python


def test_the_project_is_all_of_the_repository_around_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    project = tmp_path / "packages" / "inner"
    python = environment_in(project / ".venv", script(tmp_path / "tools" / "python3"))
    assert chosen(project).left_aside == python
    # Unless it is the user's own home that is kept in one.
    assert chosen(project, HOME=str(tmp_path)).program == tmp_path / "tools" / "python3"


def test_a_link_to_something_else_than_a_python_is_left_aside(tmp_path: Path) -> None:
    python = environment_in(tmp_path / ".venv", Path("/bin/sh").resolve())
    assert chosen(tmp_path).left_aside == python


def test_a_link_to_what_anybody_may_write_is_left_aside(tmp_path: Path) -> None:
    program = script(tmp_path / "shared" / "python3")
    program.chmod(0o777)
    python = environment_in(tmp_path / "project" / ".venv", program)
    assert chosen(tmp_path / "project").left_aside == python


def test_packages_that_are_a_link_out_of_the_environment_are_not_opened(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    project = tmp_path / "project"
    python = environment_in(project / ".venv")
    (project / ".venv" / "lib" / "python3.11").mkdir(parents=True)
    (project / ".venv" / "lib64").symlink_to("lib")
    packages = project / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir()
    assert chosen(project).name == python
    packages.rmdir()
    packages.symlink_to(secrets)
    assert chosen(project).left_aside == python


def test_a_bare_name_is_found_on_the_path_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    script(project / "python3")
    monkeypatch.chdir(project)
    for path in ("", ".", f".:{tmp_path / 'nowhere'}"):
        with pytest.raises(ConfigurationError, match="a name on the PATH"):
            chosen(project, named="python3", PATH=path)
    python = script(tmp_path / "tools" / "python3")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "python3").write_text("no program")
    path = f".:{tmp_path / 'plain'}:{python.parent}"
    assert chosen(project, named="python3", PATH=path) == ChosenInterpreter(python, python)
    own = project / "python3"
    assert chosen(project, named="./python3") == ChosenInterpreter(own, own)


def test_what_is_named_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="/no/such/python does not exist"):
        chosen(tmp_path, named="/no/such/python")


async def recalled(project: Path) -> int:
    """How many reports are at hand, before a check makes sure that there is one."""
    options = EngineOptions(
        root=str(project), store_path=str(project.parent / "store.db"), environment={}
    )
    # Without a docstring it is not run, and so nothing is started.
    source = SourceText(str(project / "module.py"), "def f(x):\n    return x\n", str(project))
    with Engine.open(options) as engine:
        found = engine.recall(source)
        _ = [report async for report in engine.check(source)]
    return len(found)


async def test_what_was_said_under_one_python_is_not_recalled_under_another(tmp_path: Path) -> None:
    old, new = (script(tmp_path / "tools" / name) for name in ("python3.9", "python3.13"))
    project = tmp_path / "project"
    python = environment_in(project / ".venv", old)
    assert [await recalled(project) for _ in range(2)] == [0, 1]
    python.unlink()
    python.symlink_to(new)
    assert [await recalled(project) for _ in range(2)] == [0, 1]
    new.write_text("#!/bin/sh\n# upgraded in its place\n", encoding="utf-8")
    assert [await recalled(project) for _ in range(2)] == [0, 1]
    (project / ".venv" / "pyvenv.cfg").write_text("version = 3.14.0\n", encoding="utf-8")
    assert [await recalled(project) for _ in range(2)] == [0, 1]
