"""Inspects the processes of this machine through /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process; pid and start together identify it for good."""

    pid: int
    parent: int
    started: int
    resident_bytes: int
    # What it has computed so far.
    processor_seconds: float
    ended: bool


def everything() -> dict[int, Process]:
    found: dict[int, Process] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            process = look(int(entry.name))
            if process is not None:
                found[process.pid] = process
    return found


def look(pid: int) -> Process | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name in parentheses may contain anything, so count from its end.
    fields = text.rpartition(")")[2].split()
    return Process(
        pid,
        int(fields[1]),
        int(fields[19]),
        int(fields[21]) * os.sysconf("SC_PAGE_SIZE"),
        (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
        fields[0] in ("Z", "X"),
    )


def below(root: int) -> list[Process]:
    """All descendants of `root`, without itself."""
    processes = everything()
    found: list[Process] = []
    wanted = {root}
    while wanted:
        level = [process for process in processes.values() if process.parent in wanted]
        found += level
        wanted = {process.pid for process in level}
    return found


def alive(process: Process) -> bool:
    now = look(process.pid)
    return now is not None and now.started == process.started and not now.ended
