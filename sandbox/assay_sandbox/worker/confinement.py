"""What each tier of confinement does, to the zygote once and to every child."""

from __future__ import annotations

import os
import resource

from . import bounding, kernel, landlock, seccomp, syscalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional

NAMESPACES, LANDLOCK, BUBBLEWRAP, SECCOMP, NOTHING = "N", "L", "B", "S", "none"
WITH_LANDLOCK = (NAMESPACES, LANDLOCK)
DESCRIPTORS_MAX = 64
# Those on their way to somebody are counted by account, up to what the sender may have open.
DESCRIPTORS_OF_ZYGOTE_MAX = 512
# Signals that wait are counted by account: a program could use up what all its processes may have.
SIGNALS_MAX = 64
# Which has no name in `resource`.
RLIMIT_SIGPENDING = 11
# Address space beyond what is resident, where it cannot be asked.
MAPPED_BY_LIBRARIES = 256 << 20


def confine_zygote(tier: str, readable: List[str]) -> None:
    """Everything that holds for the zygote and all its children."""
    kernel.die_with_parent()
    kernel.drop_capabilities()
    kernel.hide_memory()
    kernel.have_small_pages()
    kernel.forbid_new_privileges()
    if tier in WITH_LANDLOCK:
        landlock.confine_files(readable)


class ChildConfinement:
    """Everything that comes on top for one program; made in the zygote, entered by every child.

    `sessions`: whether each begins a session of its own.
    """

    def __init__(self, tier: str, *, sessions: bool) -> None:
        self.tier = tier
        self._sessions = sessions
        self._filter: Optional[seccomp.Filter] = None
        if tier != NOTHING:
            self._filter = seccomp.Filter(os.uname().machine, opening=tier != SECCOMP)

    def enter(self, memory_bytes: int, cpu_seconds: int) -> None:
        if self._sessions:
            os.setsid()
        _limit(memory_bytes, cpu_seconds)
        if self.tier in WITH_LANDLOCK:
            landlock.separate()
        if self._filter is not None:
            self._filter.install()


def confine_forking(tier: str, *, sessions: bool) -> None:
    """What a zygote may still do that runs code of packages: what its children may, and fork.

    `sessions`: whether they may leave the group of processes in which they were started.
    """
    bounding.bound(
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS_OF_ZYGOTE_MAX),
        (resource.RLIMIT_CORE, 0),
        (RLIMIT_SIGPENDING, SIGNALS_MAX),
    )
    if tier != NOTHING:
        seccomp.Filter(
            os.uname().machine,
            opening=tier != SECCOMP,
            forking=True,
            sessions=sessions,
        ).install()


def unavailable(tier: str) -> str:
    """Why this tier cannot work here at all; empty if it may."""
    if tier != NOTHING and os.uname().machine not in syscalls.MACHINES:
        return f"no system call list for {os.uname().machine}"
    if tier in WITH_LANDLOCK:
        try:
            landlock.version()
        except landlock.Unsupported as error:
            return str(error)
    return ""


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    bounding.bound(
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS_MAX),
        (resource.RLIMIT_CORE, 0),
        (RLIMIT_SIGPENDING, SIGNALS_MAX),
    )


def be_first_to_go() -> None:
    """Where memory is short, this process and its children go before anybody else's."""
    try:
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:
        # Without /proc, as under bubblewrap, it stays as it is.
        return
    try:
        os.write(score, b"1000")
    finally:
        os.close(score)


class Size:
    """How large this process is, on top of which a program gets its own. Made before Landlock."""

    def __init__(self) -> None:
        self._not_counted = 0
        self._said: Optional[int] = None
        try:
            self._said = os.open("/proc/self/statm", os.O_RDONLY)
        except OSError:
            # There is no /proc, as under bubblewrap.
            return

    def address_space(self) -> int:
        """Bytes, but for those that are not to be counted."""
        return self._all() - self._not_counted

    def leave_out(self, before: int) -> None:
        """What has come since it was so much is not to be counted."""
        self._not_counted += self.address_space() - before

    def _all(self) -> int:
        if self._said is None:
            resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            return MAPPED_BY_LIBRARIES + resident
        return int(os.pread(self._said, 64, 0).split()[0]) * resource.getpagesize()
