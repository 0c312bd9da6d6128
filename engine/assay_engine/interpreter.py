"""Chooses the interpreter that programs run under.

Starting the sandbox starts the interpreter unconfined, so an interpreter that a project brings
along is as dangerous as the project's own code. A program or script in the project's folder is
therefore not started unless the user has agreed to it. In the usual virtual environment, the
interpreter is a link to one elsewhere. That other one is started, and finds the environment's
packages after it is confined.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from assay_engine.advice import Advice
from assay_engine.errors import ConfigurationError
from assay_engine.presence import is_file, is_there

_INTERPRETERS = ("bin/python", "Scripts/python.exe")
_PACKAGES = ("lib*/*/site-packages", "lib*/site-packages")
# The names of programs that a link may lead to: not just any program that happens to be installed.
_PYTHON = re.compile(r"(python|pypy)[0-9.]*t?(\.exe)?")


class ChosenInterpreter(Struct, frozen=True):
    """The interpreter that programs run under.

    `name` is the path by which the user knows the interpreter, and `program` the file that is
    started. `virtual_environment` is where the program finds packages, unless it finds them by
    itself. `left_aside` is a program inside the project that would have been chosen if the user had
    agreed to it.
    """

    name: Path
    program: Path
    virtual_environment: Path | None = None
    left_aside: Path | None = None

    @property
    def notice(self) -> str | None:
        """A sentence for the user if the project's environment is not used."""
        if self.left_aside is None:
            return None
        return (
            f"{self.left_aside} is left aside: it is a program inside of the project, which would "
            f"run unconfined. Programs run under {self.name}; to use the project's, "
            f"{Advice.PROJECTS_INTERPRETER}."
        )


def choose_interpreter(
    named: str | None,
    environment: Mapping[str, str],
    root: str | None,
    agreed: Callable[[Path], bool],
) -> ChosenInterpreter:
    """The interpreter to use: the named one, that of an environment, or our own.

    The active environment is preferred to the project's. `agreed` tells whether the user allows a
    program inside the project to run. Nothing is started. Raises `ConfigurationError` if the named
    interpreter does not exist.
    """
    if named:
        chosen = named_interpreter(named, environment)
        return ChosenInterpreter(chosen, chosen)
    workspace = None if root is None else _workspace(Path(root).absolute(), environment)
    left_aside: Path | None = None
    for home, candidate in _candidates(environment, root):
        if workspace is None or not _is_in(candidate, workspace):
            return ChosenInterpreter(candidate, candidate, None, left_aside)
        program = candidate.resolve()
        if _is_harmless(home, program, workspace):
            return ChosenInterpreter(candidate, program, home, left_aside)
        # The interpreter of this very process has been started already.
        if candidate == Path(sys.executable) or agreed(candidate):
            return ChosenInterpreter(candidate, candidate, None, left_aside)
        left_aside = left_aside or candidate
    own = Path(sys.executable)
    return ChosenInterpreter(own, own, None, left_aside)


def identity_of(interpreter: ChosenInterpreter) -> tuple[str, ...]:
    """What tells an interpreter from another one that has the same name at some other time.

    It consists of the file that the name leads to, and the state of that file and of the
    environment's own settings. A version would say less, and only a started interpreter knows its
    version for certain.
    """
    files = (interpreter.program.resolve(), interpreter.name.parent.parent / "pyvenv.cfg")
    return (str(interpreter.name), *(f"{file} {_state(file)}" for file in files))


def _state(file: Path) -> str:
    try:
        about = file.stat()
    except OSError:
        return "absent"
    return f"{about.st_size} {about.st_mtime_ns}"


def named_interpreter(named: str, environment: Mapping[str, str]) -> Path:
    """The interpreter that a user names. Raises `ConfigurationError` if it does not exist."""
    found = _named(named, environment)
    if found is None:
        raise ConfigurationError(
            f"The interpreter {named} does not exist. Give a path, or a name on the PATH, or "
            "leave the setting out."
        )
    return found


def _named(named: str, environment: Mapping[str, str]) -> Path | None:
    """The file at a path, or the program with a bare name on the user's PATH.

    A bare name never means a file in the current folder, which is often the project's. That holds
    even if the PATH names the current folder.
    """
    if Path(named).name != named:
        path = Path(named).expanduser()
        return path.absolute() if is_file(path) else None
    # Do not use `shutil.which`, which looks in the current folder first on Windows.
    folders = [Path(entry) for entry in environment.get("PATH", "").split(os.pathsep) if entry]
    places = [
        folder / f"{named}{suffix}"
        for folder in folders
        if folder.is_absolute()
        for suffix in ("", ".exe")
    ]
    return next((place for place in places if is_file(place) and os.access(place, os.X_OK)), None)


def _candidates(environment: Mapping[str, str], root: str | None) -> Iterator[tuple[Path, Path]]:
    """The folders of virtual environments with their interpreters, the preferred ones first."""
    active = environment.get("VIRTUAL_ENV")
    homes = [Path(active)] if active else []
    if root is not None:
        homes += [Path(root, name) for name in (".venv", "venv")]
    for home in homes:
        for relative in _INTERPRETERS:
            candidate = home.absolute() / relative
            if is_file(candidate):
                yield home.absolute(), candidate


def _workspace(root: Path, environment: Mapping[str, str]) -> Path | None:
    """The outermost repository around the project, or the project if there is no repository.

    The user's home folder never counts, even if it is in a repository: nobody else wrote that one.
    """
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or os.devnull)
    found: Path | None = None
    for folder in (root, *root.parents):
        if folder == home or folder in home.parents:
            break
        if folder == root or is_there(folder / ".git"):
            found = folder
    return found


def _is_in(path: Path, folder: Path) -> bool:
    """Whether a path, or the file that it leads to, is in the folder, by whatever name."""
    real = folder.resolve()
    return path.is_relative_to(folder) or any(
        each.is_relative_to(real) for each in (path.resolve(), path.parent.resolve() / path.name)
    )


def _is_harmless(home: Path, program: Path, workspace: Path) -> bool:
    """Whether starting `program`, the end of the links, runs nothing from the workspace.

    The program has to lie elsewhere and to be a Python by its name, and only root and the user can
    have put it there. The environment's packages, which programs may read, must lie in the
    environment: a link could lead to files that nobody else should see.
    """
    if _is_in(program, workspace) or not _PYTHON.fullmatch(program.name):
        return False
    about = program.stat()
    if hasattr(os, "getuid") and about.st_uid not in (0, os.getuid()):
        return False
    if about.st_mode & stat.S_IWOTH:
        return False
    inside = home.resolve()
    return all(
        packages.resolve().is_relative_to(inside)
        for pattern in _PACKAGES
        for packages in home.glob(pattern)
    )
