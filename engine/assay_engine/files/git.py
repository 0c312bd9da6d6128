"""Asks Git about a work tree without running anything that the repository configures.

Whoever wrote the repository wrote its hooks, filters and remotes, too. So only commands are called
that read objects, references and the list of the index: they change no index, convert no content
and fetch nothing.
"""

from __future__ import annotations

import logging
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from threading import Event, Timer
from typing import IO

from msgspec import Struct

from assay_engine.bounds import FILE_BYTES_MAX, GIT_ENTRIES_MAX, GIT_SECONDS, TRACKED_BYTES_MAX
from assay_engine.errors import AssayError
from assay_engine.files.bounded import read_bytes
from assay_engine.words import one_line

log = logging.getLogger(__name__)

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


class GitAnswer(Struct, frozen=True):
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
        """Raises `GitUnusable` if there is no Git, or a file for which it would wait."""
        program = _program(environment)
        if program is None:
            raise GitUnusable(
                "Changes cannot be found without git, which is not on the PATH. Install it."
            )
        root = repository_of(folder)
        read = () if root is None else islice(_read_of(root), GIT_ENTRIES_MAX)
        if (waiting := next(filter(_is_waited_for, read), None)) is not None:
            raise GitUnusable(
                f"{waiting} is a pipe or a device, which would make git wait. Remove it."
            )
        self._command = (program, *_OPTIONS, "-C", str(folder))
        self._environment = _FIXED | {
            name: value
            for name, value in environment.items()
            if name.upper() in _PASSED_ON or name.startswith(_USERS_CONFIGURATION)
        }

    def ask(self, *arguments: str, limit: int = 1 << 16) -> GitAnswer:
        """Run a Git command. Raises `GitUnusable` if Git takes too long, or writes more than
        `limit` bytes."""
        with tempfile.TemporaryFile() as errors:
            expired = Event()
            process = self._started(arguments, errors)

            def give_up() -> None:
                expired.set()
                process.kill()  # then the process writes nothing more, and reading ends

            late = Timer(GIT_SECONDS, give_up)
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
            fault = "took too long" if expired.is_set() else f"printed more than {limit:,} bytes"
            raise GitUnusable(f"git {arguments[0]} {fault}. Try it by hand.")
        return GitAnswer(process.returncode, output, said)

    def content(self, blob: str, what: str) -> bytes | None:
        """The content of a former file, for messages ``what`` that is; None if it was too large to
        be checked. Raises `GitUnusable`."""
        size = self.ask("cat-file", "-s", blob)
        if size.status == 0 and int(size.output) > FILE_BYTES_MAX:
            return None
        found = self.ask("cat-file", "blob", blob, limit=FILE_BYTES_MAX)
        if found.status:
            raise GitUnusable(
                f"What {what} is not in this partial clone, and Assay fetches nothing. Fetch it: "
                "`git fetch --refetch --no-filter`."
            )
        return found.output

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
            raise GitUnusable(f"git cannot be started ({failure.strerror}). Fix that.") from failure


def committed(path: Path, environment: Mapping[str, str]) -> bytes | None:
    """The content of a file in the last commit.

    None if it is not there: in no repository, before the first commit, new, or too large to be
    checked. `path` is absolute, without links. Raises `GitUnusable`.
    """
    repository = repository_of(path.parent)
    if repository is None:
        return None
    state = _state(repository, "HEAD", "index", "logs/HEAD")
    answer = _committed if state is not None else _committed.__wrapped__
    return answer(path, state, tuple(sorted(environment.items())))


# One save asks several times. Whatever moves HEAD is logged, unless the repository keeps no log.
@lru_cache(maxsize=32)
def _committed(
    path: Path, _state: tuple[int, ...] | None, environment: tuple[tuple[str, str], ...]
) -> bytes | None:
    git = Git(path.parent, dict(environment))
    entry = git.ask("ls-tree", "-z", "HEAD", "--", f"./{path.name}")
    if entry.status:
        head = git.ask("rev-parse", "--verify", "--quiet", "HEAD")
        if head.status == 1 and not head.said:
            return None
        raise GitUnusable(f"git cannot read the last commit of {path}: {entry.said}. Fix that.")
    about = entry.output.partition(b"\t")[0].split()
    if not about or not about[0].startswith(b"100"):
        return None
    return git.content(about[2].decode(), f"{path} was in the last commit")


def repository_of(folder: Path) -> Path | None:
    """The nearest folder above that Git would take for a work tree's root."""
    return next(
        (each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None
    )


def tracked_below(
    folder: Path, repository: Path, environment: Mapping[str, str]
) -> frozenset[str] | None:
    """The paths of all files below a folder that Git tracks, in a repository with this top.

    None if Git cannot say, for want of one, say. Both are real paths.
    """
    state = _state(repository, "index")
    if state is None:
        # Nothing has been added yet.
        return frozenset()
    return _tracked_below(folder, state, tuple(sorted(environment.items())))


def _state(repository: Path, *names: str) -> tuple[int, ...] | None:
    """What is different once one of these files of Git's own has been written; None if one is not
    there."""
    own = repository / ".git"
    folder = _path_in(own) or own
    try:
        found = [os.stat(folder / name) for name in names]
    except OSError:
        return None
    return tuple(
        number
        for each in found
        for number in (each.st_mtime_ns, each.st_ctime_ns, each.st_size, each.st_ino)
    )


# Asked for each file that is checked. The state of the index tells when the answer is another one.
@lru_cache(maxsize=4)
def _tracked_below(
    folder: Path, _state: tuple[int, ...], environment: tuple[tuple[str, str], ...]
) -> frozenset[str] | None:
    try:
        git = Git(folder, dict(environment))
        answer = git.ask("ls-files", "-z", "--cached", limit=TRACKED_BYTES_MAX)
        fault = answer.said if answer.status else ""
    except GitUnusable as failure:
        answer, fault = None, str(failure)
    if answer is None or answer.status:
        log.warning(
            "Besides code, programs read only files in packages, since git does not say what it "
            "tracks below %s: %s",
            one_line(str(folder)),
            one_line(fault),
        )
        return None
    return frozenset(f"{folder}/{os.fsdecode(name)}" for name in answer.output.split(b"\0") if name)


# What Git reads in its own folders, besides the files right in them.
_READ_FOLDERS = ("info", "objects", "refs", "reftable")


def _read_of(root: Path) -> Iterator[str]:
    """The files that Git may read of a repository, unless it is led elsewhere."""
    own = root / ".git"
    # A linked work tree has a file there, and shares another repository's folder.
    linked = _path_in(own)
    above = [own] if linked is None else [own, linked]
    above += [common for each in above if (common := _path_in(each / "commondir")) is not None]
    for folder in above:
        yield str(folder)
        for current, folders, files in os.walk(folder):
            if Path(current) == folder:
                folders[:] = [each for each in folders if each in _READ_FOLDERS]
            yield from (os.path.join(current, each) for each in files)


def _path_in(file: Path) -> Path | None:
    """The path that a file of Git's leads to, relative to the file's folder."""
    try:
        content = os.fsdecode(read_bytes(file, 1 << 16))
    except OSError:
        return None
    return None if "\0" in content else file.parent / content.removeprefix("gitdir:").strip()


def _is_waited_for(path: str) -> bool:
    with suppress(OSError, ValueError):
        mode = os.stat(path).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
    return False


def _program(environment: Mapping[str, str]) -> str | None:
    for folder in environment.get("PATH", "").split(os.pathsep):
        # A relative folder leads into whatever is checked, and Windows searches the current folder
        # first.
        found = shutil.which("git", path=folder) if os.path.isabs(folder) else None
        if found is not None and Path(found).parent == Path(folder):
            return found
    return None
