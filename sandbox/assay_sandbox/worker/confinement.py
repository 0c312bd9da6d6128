"""What each tier of confinement does, to the zygote once and to every child."""

from __future__ import annotations

import os
import resource
import site
import sys
from typing import List, Optional, Set, Tuple

from . import kernel, landlock, seccomp, syscalls

NAMESPACES, LANDLOCK, BUBBLEWRAP, SECCOMP, NOTHING = "N", "L", "B", "S", "none"
WITH_LANDLOCK = (NAMESPACES, LANDLOCK)
MAXIMUM_DESCRIPTORS = 64
# Address space beyond what is resident, where it cannot be asked.
MAPPED_BY_LIBRARIES = 256 << 20

# What the C library and the interpreter read beside the interpreter's own folders.
SYSTEM_FILES = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/usr/share/zoneinfo",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
)


def readable_paths() -> List[str]:
    """The interpreter's libraries and its site-packages; nothing of the workspace or the home."""
    found: Set[str] = set(SYSTEM_FILES)
    found.add(os.path.dirname(os.__file__))
    found.update(site.getsitepackages([sys.prefix, sys.base_prefix]))
    for prefix in {sys.base_prefix, sys.base_exec_prefix}:
        # Beside `lib/pythonX.Y` there may be the shared library of the interpreter itself.
        found.add(os.path.join(prefix, "lib"))
    found.update(entry for entry in sys.path if _is_library(entry, found))
    return sorted(path for path in found if os.path.exists(path))


def _is_library(entry: str, libraries: Set[str]) -> bool:
    # A `.pth` file may add folders of a workspace; those stay closed.
    return any(entry.startswith(folder + os.sep) for folder in libraries)


def confine_zygote(tier: str, readable: List[str]) -> None:
    """Everything that holds for the zygote and all its children."""
    kernel.die_with_parent()
    kernel.drop_capabilities()
    kernel.hide_memory()
    kernel.forbid_new_privileges()
    if tier in WITH_LANDLOCK:
        landlock.confine_files(readable)


def confine_child(tier: str, memory_bytes: int, cpu_seconds: int) -> None:
    """Everything that comes on top for one program."""
    os.setsid()
    kernel.die_with_parent()
    _limit(memory_bytes, cpu_seconds)
    if tier in WITH_LANDLOCK:
        landlock.separate()
    if tier != NOTHING:
        seccomp.install(os.uname().machine, opening=tier != SECCOMP)


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
    limits: Tuple[Tuple[int, int], ...] = (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, MAXIMUM_DESCRIPTORS),
        (resource.RLIMIT_CORE, 0),
    )
    for which, value in limits:
        _soft, hard = resource.getrlimit(which)
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (bounded, bounded))


def open_size() -> Optional[int]:
    """A descriptor that says how large this process is; None where there is no /proc."""
    try:
        return os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return None


def address_space(size: Optional[int]) -> int:
    """Bytes of address space the zygote has, on top of which a program gets its own."""
    if size is None:
        return MAPPED_BY_LIBRARIES + resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return int(os.pread(size, 64, 0).split()[0]) * resource.getpagesize()
