"""What a zygote imports before there is a program, in place of every child after it."""

from __future__ import annotations

import os

from . import confinement, imports, surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence, Tuple


class Unfit(Exception):
    """Programs that import these packages had better each do so themselves."""


def import_standard(names: Tuple[str, ...]) -> None:
    """Those of these standard modules that this Python has."""
    with _Unhooked():
        imports.import_present(names)


def open_tasks() -> int:
    """A descriptor that says how many threads this process has."""
    return os.open("/proc/self/task", os.O_RDONLY | os.O_DIRECTORY)


def import_packages(names: Sequence[str], tier: str, tasks: int) -> None:
    """Raises Unfit, with this process confined and no good for anything else.

    Packages are code of somebody's: it runs under a child's own filter, but that this process has
    to fork. A package that a program would import in vain is for the program to try.
    """
    import_standard(imports.COMMON)
    confinement.confine_forking(tier)
    with _Unhooked():
        for name in names:
            try:
                __import__(name)
            except BaseException as error:
                raise Unfit(f"{name} cannot be imported: {type(error).__name__}") from None
        # Every child does, and it imports more.
        surroundings.seed_now(0)
    # The others would be missing in every child, with whatever locks they hold.
    if len(os.listdir(tasks)) != 1:
        raise Unfit("threads are started on import")
    os.close(tasks)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


class _Unhooked:
    """Imports modules without what they want done at every fork.

    Those hooks make locks anew, which nobody holds in a process of one thread, and seed `random`,
    which children then find as the zygote left it. They cost a child more than forking does.
    """

    def __init__(self) -> None:
        self._register = os.register_at_fork

    def __enter__(self) -> None:
        os.register_at_fork = _ignore

    def __exit__(self, *_error: object) -> None:
        os.register_at_fork = self._register


def _ignore(**_hooks: object) -> None:
    """In place of `os.register_at_fork`."""
