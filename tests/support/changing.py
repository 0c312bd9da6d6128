"""A module with functions that use each other, and which of them `--since` would check."""

from __future__ import annotations

from pathlib import Path

from assay_engine.cli.since import Since
from assay_engine.cli.targets import targets_of
from assay_engine.files.source_files import read_file
from assay_engine.syntax.units import find_units
from support.repositories import ENVIRONMENT, Repository, repository

HELPER = "def half(number):\n    return number / 2\n"
MODULE = f'''\
SCALE = 3


{HELPER}

def scaled(number):
    """Scale a number."""
    return SCALE * half(number)


def plain(number):
    """Add one."""
    return number + 1


class Counter:
    """Counts."""

    def __init__(self, start):
        self.count = start

    def up(self):
        """Count up."""
        self.count += 1
'''
EVERYTHING = {"half", "scaled", "plain", "Counter.__init__", "Counter.up"}


def changed(
    *targets: Path | str, since: str = "main", environment: dict[str, str] | None = None
) -> set[str]:
    """The names of the functions that would be checked."""
    files = targets_of([str(each) for each in targets], ())
    found: set[str] = set()
    for left in Since(since, environment or ENVIRONMENT).narrowed(files):
        text = read_file(left[0].path).text
        units = find_units(text)[0]
        for target in left:
            found |= {unit.qualname for unit in units if target.selects(text, units)(unit)}
    return found


def branched(folder: Path) -> Repository:
    """A repository whose branch `feature` begins at `main`."""
    made = repository(folder)
    made.commit(module=MODULE)
    made.git("switch", "--quiet", "--create", "feature")
    return made
