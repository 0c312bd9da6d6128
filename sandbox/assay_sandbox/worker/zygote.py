"""The zygote: confines itself, then forks one child per program. It never sees a program's text."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
from typing import Dict, List, NoReturn, Optional, Tuple

from . import child, confinement, kernel, paths

# Imported while nobody is waiting, so that programs need not.
PRELOADED = (
    "collections", "re", "math", "itertools", "functools", "operator", "string", "heapq",
    "bisect", "random", "datetime", "decimal", "fractions", "dataclasses", "enum", "typing",
    "copy", "json", "statistics", "array", "pathlib", "uuid", "contextlib", "textwrap",
    "numbers", "abc", "threading", "asyncio",
)  # fmt: skip
DESCRIPTORS_PER_JOB = 5
# An overdue host is a dead host, but its going is noticed by the end of the control socket.
IDLE_MILLISECONDS = 1000


def main(arguments: List[str]) -> NoReturn:
    """`arguments`: the control socket's descriptor and the tier."""
    control = socket.socket(fileno=int(arguments[0]))
    tier = arguments[1]
    try:
        size = _prepare(tier)
    except Exception as error:
        _answer(control, {"failed": f"{type(error).__name__}: {error}"})
        os._exit(1)
    _answer(control, {"ready": sys.version_info[:3], "executable": sys.executable})
    try:
        _serve(control, tier, size)
    finally:
        os._exit(0)


def _answer(control: socket.socket, message: Dict[str, object]) -> None:
    control.send(json.dumps(message).encode())


def _prepare(tier: str) -> Optional[int]:
    reason = confinement.unavailable(tier)
    if reason:
        raise RuntimeError(reason)
    readable = paths.readable()
    os.nice(5)
    os.chdir("/")
    if tier == confinement.NAMESPACES:
        kernel.die_with_parent()
        kernel.enter_namespaces()
        _become_first()
    # Open from before there is Landlock; read again at every fork.
    size = confinement.open_size()
    _silence()
    confinement.confine_zygote(tier, readable)
    return size


def _become_first() -> None:
    """Fork into the new pid namespace; what stays behind only waits, and its death is the end."""
    # Cleared by entering the user namespace.
    kernel.die_with_parent()
    pid = os.fork()
    if pid == 0:
        return
    try:
        os.closerange(0, child.MAXIMUM_OPEN)
        os.waitpid(pid, 0)
    finally:
        os._exit(0)


def _silence() -> None:
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


class _Children:
    """Who is running, and whom to tell when one has ended."""

    def __init__(self) -> None:
        self._by_pidfd: Dict[int, Tuple[int, socket.socket]] = {}
        self.poll = select.poll()

    def add(self, pid: int, job: socket.socket) -> None:
        pidfd = os.pidfd_open(pid)
        self._by_pidfd[pidfd] = (pid, job)
        self.poll.register(pidfd, select.POLLIN)
        try:
            socket.send_fds(job, [b"started"], [pidfd])
        except OSError:
            # The host no longer waits for this one.
            os.kill(pid, signal.SIGKILL)

    def ended(self, pidfd: int) -> None:
        pid, job = self._by_pidfd.pop(pidfd)
        self.poll.unregister(pidfd)
        os.close(pidfd)
        _pid, status = os.waitpid(pid, 0)
        with contextlib.suppress(OSError):
            # As above: perhaps nobody is interested any more.
            job.send(b"%d" % os.waitstatus_to_exitcode(status))
        job.close()


def _serve(control: socket.socket, tier: str, size: Optional[int]) -> None:
    children = _Children()
    children.poll.register(control, select.POLLIN)
    to_import = list(reversed(PRELOADED))
    gc.freeze()
    while True:
        ready = children.poll.poll(0 if to_import else IDLE_MILLISECONDS)
        if not ready and to_import:
            __import__(to_import.pop())
            if not to_import:
                gc.collect()
                gc.freeze()
        for descriptor, _event in ready:
            if descriptor != control.fileno():
                children.ended(descriptor)
            elif not _start_child(control, children, tier, size):
                return


def _start_child(
    control: socket.socket, children: _Children, tier: str, size: Optional[int]
) -> bool:
    """Fork for one job. False when the host has gone."""
    message, descriptors, _flags, _address = socket.recv_fds(control, 16, DESCRIPTORS_PER_JOB)
    if not message:
        return False
    if len(descriptors) != DESCRIPTORS_PER_JOB:
        for descriptor in descriptors:
            os.close(descriptor)
        return True
    pid = os.fork()
    if pid == 0:
        child.main(tier, descriptors[:-1], confinement.address_space(size))
    job = socket.socket(fileno=descriptors[-1])
    for descriptor in descriptors[:-1]:
        os.close(descriptor)
    children.add(pid, job)
    return True
