"""Reads files that anybody may have put there, up to a bounded size and without ever waiting."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

# Generated tables grow beyond this size; files that somebody writes do not.
FILE_BYTES_MAX = 2 << 20

# Without O_NONBLOCK, opening a pipe would wait for somebody to write into it. Windows lacks that
# flag, and other systems lack O_BINARY.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_bytes(path: Path, limit: int = FILE_BYTES_MAX) -> bytes:
    """The content of a regular file of at most `limit` bytes. Raises OSError."""
    descriptor = os.open(path, _FLAGS)
    # Check the kind of file before handing over the descriptor: `os.fdopen` would refuse that of a
    # folder and leave it open.
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(limit + 1)
    finally:
        os.close(descriptor)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit >> 20} MB", str(path))
    return content
