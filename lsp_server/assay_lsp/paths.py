"""Paths out of what clients send, which may be anything."""

from __future__ import annotations

import os

from pygls.uris import to_fs_path


def is_path(text: str) -> bool:
    """Whether a file could be called so: otherwise all that opens or looks for it raises."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return bool(text) and "\0" not in text


def path_of(uri: str) -> str | None:
    """The path of a file's URI; None if it names no file, or none that there could be."""
    path = to_fs_path(uri)
    return path if path and is_path(path) else None
