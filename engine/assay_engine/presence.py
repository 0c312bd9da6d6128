"""Tells whether there is something at a path, and where the path leads, without raising.

A path that may not be looked at, or that no system allows as a name, counts as absent. The methods
of `Path` raise for such paths before Python 3.14, and one folder that belongs to somebody else
would end a check.
"""

from __future__ import annotations

import os
from pathlib import Path


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
