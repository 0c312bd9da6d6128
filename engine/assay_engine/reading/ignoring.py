"""Tells which files are not the user's own: these are checked only if they are asked for by name.

Left out are files that a ``.gitignore`` names, in the root or in a folder below it, files that the
project's ``exclude`` names, hidden folders, installed packages and virtual environments.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

from assay_engine.bounded import read_bytes
from assay_engine.patterns import patterns_of
from assay_engine.presence import is_there, real

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


class Ignoring:
    """Tells what is left out below a root. `patterns` are those of the project's settings.

    Answers about folders are remembered, so an instance serves one walk, or one question.
    """

    def __init__(self, root: Path, patterns: Sequence[str]) -> None:
        self._root = real(root)
        self._patterns = patterns_of(patterns)
        self._folders: dict[Path, bool] = {}
        self._specs: dict[Path, GitIgnoreSpec] = {}

    def ignores(self, path: Path) -> bool:
        """Whether a file is left out. A file outside of the root never is."""
        resolved = real(path.parent) / path.name
        if not resolved.is_relative_to(self._root):
            return False
        return self._leaves_out_folder(resolved.parent) or self._matched(resolved, "")

    def python_files(self, folder: Path) -> Iterator[Path]:
        """The Python files below a folder that are not left out, sorted.

        The folder itself is asked for by name, so only patterns can leave it out. A link that leads
        nowhere is no file. A folder that may not be listed is given in the place of its files: then
        whoever reads it learns of the failure.
        """
        failures: list[OSError] = []
        for current, folders, files in os.walk(folder, onerror=failures.append):
            # Links within are judged by where they lie, not by where they lead, as Git does.
            within = real(Path(current))
            folders[:] = sorted(name for name in folders if not self._skips(within / name))
            for name in sorted(files):
                if name.endswith(".py") and not self._matched(within / name, ""):
                    path = Path(current, name)
                    # A link that leads nowhere may be an editor's mark that a file is open.
                    if is_there(path) or not os.path.islink(path):
                        yield path
        yield from (Path(failure.filename) for failure in failures if not _is_gone(failure))

    def _leaves_out_folder(self, folder: Path) -> bool:
        if folder == self._root or not folder.is_relative_to(self._root):
            return False
        known = self._folders.get(folder)
        if known is None:
            known = self._leaves_out_folder(folder.parent) or self._skips(folder)
            self._folders[folder] = known
        return known

    def _skips(self, folder: Path) -> bool:
        """Whether a folder is left out by itself, wherever it lies."""
        return (
            folder.name.startswith(".")
            or folder.name in SKIPPED_FOLDERS
            or is_there(folder / "pyvenv.cfg")
            or self._matched(folder, "/")
        )

    def _matched(self, path: Path, mark: str) -> bool:
        """Whether any pattern names a path; `mark` is a slash for folders, as in patterns."""
        if not path.is_relative_to(self._root):
            return False
        if self._patterns.match_file(f"{path.relative_to(self._root).as_posix()}{mark}"):
            return True
        # As in Git, the nearest ``.gitignore`` that says anything of the path decides.
        for folder in path.parents:
            found = self._spec(folder).check_file(f"{path.relative_to(folder).as_posix()}{mark}")
            if found.include is not None:
                return found.include
            if folder == self._root:
                break
        return False

    def _spec(self, folder: Path) -> GitIgnoreSpec:
        spec = self._specs.get(folder)
        if spec is None:
            spec = self._specs[folder] = patterns_of(_lines(folder / ".gitignore"))
        return spec


def _lines(path: Path) -> list[str]:
    try:
        return read_bytes(path).decode("utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _is_gone(failure: OSError) -> bool:
    """Whether a folder was removed, or replaced, while files were looked for."""
    return isinstance(failure, FileNotFoundError | NotADirectoryError)
