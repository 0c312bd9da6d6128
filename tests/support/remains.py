"""Finds what a program leaves behind that outlives all processes, and what its caller keeps."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SHARED_FILES = Path("/dev/shm")
SYSTEM_V = Path("/proc/sysvipc")
MOUNTS = Path("/proc/self/mountinfo")


@dataclass(frozen=True, slots=True)
class Remains:
    """The present mounts in this process's view, and the shared memory of its account, as files and
    as segments, semaphores and queues."""

    mounts: frozenset[str]
    shared_memory: frozenset[str]


@dataclass(frozen=True, slots=True)
class Holdings:
    """The descriptors of a process, by kind, and its resident memory."""

    descriptors: tuple[tuple[str, int], ...]
    resident_bytes: int

    def descriptors_beyond(self, before: Holdings) -> tuple[str, ...]:
        """The kinds of which there are more than before, with both numbers."""
        had = dict(before.descriptors)
        return tuple(
            f"{kind} ({number}, not {had.get(kind, 0)})"
            for kind, number in self.descriptors
            if number > had.get(kind, 0)
        )


def on_this_machine() -> Remains:
    return Remains(frozenset(_mounts()), frozenset([*_shared_files(), *_system_v()]))


def since(before: Remains) -> dict[str, tuple[str, ...]]:
    """What has appeared since `before` and is not in use, by kind; without empty kinds.

    Shared memory that a process still has open belongs to that process; those are checked apart.
    """
    now = on_this_machine()
    shared = now.shared_memory - before.shared_memory
    more = {"mounts": now.mounts - before.mounts, "shared memory": shared - _in_use(shared)}
    return {kind: tuple(sorted(names)) for kind, names in more.items() if names}


def of_this_process() -> Holdings:
    kinds = Counter(map(_kind, _opened(Path("/proc/self"))))
    resident = int(Path("/proc/self/statm").read_text().split()[1])
    return Holdings(tuple(sorted(kinds.items())), resident * os.sysconf("SC_PAGE_SIZE"))


def _opened(process: Path) -> Iterator[str]:
    """The target of each of a process's descriptors."""
    for link in (process / "fd").iterdir():
        # Some are closed by now, such as the one by which the list was read.
        with suppress(FileNotFoundError):
            yield os.readlink(link)


def _kind(target: str) -> str:
    """``socket:[123]`` is a socket; memory has names of its own, and a path is its own kind."""
    for kind in ("socket", "pipe"):
        if target.startswith(f"{kind}:"):
            return kind
    return "memory" if target.startswith("/memfd:") else target


def _mounts() -> list[str]:
    lines = MOUNTS.read_text().splitlines()
    # With the number of the mount, because the same place can be mounted over.
    return [f"{words[4]} (mount {words[0]})" for words in map(str.split, lines)]


def _shared_files() -> list[str]:
    found: list[str] = []
    if SHARED_FILES.is_dir():
        for path in SHARED_FILES.iterdir():
            try:
                owner = path.lstat().st_uid
            except FileNotFoundError:
                continue
            if owner == os.getuid():
                found.append(str(path))
    return found


def _system_v() -> list[str]:
    """Objects of System V IPC of this account; a kernel without them has no such files."""
    found: list[str] = []
    for table in SYSTEM_V.iterdir() if SYSTEM_V.is_dir() else ():
        names, *rows = (line.split() for line in table.read_text().splitlines())
        for row in rows:
            columns = dict(zip(names, row, strict=False))
            if str(os.getuid()) in (columns["uid"], columns["cuid"]):
                found.append(f"{table.name} {row[1]}")
    return found


def _in_use(names: frozenset[str]) -> set[str]:
    """The files among `names` that a process of this machine has mapped or open."""
    found: set[str] = set()
    for process in Path("/proc").iterdir() if names else ():
        if not process.name.isdecimal():
            continue
        # The process can end meanwhile, or belong to another account.
        with suppress(OSError):
            mapped = (process / "maps").read_text()
            found |= {name for name in names if f" {name}\n" in mapped}
            found |= names.intersection(_opened(process))
    return found
