"""Reads paths from what clients send, which may be anything."""

from __future__ import annotations

import os
import re
from pathlib import PurePath

from pygls.uris import to_fs_path

_LOCALHOST = re.compile("file://localhost/", re.IGNORECASE)


def is_path(text: str) -> bool:
    """Whether a file could have this name; for other names, opening or looking for it raises."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return bool(text) and "\0" not in text


def path_of(uri: str) -> str | None:
    """The path of a file's URI; None if it names no file, or one that cannot exist."""
    path = written_path(uri)
    return path if path and is_path(path) else None


def folder_of(uri: str) -> str | None:
    """As `path_of`, for a folder, whose URI may end in a slash."""
    path = path_of(uri)
    return None if path is None else str(PurePath(path))


def written_path(uri: str) -> str | None:
    """As `path_of`, but also for paths that cannot exist."""
    try:
        return to_fs_path(without_localhost(uri))
    except ValueError:  # "vscode-remote://[x/m.py"
        return None


def without_localhost(uri: str) -> str:
    """Drop the host `localhost`, so that a file of this machine is not taken for one of a share."""
    return _LOCALHOST.sub("file:///", uri, count=1)
