"""Reads from /proc about a process of which one holds a descriptor."""

from __future__ import annotations

import re
from pathlib import Path

# Positions in the result of `state_of`.
_PARENT = 1
# States of threads: running or able to, and waiting for the disk.
_KEPT_WAITING = (b"R", b"D")
_PID = re.compile(r"^Pid:\s*([1-9]\d*)$", re.MULTILINE)


def state_of(pidfd: int) -> list[bytes] | None:
    """The fields of its /proc/PID/stat, from the third on. None once it has ended."""
    pid = _pid_of(pidfd)
    fields = None if pid is None else _fields(pid)
    # In between, its pid may have become another process's.
    return fields if _pid_of(pidfd) == pid else None


def is_kept_waiting(pidfd: int) -> bool:
    """Whether any thread of it waits for the processor or the disk, or has the processor."""
    pid = _pid_of(pidfd)
    states: set[bytes] = set()
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            states.add(_stat(thread)[0])
    except OSError:
        # A thread has ended meanwhile, or all of them.
        return True
    return not states.isdisjoint(_KEPT_WAITING)


def grandparent_of(pidfd: int) -> int | None:
    """The pid of its parent's parent; 0 if it has just lost one. None once it has ended."""
    fields = state_of(pidfd)
    if fields is None:
        return None
    above = _fields(int(fields[_PARENT]))
    again = state_of(pidfd)
    if again is None:
        return None
    # As long as the process has the same parent, that pid is no other process's.
    return int(above[_PARENT]) if above and again[_PARENT] == fields[_PARENT] else 0


def _fields(pid: int) -> list[bytes] | None:
    try:
        return _stat(Path(f"/proc/{pid}"))
    except OSError:
        return None


def _stat(folder: Path) -> list[bytes]:
    # The second field, the name, can contain anything.
    return (folder / "stat").read_bytes().rpartition(b")")[2].split()


def _pid_of(pidfd: int) -> int | None:
    try:
        information = Path(f"/proc/self/fdinfo/{pidfd}").read_text("ascii")
    except (OSError, ValueError):
        return None
    found = _PID.search(information)
    return None if found is None else int(found[1])
