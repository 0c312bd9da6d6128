"""Chooses the interpreter that programs run under.

Starting the sandbox starts the interpreter unconfined, so an interpreter that a project brings
along is as dangerous as the project's own code. A project can bring along a program or script, or
name one that it has had put elsewhere, by a link. So of what a project names, only what has been
installed on this machine is started unless the user has agreed to it. In the usual virtual
environment, the interpreter is a link to such a one. That other one is started, by its real path,
and finds the environment's packages after it is confined.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from assay_engine.advice import Advice
from assay_engine.config.provenance import is_in_an_installation, is_installed, workspace_of
from assay_engine.errors import ConfigurationError
from assay_engine.files.bounded import is_file, real
from assay_sandbox import packages_elsewhere

_INTERPRETERS = ("bin/python", "Scripts/python.exe")


class ChosenInterpreter(Struct, frozen=True):
    """The interpreter that programs run under.

    `name` is the path by which the user knows the interpreter, and `program` the file that is
    started. `virtual_environment` is where the program finds packages, unless it finds them by
    itself. `left_aside` is an interpreter that the project names, and that would have been chosen
    if the user had agreed to it; `doubt` says why it takes that.
    """

    name: Path
    program: Path
    virtual_environment: Path | None = None
    left_aside: Path | None = None
    doubt: str = ""

    @property
    def notice(self) -> str | None:
        """A sentence for the user if the project's environment is not used."""
        if self.left_aside is None:
            return None
        return (
            f"{self.left_aside} is not used: it {self.doubt}. Programs run under {self.name}; to "
            f"use the project's, {Advice.PROJECTS_INTERPRETER}."
        )


def choose_interpreter(
    named: str | None,
    environment: Mapping[str, str],
    root: str | None,
    home: Path | None,
    agreed: Callable[[Path], bool],
) -> ChosenInterpreter:
    """The interpreter to use: the named one, that of an environment, or our own.

    The active environment is preferred to the project's. `home` is the user's home folder, by its
    real path. `agreed` tells whether the user allows an interpreter that the project names to run.
    Nothing is started. Raises `ConfigurationError` if the named interpreter does not exist.
    """
    if named:
        chosen = named_interpreter(named, environment)
        return ChosenInterpreter(chosen, chosen)
    workspace = None if root is None else workspace_of(Path(root), home)
    left_aside: Path | None = None
    said = ""
    for folder, candidate in _candidates(environment, root):
        if workspace is None or not _is_in(candidate, workspace):
            return ChosenInterpreter(candidate, candidate, None, left_aside, said)
        # Resolved once: what is looked at is what will be started, wherever the links lead by then.
        program, real_folder = real(candidate), real(folder)
        doubt = _doubt(program, real_folder, workspace, home)
        if not doubt:
            return ChosenInterpreter(candidate, program, real_folder, left_aside, said)
        # The interpreter of this very process has been started already.
        if candidate == Path(sys.executable) or agreed(candidate):
            return ChosenInterpreter(candidate, candidate, None, left_aside, said)
        if left_aside is None:
            left_aside, said = candidate, doubt
    ours = Path(sys.executable)
    return ChosenInterpreter(ours, ours, None, left_aside, said)


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
    folders = [Path(active).absolute()] if active else []
    if root is not None:
        # By the project's real path, or a link in it could lead out of the workspace unseen.
        folders += [real(Path(root)) / name for name in (".venv", "venv")]
    for folder in folders:
        for relative in _INTERPRETERS:
            if is_file(folder / relative):
                yield folder, folder / relative


def _is_in(path: Path, folder: Path) -> bool:
    """Whether a path, or the file that it leads to, is in the folder, by whatever name."""
    ways = (path, real(path.parent) / path.name, real(path))
    return any(_is_same(each, folder) for way in ways for each in way.parents)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _doubt(program: Path, environment: Path, workspace: Path, home: Path | None) -> str:
    """Why an interpreter that a project names may only be started if the user agrees; else empty.

    All paths are real ones. The environment's packages, which programs may read, must lie in the
    environment, and the environment in the project: a link could lead to files that nobody else
    should see.
    """
    if home is not None and home.is_relative_to(workspace):
        return (
            "belongs to a project that contains your home folder, so nothing tells what you have "
            "installed from what came with the project, and would run outside the sandbox"
        )
    if program.is_relative_to(workspace):
        return "is a program in this project and would run outside the sandbox"
    if not is_installed(program, workspace, home):
        return (
            f"leads to {program}, which is neither Assay's interpreter nor where the system or a "
            "version manager keeps interpreters, and would run outside the sandbox"
        )
    if not (
        environment.is_relative_to(workspace) or is_in_an_installation(environment, workspace, home)
    ):
        return f"belongs to {environment}, outside of the project, which programs could then read"
    for _, elsewhere in packages_elsewhere(environment):
        return f"finds packages in {elsewhere}, outside of its environment, where none may be read"
    return ""
