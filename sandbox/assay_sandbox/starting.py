"""Opens the source of confined workers for a tier's letter.

Looks for packages of a virtual environment that are really somewhere else.

The worker opens none of these. Who chooses an interpreter can tell the user, and the canaries try.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from .children import ForkedChildren
from .errors import InterpreterUnusable, SandboxUnavailable
from .fresh import seatbelt, windows
from .fresh.children import FreshWorkers, bare_environment, popen
from .keeping import Zygotes
from .places import Place
from .programs import Surroundings
from .workers import WorkerSource
from .zygotes import WORKER, Interpreter, Launch

ASK_SECONDS = 20.0
# All devices under bubblewrap. Its own `--dev` would provide terminals to open and a writable
# folder.
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def open_source(tier: str, interpreter: Interpreter, surroundings: Surroundings) -> WorkerSource:
    """Workers in this tier. Raises SandboxUnavailable and InterpreterUnusable."""
    if tier == "J":
        interpreter = windows.behind_launcher(interpreter)
    launch = Launch(interpreter, tier, surroundings)
    if tier == "M":
        start = seatbelt.prepare(launch, tuple(readable_paths(interpreter)))
        return FreshWorkers(start, seatbelt.resident_bytes)
    if tier == "J":
        return FreshWorkers(windows.prepare(launch, tuple(readable_paths(interpreter))))
    if not sys.platform.startswith("linux"):
        # Without confinement, too, each program has a process of its own.
        environment = {**bare_environment(), **launch.environment()}
        return FreshWorkers(lambda _limits: popen(launch.fresh_command(), environment))
    if tier == "B":
        launch = replace(launch, wrapper=_bubblewrap(interpreter))
    return ForkedChildren(Zygotes(launch))


def _bubblewrap(interpreter: Interpreter) -> Callable[[Place | None], tuple[str, ...]]:
    """The command that hides everything but the files that the interpreter needs, and those of a
    place."""
    # A relative folder may lead into whatever is checked.
    folders = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
    program = shutil.which("bwrap", path=os.pathsep.join(folders))
    if program is None:
        raise SandboxUnavailable("bubblewrap is not installed")
    visible = [*readable_paths(interpreter), str(WORKER.parent)]
    devices = [word for path in DEVICES for word in ("--dev-bind", path, path)]

    packages = [path for path in visible if path.endswith("-packages")]

    def words(place: Place | None) -> tuple[str, ...]:
        files, closed = (), frozenset[str]()
        if place is not None:
            files, closed = place.others, place.originals(packages)
        # A file that has become a link, or a folder, since it was listed is not bound.
        plain = [each for each in files if os.path.isfile(each) and os.path.realpath(each) == each]
        seen = (*visible, *plain)
        return (
            program,
            *("--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
            *(word for path in seen for word in ("--ro-bind-try", path, path)),
            # Devices that are bound so cannot be opened.
            *(word for path in closed for word in ("--ro-bind", os.devnull, path)),
            # No /proc: there is nothing in it that a program needs.
            *devices,
            # The folder above the binds is in memory; if writable, every program would find it as
            # the one before has left it.
            *("--remount-ro", "/", "--chdir", "/", "--"),
        )

    return words


def readable_paths(interpreter: Interpreter) -> list[str]:
    """The interpreter, and the files that it says it reads, by their names and their real paths.

    Raises InterpreterUnusable. Only our own code runs for this, without any confinement.
    """
    program = interpreter.program
    try:
        asked = subprocess.run(
            interpreter.worker("paths"),
            env=bare_environment(),
            cwd=os.path.abspath(os.sep),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASK_SECONDS,
            check=False,
        )
    except OSError as error:
        raise InterpreterUnusable(f"{program} cannot be started: {error}") from None
    except subprocess.TimeoutExpired:
        raise InterpreterUnusable(f"{program} did not answer within {ASK_SECONDS:g} s") from None
    try:
        said: object = json.loads(asked.stdout) if asked.returncode == 0 else None
    except (ValueError, RecursionError):
        said = None
    paths = cast("list[object]", said) if isinstance(said, list) else []
    if not paths or not all(isinstance(path, str) for path in paths):
        raise InterpreterUnusable(f"{program} cannot say where its libraries are")
    return [*cast("list[str]", paths), str(program), os.path.realpath(program)]


# Where the interpreters of all systems look, Debian's included.
_PACKAGES = tuple(
    f"{above}[Ll]ib*/{between}*-packages" for above in ("", "local/") for between in ("*/", "")
)


def packages_elsewhere(environment: Path) -> tuple[tuple[Path, Path], ...]:
    """The folders of packages that lead out of an environment, each by its name and really."""
    inside = os.path.realpath(environment)
    found = (
        (name, Path(os.path.realpath(name)))
        for each in _PACKAGES
        for name in environment.glob(each)
    )
    return tuple((name, folder) for name, folder in found if not folder.is_relative_to(inside))
