"""What /proc says of a process that one holds a descriptor of."""

from __future__ import annotations

import re
from pathlib import Path

_PID = re.compile(r"^Pid:\s*([1-9]\d*)$", re.MULTILINE)


def state_of(pidfd: int) -> list[bytes] | None:
    """The fields of its /proc/PID/stat, from the third on. None once it has ended."""
    pid = _pid_of(pidfd)
    if pid is None:
        return None
    try:
        # The second field can hold anything.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    # Its number may have become somebody else's in between.
    return fields if _pid_of(pidfd) == pid else None


def _pid_of(pidfd: int) -> int | None:
    try:
        information = Path(f"/proc/self/fdinfo/{pidfd}").read_text("ascii")
    except (OSError, ValueError):
        return None
    found = _PID.search(information)
    return None if found is None else int(found[1])
