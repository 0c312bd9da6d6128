"""Asks Git about a work tree without running anything that the repository configures.

Whoever wrote the repository wrote its hooks, filters and remotes, too. So only commands are called
that read objects and references: they touch no index, convert no content and fetch nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Timer
from typing import IO

from msgspec import Struct

from assay_engine.errors import AssayError

SECONDS = 60.0
SAID_BYTES_MAX = 2_000

# The variables by which Git finds itself and its user's configuration. Those that name a repository
# (`GIT_DIR`, as hooks have it) are not passed on: the files decide which repository is meant.
_PASSED_ON = (
    *("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR"),
    *("SYSTEMROOT", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "PROGRAMDATA", "TEMP", "TMP"),
)
_USERS_CONFIGURATION = "GIT_CONFIG"
_FIXED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # A Git that does not know the variable before this would ask a remote, by a program that the
    # repository names.
    "GIT_ALLOW_PROTOCOL": "none",
}
# A folder of the work tree may look like a repository, with a configuration of its own.
_OPTIONS = ("--no-pager", "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false")


class GitUnusable(AssayError):
    """Git is not installed, or does not answer."""


class Answer(Struct, frozen=True):
    """The exit status of a Git command, its output, and what it `said` on standard error."""

    status: int
    output: bytes
    said: str

    @property
    def line(self) -> str:
        """The output without its line end, for an output that is a path or a name."""
        return os.fsdecode(self.output.removesuffix(b"\n").removesuffix(b"\r"))


class Git:
    """Git, run in the repository that a folder is in."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Raises `GitUnusable` if there is no Git."""
        program = _program(environment)
        if program is None:
            raise GitUnusable(
                "--since needs git, and there is none on the PATH. Install it, or leave --since "
                "out."
            )
        self._command = (program, *_OPTIONS, "-C", str(folder))
        self._environment = _FIXED | {
            name: value
            for name, value in environment.items()
            if name.upper() in _PASSED_ON or name.startswith(_USERS_CONFIGURATION)
        }

    def ask(self, *arguments: str, limit: int = 1 << 16) -> Answer:
        """Run a Git command. Raises `GitUnusable` if Git takes too long, or writes more than
        `limit` bytes."""
        with tempfile.TemporaryFile() as errors:
            expired = Event()
            process = self._started(arguments, errors)

            def give_up() -> None:
                expired.set()
                process.kill()  # then the process writes nothing more, and reading ends

            late = Timer(SECONDS, give_up)
            late.start()
            try:
                with process:
                    assert process.stdout is not None
                    output = process.stdout.read(limit + 1)
                    if len(output) > limit:
                        process.kill()
            finally:
                late.cancel()
            errors.seek(0)
            said = errors.read(SAID_BYTES_MAX).decode(errors="replace").strip()
        if expired.is_set() or len(output) > limit:
            fault = "took too long" if expired.is_set() else f"says more than {limit:,} bytes"
            raise GitUnusable(f"git {arguments[0]} {fault}. Try it by hand, or leave --since out.")
        return Answer(process.returncode, output, said)

    def _started(self, arguments: Sequence[str], errors: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [*self._command, *arguments],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        except OSError as failure:
            raise GitUnusable(
                f"git cannot be started ({failure.strerror}). Fix that, or leave --since out."
            ) from failure


def _program(environment: Mapping[str, str]) -> str | None:
    for folder in environment.get("PATH", "").split(os.pathsep):
        # A relative folder leads into whatever is checked, and Windows searches the current folder
        # first.
        found = shutil.which("git", path=folder) if os.path.isabs(folder) else None
        if found is not None and Path(found).parent == Path(folder):
            return found
    return None
