"""Content digests: the identity of texts, prompts and reports."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from functools import lru_cache


def of_text(text: str) -> str:
    """The SHA-256 of a text. Lone surrogates, which broken files may hold, stay distinct."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# A cache of a pure function: it is called for each function of a file, which may have thousands.
@lru_cache(maxsize=4)
def of_file(text: str) -> str:
    """The digest of the whole text of a file, as `of_text` gives it."""
    return of_text(text)


def of_path(path: str) -> str:
    """The SHA-256 of what a file holds now; empty if it cannot be read."""
    try:
        now = os.stat(path)
        # Whoever keeps the time of a change cannot keep the time at which that was set. What is no
        # file may have no end.
        known = (now.st_mtime_ns, now.st_ctime_ns, now.st_size, now.st_ino)
        return _of_content(path, known) if stat.S_ISREG(now.st_mode) else ""
    except (OSError, ValueError):
        return ""


# The modules of a project are asked about for each function that uses them.
@lru_cache(maxsize=4096)
def _of_content(path: str, _state: tuple[int, ...]) -> str:
    # It may have become a pipe since, which would wait for somebody to write.
    with open(path, "rb", opener=_without_waiting) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def of_parts(parts: Iterable[str]) -> str:
    """The digest of a sequence of texts.

    The lengths are digested as well, so that ("ab", "c") differs from ("a", "bc").
    """
    whole = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        whole.update(len(encoded).to_bytes(8, "big"))
        whole.update(encoded)
    return whole.hexdigest()
