"""Applies each tier's confinement, to the zygote once and to every child.

Resource limits can only be lowered.
"""

from __future__ import annotations

import ctypes
import os
import resource

from . import kernel, landlock, seccomp, syscalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


def bound(*limits: tuple[int, int]) -> None:
    """Set each kind of limit to its value, or to the lower one that already holds."""
    for which, value in limits:
        _soft, hard = resource.getrlimit(which)
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (bounded, bounded))


NAMESPACES, LANDLOCK, SECCOMP, NOTHING = "N", "L", "S", "none"
WITH_LANDLOCK = (NAMESPACES, LANDLOCK)
# The filter refuses to open files: everything is loaded before.
WITHOUT_OPENING = (SECCOMP,)
DESCRIPTORS_MAX = 64
# Descriptors in flight are counted by account, up to how many the sender may have open.
DESCRIPTORS_OF_ZYGOTE_MAX = 512
# Of each process, or half of the machine's memory if that is more. Programs have their own bounds.
MEMORY_OF_ZYGOTE_MIN = 2 << 30
# With the threads of its children, which have room for about a hundred each.
PROCESSES_OF_ZYGOTE_MAX = 4096
# Pending signals are counted by account: a program could use up the share of all its processes.
SIGNALS_MAX = 64
# `resource` has no name for this limit.
RLIMIT_SIGPENDING = 11
# Address space beyond resident memory, where the kernel cannot be asked for it.
MAPPED_BY_LIBRARIES = 256 << 20


def confine_zygote(
    tier: str,
    readable: list[str],
    files: Iterable[str] = (),
    closed: frozenset[str] = frozenset(),
) -> None:
    """Apply everything that holds for the zygote and all its children.

    Of `readable` folders all but `closed` files can be read, and of `files` what really is one.
    """
    kernel.die_with_parent()
    kernel.drop_capabilities()
    kernel.hide_memory()
    kernel.have_small_pages()
    kernel.forbid_new_privileges()
    if tier in WITH_LANDLOCK:
        landlock.confine_files(readable, files, closed)


class ChildConfinement:
    """The further confinement of one program; made in the zygote, entered by every child.

    `sessions`: whether each child begins a session of its own.
    """

    def __init__(self, tier: str, *, sessions: bool) -> None:
        self.tier = tier
        self._sessions = sessions
        self._filter: seccomp.Filter | None = None
        if tier != NOTHING:
            self._filter = seccomp.Filter(os.uname().machine, opening=tier not in WITHOUT_OPENING)

    def enter(self, memory_bytes: int, cpu_seconds: int) -> None:
        if self._sessions:
            os.setsid()
        _limit(memory_bytes, cpu_seconds)
        if self.tier in WITH_LANDLOCK:
            landlock.separate()
        if self._filter is not None:
            self._filter.install()


def confine_survey(seconds: int) -> None:
    """Confine a child of such a zygote that runs code, too: it may have no children of its own."""
    bound((resource.RLIMIT_CPU, seconds))
    seccomp.Filter(os.uname().machine, opening=True).install()


def confine_forking(*, sessions: bool) -> None:
    """Confine a zygote that runs code of packages: it may do what its children may, and fork.

    `sessions`: whether its children may leave the process group in which they were started.
    """
    bound(
        (resource.RLIMIT_AS, max(MEMORY_OF_ZYGOTE_MIN, _memory() // 2)),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS_OF_ZYGOTE_MAX),
        (resource.RLIMIT_CORE, 0),
        (RLIMIT_SIGPENDING, SIGNALS_MAX),
    )
    if sessions:
        # Counted in the user namespace alone. The kernel exempts root.
        bound((resource.RLIMIT_NPROC, PROCESSES_OF_ZYGOTE_MAX))
    seccomp.Filter(os.uname().machine, opening=True, forking=True, sessions=sessions).install()


def _memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * resource.getpagesize()


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
    bound(
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS_MAX),
        (resource.RLIMIT_CORE, 0),
        (RLIMIT_SIGPENDING, SIGNALS_MAX),
    )


def be_first_to_go() -> None:
    """Where memory is short, have the kernel kill this process and its children first."""
    try:
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:
        # Without /proc, as under bubblewrap, the score stays as it is.
        return
    try:
        os.write(score, b"1000")
    finally:
        os.close(score)


class Size:
    """The address space of this process; a program's own comes on top. Made before Landlock."""

    def __init__(self) -> None:
        self._not_counted = 0
        self._said: int | None = None
        try:
            self._said = os.open("/proc/self/statm", os.O_RDONLY)
        except OSError:
            # There is no /proc, as under bubblewrap.
            return

    def address_space(self) -> int:
        """Bytes, except for those that `leave_out` has excluded."""
        return self._all() - self._not_counted

    def leave_out(self, before: int) -> None:
        """Exclude the bytes that were added since `address_space` gave `before`."""
        self._not_counted += self.address_space() - before

    def _all(self) -> int:
        if self._said is None:
            resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            return MAPPED_BY_LIBRARIES + resident
        return int(os.pread(self._said, 64, 0).split()[0]) * resource.getpagesize()


# The entry of the auxiliary vector with the address of the executable's name, which is at the very
# top of the stack.
AT_EXECFN = 31
STACK_MAX = 8 << 20
# The distance to the lowest byte that the stack may reach. No interpreter goes so far.
LEFT = 16 << 10
# Before, the kernel treated an access so far below the used part of the stack as an error.
KERNEL_MIN = 5


def take_stack() -> None:
    """Extend the stack as far down as it may reach, at the cost of one page.

    Otherwise it grows with its use, as long as the address space may. Since Python 3.14, C code
    recurses as deep as the stack may reach (before: for a fixed number of calls). So a program that
    has used up its memory would crash as it frees nested values, in place of being told so.
    """
    if int(os.uname().release.partition(".")[0]) < KERNEL_MIN:
        return
    told = ctypes.CDLL(None).getauxval
    told.restype = ctypes.c_ulong
    top = told(ctypes.c_ulong(AT_EXECFN))
    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    size = STACK_MAX if limit == resource.RLIM_INFINITY else min(limit, STACK_MAX)
    if top and size > LEFT:
        ctypes.string_at(top - size + LEFT, 1)
