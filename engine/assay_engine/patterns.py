"""Patterns of files as in ``.gitignore``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pathspec import GitIgnoreSpec


def patterns_of(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns in the lines of a file. As in Git, a line that is no pattern matches nothing."""
    given = tuple(lines)
    try:
        return GitIgnoreSpec.from_lines(given)
    except (ValueError, re.error):
        return GitIgnoreSpec.from_lines(line for line in given if is_pattern(line))


def is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):  # for example a `!` alone, or a range `[z-a]`
        return False
    return True
