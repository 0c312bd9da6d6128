"""Who stays behind where a zygote begins: it waits, and its end is the end of all that came after.

A package that is imported may start processes that know no parent. In a pid namespace they end with
its first process; without one they are held in the group of processes they were started in.
"""

from __future__ import annotations

import os
import select

from . import descriptors, kernel
from .core import signal

# The end of its parent, and of the zygote.
ENDS = (signal.SIGTERM, signal.SIGCHLD)


def become_first() -> None:
    """Fork into the new pid namespace; what stays behind only waits, and its death is the end."""
    # Cleared by entering the user namespace.
    kernel.die_with_parent()
    pid = _fork()
    if pid == 0:
        return
    try:
        descriptors.close_from(0)
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            # The caller sees this process alone, and has to know how the other ended.
            os.kill(os.getpid(), os.WTERMSIG(status))
    finally:
        os._exit(0)


def become_followed() -> None:
    """Fork; what stays behind ends the whole group of processes, itself too, when it is time.

    No process that comes later leaves the group: see `confinement.confine_forking`.
    """
    # Those that come before anybody waits for them are kept until then.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    kernel.at_the_end_of_the_parent(signal.SIGTERM)
    kernel.hide_memory()
    if _fork() == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
        # So that it finds out what a package has started, as it does in a pid namespace.
        kernel.adopt_orphans()
        return
    try:
        descriptors.close_from(0)
        signal.sigwait(ENDS)
    finally:
        os.killpg(0, signal.SIGKILL)


def _fork() -> int:
    """As `os.fork`, with a child that dies with its parent."""
    before = os.pidfd_open(os.getpid())
    pid = os.fork()
    if pid == 0:
        kernel.die_with_parent()
        # Who was killed just before that is no parent to die with.
        waiting = select.poll()
        waiting.register(before, select.POLLIN)
        if waiting.poll(0):
            os._exit(0)
    os.close(before)
    return pid
