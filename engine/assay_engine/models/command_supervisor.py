"""Runs a command for as long as its starter lives, and leaves nothing of it running.

    python -I -S command_supervisor.py DESCRIPTOR PROGRAM ARGUMENT...

The descriptor is the reading end of a pipe. When nobody holds the other end any more, however the
starter ended, or when the command has ended, everything that the command started is killed. On
Linux that includes processes that left its group.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress

PR_SET_CHILD_SUBREAPER = 36
# What is killed is gone at once, unless the kernel is busy with it.
END_SECONDS = 2.0
CANNOT_START = 127


def main(life: int, words: list[str]) -> int:
    _adopt_orphans()
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _heed)
    try:
        process = subprocess.Popen(words, start_new_session=True)
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        return CANNOT_START
    # The command's own are the only ends that count now: its output ends with it.
    while process.poll() is None:
        ready, _, _ = select.select([life, wake], [], [])
        if life in ready:
            break
        with suppress(BlockingIOError):
            os.read(wake, 4096)
    _end(process)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _heed(_number: int, _frame: object) -> None:
    """Have the system write to the descriptor that is waited for."""


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    until = time.monotonic() + END_SECONDS
    while time.monotonic() < until:
        for child in _children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            # Whatever it has left behind is handed over to this process.
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.005)
        except ChildProcessError:
            return


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(each) for each in file.read().split()]
    except OSError:
        return []


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
