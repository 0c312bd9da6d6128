"""Imports modules in a zygote before there is a program, so that its children need not."""

from __future__ import annotations

import os

from .. import imports
from ..confine import confinement
from ..scene import stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

READ_BYTES = 1 << 16


class Unfit(Exception):
    """A zygote cannot import these packages; each program has to import them itself."""


def import_standard(names: tuple[str, ...]) -> None:
    """Import those of these standard modules that this Python has."""
    with Unhooked():
        imports.import_present(names)


class OwnProcess:
    """Counts the things in this process that a fork would share or lose. Made before Landlock."""

    def __init__(self) -> None:
        self._threads = os.open("/proc/self/task", os.O_RDONLY | os.O_DIRECTORY)
        self._descriptors = os.open("/proc/self/fd", os.O_RDONLY | os.O_DIRECTORY)
        self._maps = os.open("/proc/self/maps", os.O_RDONLY)
        self._before = self._counts()

    def look(self) -> None:
        """Raise Unfit if there is more of anything than at first. Can be called once."""
        now = self._counts()
        for what, before in self._before.items():
            if now[what] > before:
                raise Unfit(f"{what} on import")
        for descriptor in (self._threads, self._descriptors, self._maps):
            os.close(descriptor)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        raise Unfit("processes are started on import")

    def _counts(self) -> dict[str, int]:
        os.lseek(self._maps, 0, os.SEEK_SET)
        mapped = b"".join(iter(lambda: os.read(self._maps, READ_BYTES), b""))
        return {
            "threads are started": len(os.listdir(self._threads)),
            "descriptors are opened": len(os.listdir(self._descriptors)),
            "shared memory is mapped": mapped.count(b" rw-s ") + mapped.count(b" rwxs "),
        }


def import_packages(names: Sequence[str], process: OwnProcess, *, sessions: bool) -> None:
    """Import packages. On Unfit, the process cannot be used.

    A package's code is untrusted: it runs under a child's filter, except that this process may
    fork, and begin sessions if `sessions`. A package that cannot be imported is left for the
    program to try.
    """
    confinement.confine_forking(sessions=sessions)
    with Unhooked():
        for name in names:
            try:
                __import__(name)
            except BaseException as error:
                raise Unfit(f"{name} cannot be imported: {type(error).__name__}") from None
        # Every child seeds, which imports more.
        stage.seed_now(0)
    process.look()
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


class Unhooked:
    """Imports modules without the hooks that they register for every fork.

    Those hooks recreate locks, which no other thread can hold in a process of one thread, and seed
    `random`, which children then find as the zygote left it. They cost more than forking does.
    """

    def __init__(self) -> None:
        self._register = os.register_at_fork

    def __enter__(self) -> None:
        os.register_at_fork = _ignore

    def __exit__(self, *_error: object) -> None:
        os.register_at_fork = self._register


def _ignore(**_hooks: object) -> None:
    """Replaces `os.register_at_fork`."""
