"""The guardian: the process that forks a zygote, waits, and on its end ends all that came after.

A package that is imported may start processes that outlive their parent. In a pid namespace they
end with its first process; without one they cannot leave the process group they were started in.
"""

from __future__ import annotations

import os
import select

from ..core import signal
from . import descriptors, kernel

# The numbers of the guardian's two descriptors.
CONTROL, ZYGOTE = 0, 1


def become_first(control: int) -> None:
    """Fork into the new pid namespace. The guardian only waits, and its death ends the namespace.

    `control`: the socket whose other end the caller has.
    """
    # Set anew, because entering the user namespace cleared it.
    kernel.die_with_parent()
    pid = _fork()
    if pid == 0:
        return
    try:
        _wait_for_an_end(control, pid)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended and os.WIFSIGNALED(status):
            # The caller sees only this process, and has to know how the zygote ended.
            os.kill(os.getpid(), os.WTERMSIG(status))
    finally:
        os._exit(0)


def become_followed(control: int) -> None:
    """Fork. When it is time, the guardian ends the whole process group, including itself.

    No process that comes later leaves the group: see `confinement.confine_forking`.
    """
    signal.signal(signal.SIGTERM, _end_group)
    kernel.at_the_end_of_the_parent(signal.SIGTERM)
    kernel.hide_memory()
    pid = _fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # So that the zygote finds the processes that a package has started, as in a pid namespace.
        kernel.adopt_orphans()
        return
    try:
        _wait_for_an_end(control, pid)
    finally:
        _end_group()


def die_with(parent: int) -> None:
    """Die with the parent, of which `parent` is a pidfd; at once if it has already ended."""
    kernel.die_with_parent()
    waiting = select.poll()
    waiting.register(parent, select.POLLIN)
    if waiting.poll(0):
        os._exit(0)


def _fork() -> int:
    """As `os.fork`, with a child that dies with its parent."""
    before = os.pidfd_open(os.getpid())
    pid = os.fork()
    if pid == 0:
        die_with(before)
    os.close(before)
    return pid


def _wait_for_an_end(control: int, pid: int) -> None:
    """Wait for the zygote's end, or the caller's, which may precede the parent-death signal."""
    ended = os.pidfd_open(pid)
    os.dup2(control, CONTROL)
    os.dup2(ended, ZYGOTE)
    descriptors.close_from(ZYGOTE + 1)
    waiting = select.poll()
    # This process has nothing to read there; `poll` reports a hang-up in any case.
    waiting.register(CONTROL, 0)
    waiting.register(ZYGOTE, select.POLLIN)
    waiting.poll()


def _end_group(*_signal: object) -> None:
    os.killpg(0, signal.SIGKILL)
