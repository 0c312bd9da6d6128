"""Whether there is something at a path, and where that leads, asked without raising.

What may not be looked at, or has a name that no system knows, is not there. The methods of a path
raise for that before Python 3.14, and one folder that belongs to somebody else would end a check.
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
    """The path without links. Of links that lead to each other the last one that is found: an
    editor may hold a text whose path is one of them, and resolving it raises before Python 3.13."""
    return Path(os.path.realpath(path))
