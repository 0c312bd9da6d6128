"""Landlock: which files may be read; no TCP, and no signals or abstract sockets of others."""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from . import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

# The same numbers on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
OPEN = 437
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY = 1, 2, 4, 8
# Bits 0 to 12 are the first version's; REFER, TRUNCATE and IOCTL_DEV came with 2, 3 and 5.
FIRST_RIGHTS = (1 << 13) - 1
LATER_RIGHTS = ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
NETWORK_RIGHTS = 0b11
SCOPES = 0b11
NETWORK_SINCE, SCOPES_SINCE = 4, 6


RESOLVE_NO_SYMLINKS = 0x04


class Unsupported(Exception):
    """This kernel has no Landlock, or it is switched off."""


def version() -> int:
    try:
        return kernel.syscall(
            CREATE_RULESET, "landlock", None, ctypes.c_size_t(0), CREATE_RULESET_VERSION
        )
    except OSError as error:
        raise Unsupported(f"Landlock is not available: {error.strerror}") from None


def keeps_signals() -> bool:
    """Whether a confined process can only signal processes under the same confinement."""
    return version() >= SCOPES_SINCE


def confine_files(
    readable: Iterable[str], files: Iterable[str], closed: frozenset[str] = frozenset()
) -> None:
    """Let this process open only `readable` files and folders, but no file that is `closed`, and
    `files` that are no folders, given by their real paths, and only for reading.

    Only the null device can be written to: it keeps nothing, and programs send output there.
    """
    known = version()
    rights = FIRST_RIGHTS
    for since, right in LATER_RIGHTS:
        if known >= since:
            rights |= right
    ruleset = _ruleset(known, rights)
    try:
        for path in readable:
            _allow_around(ruleset, path, closed)
        for path in files:
            _allow(ruleset, path, READ_FILE)
        _allow(ruleset, os.devnull, READ_FILE | WRITE_FILE)
        _enter(ruleset)
    finally:
        os.close(ruleset)


def separate() -> None:
    """Enter a domain of its own within the present one: no signalling or tracing of siblings."""
    # A ruleset has to handle some right; making block devices is forbidden already.
    ruleset = _ruleset(version(), 1 << 11)
    try:
        _enter(ruleset)
    finally:
        os.close(ruleset)


def _ruleset(known: int, rights: int) -> int:
    attributes = struct.pack(
        "=QQQ",
        rights,
        NETWORK_RIGHTS if known >= NETWORK_SINCE else 0,
        SCOPES if known >= SCOPES_SINCE else 0,
    )
    # Older kernels refuse a structure that is longer than they know.
    size = 24 if known >= SCOPES_SINCE else 16 if known >= NETWORK_SINCE else 8
    return kernel.syscall(
        CREATE_RULESET, "landlock_create_ruleset", attributes, ctypes.c_size_t(size), 0
    )


def _allow_around(ruleset: int, path: str, closed: frozenset[str]) -> None:
    """Allow reading a file, or all in a folder, but for what is closed: a rule for a folder holds
    for everything in it, and none takes that back."""
    if path in closed:
        return
    if not any(each.startswith(f"{path}/") for each in closed):
        _allow(ruleset, path, READ_FILE | READ_DIRECTORY)
        return
    _allow(ruleset, path, READ_DIRECTORY)
    for name in os.listdir(path):
        _allow_around(ruleset, f"{path}/{name}", closed)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = opened(path, os.O_PATH)
    except OSError:
        # A file that does not exist needs no permission.
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= ~READ_DIRECTORY
        elif not rights & READ_DIRECTORY:
            # A file has become a folder, of which nobody has said that it may be read.
            return
        kernel.syscall(
            ADD_RULE,
            "landlock_add_rule",
            ruleset,
            RULE_PATH_BENEATH,
            struct.pack("=Qi", rights, descriptor),
            0,
        )
    finally:
        os.close(descriptor)


def opened(path: str, flags: int) -> int:
    """A descriptor of what is at an absolute path without links. Raises OSError.

    `os.open` would follow a link that somebody has made since the path was found to have none.
    """
    how = struct.pack("=QQQ", flags | os.O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS)
    return kernel.syscall(OPEN, "openat2", -1, os.fsencode(path), how, ctypes.c_size_t(len(how)))


def _enter(ruleset: int) -> None:
    kernel.syscall(RESTRICT_SELF, "landlock_restrict_self", ruleset, 0)
