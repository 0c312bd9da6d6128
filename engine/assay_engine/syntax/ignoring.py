"""Tells which files are not the user's own: these are checked only if they are asked for by name.

Left out are files that a ``.gitignore`` names, in the root or in a folder below it, or the file for
the same in ``.git``, files that the
project's ``exclude`` names, hidden folders, installed packages and virtual environments.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay_engine.bounds import (
    FOLDERS_DEEP_MAX,
    PATTERN_CHARACTERS_MAX,
    PATTERNS_BYTES_MAX,
)
from assay_engine.config.configuration import excluded, project_root
from assay_engine.files.bounded import is_there, read_bytes, real
from assay_engine.files.patterns import Patterns, is_overlong
from assay_engine.words import one_line

log = logging.getLogger(__name__)

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


def is_left_out(path: Path, root: str | None) -> bool:
    """Whether a file is left out by its own project, or by that of another root.

    Raises `ConfigurationError`.
    """
    own = str(project_root(path))
    return any(
        Ignoring(Path(each), excluded(each)).ignores(path)
        for each in dict.fromkeys(filter(None, (own, root)))
    )


class Ignoring:
    """Tells what is left out below a root. `patterns` are those of the project's settings.

    Answers about folders are remembered, so an instance serves one walk, or one question.
    """

    def __init__(self, root: Path, patterns: Sequence[str]) -> None:
        self._root = real(root)
        self._patterns = Patterns(patterns)
        self._folders: dict[Path, bool] = {}
        self._named: dict[Path, bool] = {self._root: False}
        self._ruling: dict[Path, tuple[tuple[Path, Patterns], ...]] = {}

    def ignores(self, path: Path) -> bool:
        """Whether a file is left out. A file outside of the root never is."""
        resolved = real(path.parent) / path.name
        if not resolved.is_relative_to(self._root):
            return False
        return self._leaves_out_folder(resolved.parent) or self._is_named(resolved)

    def python_files(self, folder: Path) -> Iterator[Path]:
        """The Python files below a folder that are not left out, sorted.

        The folder itself is asked for by name, so only patterns can leave it out. A link that leads
        nowhere is no file. A folder that may not be listed is given in the place of its files: then
        whoever reads it learns of the failure.
        """
        if self._names_folder(real(folder)):
            return
        failures: list[OSError] = []
        for current, folders, files in os.walk(folder, onerror=failures.append):
            # Links within are judged by where they lie, not by where they lead, as Git does.
            within = real(Path(current))
            folders[:] = sorted(name for name in folders if not self._skips(within / name))
            for name in sorted(files):
                if name.endswith(".py") and not self._is_named(within / name):
                    path = Path(current, name)
                    # A link that leads nowhere may be an editor's mark that a file is open.
                    if is_there(path) or not os.path.islink(path):
                        yield path
        # One that was removed, or replaced, in the meantime has no files.
        gone = (FileNotFoundError, NotADirectoryError)
        yield from (Path(each.filename) for each in failures if not isinstance(each, gone))

    def _leaves_out_folder(self, folder: Path) -> bool:
        if folder == self._root or not folder.is_relative_to(self._root):
            return False
        known = self._folders.get(folder)
        if known is None:
            known = self._skips(folder) or self._leaves_out_folder(folder.parent)
            self._folders[folder] = known
        return known

    def _skips(self, folder: Path) -> bool:
        """Whether a folder is left out by itself, wherever it lies."""
        return (
            len(folder.parts) - len(self._root.parts) > FOLDERS_DEEP_MAX
            or folder.name.startswith(".")
            or folder.name in SKIPPED_FOLDERS
            or is_there(folder / "pyvenv.cfg")
            or self._names_folder(folder)
        )

    def _names_folder(self, folder: Path) -> bool:
        """Whether a pattern leaves out a folder, or one that it is in, as long as these are below
        the root."""
        if not folder.is_relative_to(self._root):
            return False
        if folder not in self._named:
            above = self._names_folder(folder.parent)
            self._named[folder] = above or self._is_named(folder, is_folder=True)
        return self._named[folder]

    def _is_named(self, path: Path, *, is_folder: bool = False) -> bool:
        """Whether a pattern leaves out this very path. Nothing outside of the root is left out."""
        if not path.is_relative_to(self._root):
            return False
        if self._patterns.leave_out(_name_in(self._root, path), is_folder=is_folder):
            return True
        for folder, patterns in self._rulers_of(path.parent):
            said = patterns.leave_out(_name_in(folder, path), is_folder=is_folder)
            if said is not None:
                return said
        return False

    def _rulers_of(self, folder: Path) -> tuple[tuple[Path, Patterns], ...]:
        """The folders with patterns that may name what is in this one, and these.

        As in Git, the nearest ``.gitignore`` that says anything of a path decides.
        """
        if folder not in self._ruling:
            within = folder != self._root and folder.is_relative_to(self._root)
            above = self._rulers_of(folder.parent) if within else ()
            lines = [*_lines(folder / ".git" / "info" / "exclude"), *_lines(folder / ".gitignore")]
            own = ((folder, Patterns(lines)),) if lines else ()
            self._ruling[folder] = (*own, *above)
        return self._ruling[folder]


def _name_in(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _lines(path: Path) -> list[str]:
    try:
        text = read_bytes(path, PATTERNS_BYTES_MAX).decode("utf-8-sig", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as failure:
        log.warning("%s is not used: %s. Mend it.", one_line(str(path)), failure.strerror)
        return []
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    overlong = next((at for at, each in enumerate(lines, 1) if is_overlong(each)), None)
    if overlong is not None:
        log.warning(
            "%s: line %d is not used: it has more than %d characters. Shorten it.",
            one_line(str(path)),
            overlong,
            PATTERN_CHARACTERS_MAX,
        )
    return lines
