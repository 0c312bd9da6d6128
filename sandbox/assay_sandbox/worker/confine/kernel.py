"""The few kernel calls that the standard library does not offer, through ctypes."""

from __future__ import annotations

import ctypes
import os
import struct

from ..core import signal

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_SET_THP_DISABLE = 41
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63

CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int, what: str) -> int:
    zero = ctypes.c_ulong(0)
    return _checked(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero), what)


def prctl_pointer(option: int, value: int, pointer: object, what: str) -> int:
    return _checked(_libc.prctl(option, ctypes.c_ulong(value), pointer, 0, 0), what)


def syscall(number: int, what: str, *arguments: object) -> int:
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments), what)


def at_the_end_of_the_parent(number: int) -> None:
    """Have the kernel send this process the signal `number` when its parent ends."""
    prctl(PR_SET_PDEATHSIG, number, "parent-death signal")


def die_with_parent() -> None:
    at_the_end_of_the_parent(signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs, as the first process would."""
    prctl(PR_SET_CHILD_SUBREAPER, 1, "child subreaper")


def hide_memory() -> None:
    prctl(PR_SET_DUMPABLE, 0, "undumpable")


def have_small_pages() -> None:
    """Use no huge pages: the kernel keeps a whole one while any part of it is mapped."""
    prctl(PR_SET_THP_DISABLE, 1, "no huge pages")


def forbid_new_privileges() -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1, "no_new_privs")


def drop_capabilities() -> None:
    """Give up all that this process may do as root or as owner of its namespace."""
    for capability in range(LAST_CAPABILITY + 1):
        # Errors do not matter, such as of a kernel that knows fewer or a process that has none:
        # the empty sets below decide, and no_new_privs keeps them empty.
        _libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(header, b"\0" * 24), "capset")


def enter_namespaces() -> None:
    """Enter new user, pid, network, IPC and host-name namespaces; pid takes effect at a fork."""
    user, group = os.getuid(), os.getgid()
    flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS
    _checked(_libc.unshare(flags), "unshare")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
