"""`assay check --since`: narrows the targets to functions that changed since a git revision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from assay_engine.bounded import read_bytes
from assay_engine.cli.merge_base import Base, NoBase
from assay_engine.cli.targets import Target
from assay_engine.git import repository_of
from assay_engine.presence import real
from assay_engine.reading.files import UnreadableFile, decoded
from assay_engine.reading.units import find_units
from assay_engine.trial.changes import changed, same_lines


class Since:
    """Compares files in their work trees with their former states, each in its own repository.

    A function has changed if the former file held no function in the same state. The state is its
    text and all that its trial takes from the file. The digest that a report is filed under tells
    states apart (`docket.filed`).
    """

    def __init__(self, revision: str, environment: Mapping[str, str]) -> None:
        self.revision = revision
        self._environment = environment
        self._bases: dict[Path, Base] = {}

    def narrowed(self, files: Sequence[tuple[Target, ...]]) -> tuple[tuple[Target, ...], ...]:
        """The targets by file, narrowed to changed functions, without the files of which there is
        nothing to check or to say. Raises `NoBase` and `GitUnusable`."""
        return tuple(left for targets in files if (left := self._left(targets)))

    def _left(self, targets: tuple[Target, ...]) -> tuple[Target, ...]:
        path = targets[0].path
        base = self._base(path)
        there = real(path)
        try:
            data = read_bytes(there)
            text = decoded(path, data).text
        except (OSError, UnreadableFile):
            # The check will say that the file cannot be read.
            return targets
        units, faults = find_units(text)
        missing = any(target.missing(text, units) for target in targets)
        former = text if base.holds(there, data) else _text_of(path, base.content(there))
        if not missing and former is not None and same_lines(former, text):
            return ()
        among = changed(text, former)
        selections = [target.selects(text, units) for target in targets]
        due = any(
            selects(unit) for selects in selections for unit in units if unit.qualname in among
        )
        # The check says which functions are not there, and what cannot be parsed.
        kept = due or missing or bool(faults)
        return tuple(replace(each, among=among) for each in targets) if kept else ()

    def _base(self, path: Path) -> Base:
        root = repository_of(real(path).parent)
        if root is None:
            raise NoBase(
                f"{path} is in no git repository, which --since compares with. Check it without "
                "--since."
            )
        if root not in self._bases:
            self._bases[root] = Base(root, self.revision, self._environment)
        return self._bases[root]


def _text_of(path: Path, content: bytes | None) -> str | None:
    try:
        return None if content is None else decoded(path, content).text
    except UnreadableFile:  # then no function in it can have been the same
        return None
