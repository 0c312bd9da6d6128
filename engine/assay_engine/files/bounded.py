"""Files that anybody may have put there: read up to a bounded size, without ever waiting; whether
they are there, and where their path leads, told without raising.

A path that may not be looked at, or that no system allows as a name, counts as absent. The methods
of `Path` raise for such paths before Python 3.14, and one folder that belongs to somebody else
would end a check.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from pathlib import Path

from assay_engine.bounds import FILE_BYTES_MAX, KEY_PARTS_MAX, SETTINGS_BYTES_MAX

# Without O_NONBLOCK, opening a pipe would wait for somebody to write into it. Windows lacks that
# flag, and other systems lack O_BINARY.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_bytes(path: Path, limit: int = FILE_BYTES_MAX) -> bytes:
    """The content of a regular file of at most `limit` bytes. Raises OSError."""
    # Looked at first, since opening alone sets some devices to work.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
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
        size = f"{limit >> 20} MB" if limit >= 1 << 20 else f"{limit >> 10} kB"
        raise OSError(errno.EFBIG, f"larger than {size}", str(path))
    return content


_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{KEY_PARTS_MAX}}}")


def read_toml(path: Path) -> dict[str, object]:
    """The content of a file of settings. Raises OSError, and ValueError if it is no TOML."""
    text = read_bytes(path, SETTINGS_BYTES_MAX).decode("utf-8")
    if _LONG_KEY.search(text):
        raise ValueError(f"it has a key of more than {KEY_PARTS_MAX} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        # Tables nested a thousand deep are too deep for the parser.
        raise ValueError("its tables are nested too deeply") from None


def is_there(path: Path) -> bool:
    return os.path.exists(path)


def is_file(path: Path) -> bool:
    return os.path.isfile(path)


def is_folder(path: Path) -> bool:
    return os.path.isdir(path)


def real(path: Path) -> Path:
    """The path without links.

    If links lead to each other, the result is the last link that is found. An editor may hold a
    text whose path is such a link, and `Path.resolve` raises for it before Python 3.13.
    """
    return Path(os.path.realpath(path))
