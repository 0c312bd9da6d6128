"""Who stays behind where a zygote begins: it waits, and its end is the end of all that came after.

A package that is imported may start processes that know no parent. In a pid namespace they end with
its first process; without one they are held in the group of processes they were started in.
"""

from __future__ import annotations

import os
import select

from . import descriptors, kernel
from .core import signal

# Where who stays behind has its two descriptors.
CONTROL, ZYGOTE = 0, 1


def become_first(control: int) -> None:
    """Fork into the new pid namespace; what stays behind only waits, and its death is the end.

    `control`: the socket whose other end the caller has.
    """
    # Cleared by entering the user namespace.
    kernel.die_with_parent()
    pid = _fork()
    if pid == 0:
        return
    try:
        _wait_for_an_end(control, pid)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended and os.WIFSIGNALED(status):
            # The caller sees this process alone, and has to know how the other ended.
            os.kill(os.getpid(), os.WTERMSIG(status))
    finally:
        os._exit(0)


def become_followed(control: int) -> None:
    """Fork; what stays behind ends the whole group of processes, itself too, when it is time.

    No process that comes later leaves the group: see `confinement.confine_forking`.
    """
    signal.signal(signal.SIGTERM, _end_group)
    kernel.at_the_end_of_the_parent(signal.SIGTERM)
    kernel.hide_memory()
    pid = _fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # So that it finds out what a package has started, as it does in a pid namespace.
        kernel.adopt_orphans()
        return
    try:
        _wait_for_an_end(control, pid)
    finally:
        _end_group()


def die_with(parent: int) -> None:
    """Die with the parent that this is a pidfd of; at once if it has ended before."""
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
    """The zygote's, or the caller's: that may have come before the parent-death signal was set."""
    ended = os.pidfd_open(pid)
    os.dup2(control, CONTROL)
    os.dup2(ended, ZYGOTE)
    descriptors.close_from(ZYGOTE + 1)
    waiting = select.poll()
    # Of what can be read there nothing is for this process; the end is told in any case.
    waiting.register(CONTROL, 0)
    waiting.register(ZYGOTE, select.POLLIN)
    waiting.poll()


def _end_group(*_signal: object) -> None:
    os.killpg(0, signal.SIGKILL)
