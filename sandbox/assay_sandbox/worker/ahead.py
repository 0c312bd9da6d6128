"""Imports modules in a zygote before there is a program, so that its children need not."""

from __future__ import annotations

import os
import sys

from . import confinement, imports, surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence


READ_BYTES = 1 << 16


class Unfit(Exception):
    """A zygote cannot import these packages; each program has to import them itself."""


def import_standard(names: tuple[str, ...]) -> None:
    """Import those of these standard modules that this Python has."""
    with _Unhooked():
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


def import_packages(names: Sequence[str], process: OwnProcess, *, sessions: bool) -> list[str]:
    """Import packages; return the modules they look for. On Unfit, the process cannot be used.

    A package's code is untrusted: it runs under a child's filter, except that this process may
    fork, and begin sessions if `sessions`. A package that cannot be imported is left for the
    program to try.
    """
    confinement.confine_forking(sessions=sessions)
    looked_for = _LookedFor()
    # Any: a finder is a protocol that typeshed spells as a class.
    finder: Any = looked_for
    sys.meta_path.insert(0, finder)
    with _Unhooked():
        for name in names:
            try:
                __import__(name)
            except BaseException as error:
                raise Unfit(f"{name} cannot be imported: {type(error).__name__}") from None
        # Every child seeds, which imports more.
        surroundings.seed_now(0)
    sys.meta_path.remove(finder)
    process.look()
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return sorted(looked_for.names)


class _LookedFor:
    """A finder that notes the modules that are looked for, and finds none."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        self.names.add(name.partition(".")[0])


class _Unhooked:
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
