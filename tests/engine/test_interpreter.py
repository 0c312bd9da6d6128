"""Which interpreter programs run under, and which are left aside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay_engine.config.configuration import EngineOptions
from assay_engine.config.interpreter import ChosenInterpreter, choose_interpreter
from assay_engine.engine import Engine
from assay_engine.errors import ConfigurationError
from assay_engine.types import SourceText

REAL = Path(sys.executable).resolve()


def chosen(
    root: Path,
    *,
    named: str | None = None,
    agreed: bool = False,
    home: Path | None = None,
    **environment: str,
) -> ChosenInterpreter:
    return choose_interpreter(named, environment, str(root), home, lambda _program: agreed)


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


def binary(path: Path) -> Path:
    """What is taken for a program: it is never started."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF")
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
    assert (found.program, found.left_aside) == (Path(sys.executable), python)
    assert f"{python} is not used: it is a program in this" in str(found.notice)
    assert chosen(project, agreed=True) == ChosenInterpreter(python, python)
    assert chosen(project, named=str(python)) == ChosenInterpreter(python, python)
    assert chosen(project, VIRTUAL_ENV=str(project / ".venv")).left_aside == python


def test_the_project_is_all_of_the_repository_around_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    project = tmp_path / "packages" / "inner"
    project.mkdir(parents=True)
    python = script(tmp_path / "environments" / "bin" / "python")
    active = str(tmp_path / "environments")
    assert chosen(project, VIRTUAL_ENV=active).left_aside == python
    # Unless it is the user's own home that is kept in one.
    found = chosen(project, VIRTUAL_ENV=active, home=tmp_path)
    assert found == ChosenInterpreter(python, python)


MANAGERS = {
    "uv": ".local/share/uv/python/cpython-3.12.1-linux-x86_64-gnu/bin/python3.12",
    "pyenv": ".pyenv/versions/3.12.1/bin/python3.12",
    "conda": "miniconda3/bin/python3.12",
    "conda, another environment": "miniforge3/envs/other/bin/python3.12",
    "asdf": ".asdf/installs/python/3.12.1/bin/python3.12",
    "mise": ".local/share/mise/installs/python/3.12.1/bin/python3.12",
    "Homebrew": ".linuxbrew/Cellar/python@3.12/3.12.1/bin/python3.12",
    "python.org": "Library/Frameworks/Python.framework/Versions/3.12/bin/python3.12",
}


@pytest.mark.parametrize("manager", MANAGERS)
def test_what_a_manager_has_installed_in_the_home_is_started(tmp_path: Path, manager: str) -> None:
    home, project = tmp_path / "home", tmp_path / "home" / "project"
    program = binary(home / MANAGERS[manager])
    python = environment_in(project / ".venv", program)
    assert chosen(project, home=home) == ChosenInterpreter(python, program, project / ".venv")
    # The home is not what a variable says.
    assert chosen(project, HOME=str(home)).left_aside == python
    assert chosen(project, home=tmp_path / "another").left_aside == python


SYSTEMS = Path("/usr/bin/python3")


def by_venv(*options: str, base: Path = REAL) -> Callable[[Path, Path], None]:
    def make(_home: Path, project: Path) -> None:
        if not base.exists():
            pytest.skip(f"there is no {base}")
        command = [base, "-m", "venv", "--without-pip", *options, project / ".venv"]
        made = subprocess.run(command, capture_output=True, env={}, timeout=100, check=False)
        if made.returncode:
            pytest.skip(f"{base} makes no environments")

    return make


def by_link(target: str, name: str = ".venv") -> Callable[[Path, Path], None]:
    """An environment whose interpreter is a link to that of a manager, as uv and virtualenv do."""

    def make(home: Path, project: Path) -> None:
        environment_in(project / name, binary(home / target))

    return make


def by_link_of_a_version(home: Path, project: Path) -> None:
    """As uv does since it upgrades in place: the link goes by another link, of a folder."""
    binary(home / MANAGERS["uv"])
    kept = (home / MANAGERS["uv"]).parents[1]
    minor = kept.with_name("cpython-3.12-linux-x86_64-gnu")
    minor.symlink_to(kept.name)
    environment_in(project / ".venv", minor / "bin" / "python3.12")


def by_pyenv_virtualenv(home: Path, project: Path) -> None:
    base = binary(home / MANAGERS["pyenv"])
    environment_in(base.parents[1] / "envs" / "project", base)
    (project / ".venv").symlink_to(base.parents[1] / "envs" / "project")


def by_conda_in_the_project(_home: Path, project: Path) -> None:
    (project / ".venv" / "conda-meta").mkdir(parents=True)
    (project / ".venv" / "bin").mkdir()
    (project / ".venv" / "bin" / "python").symlink_to(binary(project / ".venv/bin/python3.12").name)


# How usual environments are made, and whether the user is asked: no more often than before a link
# was followed any further than out of the project.
USUAL: dict[str, tuple[Callable[[Path, Path], None], bool]] = {
    "venv": (by_venv(), False),
    "venv with the system's packages": (by_venv("--system-site-packages"), False),
    "venv --copies": (by_venv("--copies"), True),
    "python3-venv of Debian": (by_venv(base=SYSTEMS), False),
    "uv": (by_link(MANAGERS["uv"]), False),
    "uv, upgraded in place": (by_link_of_a_version, False),
    "pyenv": (by_link(MANAGERS["pyenv"]), False),
    "pyenv-virtualenv": (by_pyenv_virtualenv, False),
    "conda's interpreter": (by_link(MANAGERS["conda"]), False),
    "conda --prefix .venv": (by_conda_in_the_project, True),
    "tox, virtualenv": (by_link(MANAGERS["pyenv"], ".tox/py312"), False),
}


@pytest.mark.parametrize("usual", USUAL)
def test_usual_environments_are_asked_about_no_more_often(tmp_path: Path, usual: str) -> None:
    make, asked = USUAL[usual]
    home, project = tmp_path / "home", tmp_path / "home" / "work" / "project"
    project.mkdir(parents=True)
    make(home, project)
    # As tox sets it for the commands that it runs.
    active = {"VIRTUAL_ENV": str(project / ".tox" / "py312")} if "tox" in usual else {}
    found = chosen(project, home=home, **active)
    assert (found.left_aside is not None) == asked
    assert (found.virtual_environment is None) == asked


PYENVS = MANAGERS["pyenv"]
# Where the link of an environment leads, and what is said of it. Home and project are side by side.
LEADING = {
    "a script beside the project": (lambda folder: script(folder / "tools" / "python3"), "leads"),
    "a program beside the project": (lambda folder: binary(folder / "tools" / "python3"), "leads"),
    "a program beside it by a link": (
        lambda folder: linked(folder / "other" / "python3", binary(folder / "tools" / "python3")),
        "leads",
    ),
    "the user's own, in no manager's folder": (
        lambda folder: binary(folder / "home" / "bin" / "python3"),
        "leads",
    ),
    "the folder of another home": (lambda folder: binary(folder / "project" / PYENVS), "is"),
    "a script that looks for an interpreter": (
        lambda folder: script(folder / "home" / ".pyenv" / "shims" / "python3"),
        "leads",
    ),
    "a script among interpreters": (lambda folder: script(folder / "home" / PYENVS), "leads"),
    "another program among interpreters": (
        lambda folder: binary(folder / "home" / ".pyenv" / "versions" / "tool"),
        "leads",
    ),
    "another program of the system": (lambda _folder: Path("/bin/sh").resolve(), "leads"),
    "what anybody may write": (
        lambda folder: opened_to_all(binary(folder / "home" / PYENVS)),
        "leads",
    ),
    "a folder that anybody may write": (
        lambda folder: (
            opened_to_all(binary(folder / "home" / PYENVS).parent.parent) / "bin/python3.12"
        ),
        "leads",
    ),
}


def linked(link: Path, target: Path) -> Path:
    link.parent.mkdir(parents=True)
    link.symlink_to(target)
    return link


def opened_to_all(path: Path) -> Path:
    path.chmod(0o777)
    return path


@pytest.mark.parametrize("leading", LEADING)
def test_what_may_have_come_with_the_project_needs_a_yes(tmp_path: Path, leading: str) -> None:
    make, doubt = LEADING[leading]
    project = tmp_path / "project"
    program = make(tmp_path)
    python = environment_in(project / ".venv", program)
    found = chosen(project, home=tmp_path / "home")
    assert (found.program, found.left_aside) == (Path(sys.executable), python)
    assert f"{python} is not used: it {doubt}" in str(found.notice)
    assert chosen(project, home=tmp_path / "home", agreed=True).program == python


def test_a_project_in_the_folder_of_a_manager_has_no_installations_beside_it(
    tmp_path: Path,
) -> None:
    program = binary(tmp_path / PYENVS)
    project = tmp_path / ".pyenv" / "versions" / "unpacked"
    python = environment_in(project / ".venv", program)
    assert chosen(project, home=tmp_path).left_aside == python


@pytest.mark.parametrize("home", [".", "home", "home/of/user"])
def test_a_project_that_holds_the_home_has_nothing_started_unasked(
    tmp_path: Path, home: str
) -> None:
    python = environment_in(tmp_path / ".venv", binary(tmp_path / home / PYENVS))
    assert chosen(tmp_path, home=tmp_path / home).left_aside == python
    python.unlink()
    # Not even what else is.
    python.symlink_to(REAL)
    assert chosen(tmp_path).left_aside is None
    assert chosen(tmp_path, home=tmp_path / home).left_aside == python


def test_an_environment_outside_of_the_project_is_not_read_unasked(tmp_path: Path) -> None:
    environment_in(tmp_path / "another" / ".venv")
    project = tmp_path / "project"
    project.mkdir()
    (project / ".venv").symlink_to("../another/.venv")
    found = chosen(project)
    assert found.left_aside == project / ".venv" / "bin" / "python"
    assert f"it belongs to {tmp_path / 'another' / '.venv'}, outside of" in str(found.notice)
    # The user has activated this one.
    active = chosen(project, VIRTUAL_ENV=str(tmp_path / "another" / ".venv"))
    assert active.program == tmp_path / "another" / ".venv" / "bin" / "python"


@pytest.mark.parametrize("way", ["link", "link beside", "case"])
def test_an_active_environment_is_the_projects_by_whatever_name(tmp_path: Path, way: str) -> None:
    project = tmp_path / "project"
    script(project / ".venv" / "bin" / "python")
    if way == "link":
        (tmp_path / "elsewhere").symlink_to(project)
        active = tmp_path / "elsewhere" / ".venv"
    elif way == "link beside":
        active = tmp_path / "environment"
        active.mkdir()
        (active / "bin").symlink_to(project / ".venv" / "bin")
    else:
        active = project / ".." / "project" / ".venv"
    found = chosen(project, VIRTUAL_ENV=str(active))
    assert found.left_aside == active / "bin" / "python"


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
        root=str(project), store_path=str(project.parent / "store.db"), trusted=True, environment={}
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
