"""Looks for packages of a virtual environment that are really somewhere else.

The worker opens none of these. Who chooses an interpreter can tell the user, and the canaries try.
"""

from __future__ import annotations

import os
from pathlib import Path

# Where the interpreters of all systems look, Debian's included.
_PACKAGES = tuple(
    f"{above}[Ll]ib*/{between}*-packages" for above in ("", "local/") for between in ("*/", "")
)


def packages_elsewhere(environment: Path) -> tuple[tuple[Path, Path], ...]:
    """The folders of packages that lead out of an environment, each by its name and really."""
    inside = os.path.realpath(environment)
    found = (
        (name, Path(os.path.realpath(name)))
        for each in _PACKAGES
        for name in environment.glob(each)
    )
    return tuple((name, folder) for name, folder in found if not folder.is_relative_to(inside))
