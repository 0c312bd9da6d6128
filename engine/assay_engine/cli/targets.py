"""What to check: paths, ``file.py::qualname`` and ``file.py:LINE`` as files and selections."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pathspec

from assay_engine.types import Unit

FILES_MAX = 10_000
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_LINE = re.compile(r"(?P<path>.+\.pyi?):(?P<line>[0-9]+)")


class BadTarget(Exception):
    """A target that names nothing; the message says what would."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file, and which of its units: all, one by name, or the innermost around a line."""

    path: Path
    qualname: str | None = None
    line: int | None = None

    def selects(self, text: str) -> Callable[[Unit], bool] | None:
        """A predicate over units of `text`, or None for all of them."""
        if self.qualname is not None:
            return lambda unit: unit.qualname == self.qualname
        if self.line is not None:
            start = _offset_of(text, self.line)
            return lambda unit: unit.span.start <= start <= unit.span.end
        return None


def targets_of(arguments: Sequence[str], excluded: Sequence[str]) -> tuple[Target, ...]:
    """The targets in order, files of folders sorted. Raises `BadTarget`."""
    found: list[Target] = []
    for argument in arguments or (".",):
        path, separator, qualname = argument.partition("::")
        line = _LINE.fullmatch(argument)
        if separator:
            found.append(Target(_existing_file(path), qualname=qualname))
        elif line is not None and not Path(argument).exists():
            found.append(Target(_existing_file(line["path"]), line=int(line["line"])))
        elif Path(argument).is_dir():
            found += [Target(file) for file in _python_files(Path(argument), excluded)]
        else:
            found.append(Target(_existing_file(argument)))
    return tuple(dict.fromkeys(found))


def project_root(path: Path) -> Path:
    """The nearest folder above that looks like a project, or the file's own folder."""
    start = path.resolve()
    folder = start if start.is_dir() else start.parent
    for candidate in (folder, *folder.parents):
        if (candidate / "pyproject.toml").is_file() or (candidate / ".git").exists():
            return candidate
    return folder


def _existing_file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise BadTarget(
            f"{name} does not exist. Name a file, a folder, file.py::name or file.py:LINE."
        )
    return path


def _python_files(folder: Path, excluded: Sequence[str]) -> Iterator[Path]:
    """Python files below the folder that neither .gitignore nor the settings leave out, sorted."""
    patterns = [*_ignored(project_root(folder)), *excluded]
    spec = pathspec.PathSpec.from_lines("gitignore", patterns)
    root = project_root(folder)
    count = 0
    for current, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in SKIPPED_FOLDERS
            and not Path(current, name, "pyvenv.cfg").exists()
            and not spec.match_file(f"{_relative(Path(current, name), root)}/")
        )
        for name in sorted(files):
            path = Path(current, name)
            if name.endswith(".py") and not spec.match_file(_relative(path, root)):
                count += 1
                if count > FILES_MAX:
                    raise BadTarget(
                        f"{folder} holds over {FILES_MAX} Python files. Name a part of it."
                    )
                yield path


def _ignored(root: Path) -> list[str]:
    try:
        return (root / ".gitignore").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _relative(path: Path, root: Path) -> str:
    resolved = path.resolve()
    return (
        resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else path.as_posix()
    )


def _offset_of(text: str, line: int) -> int:
    """The offset of a 1-based line's first character that is not blank."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    if line > len(starts):
        return len(text) + 1
    start = starts[max(line, 1) - 1]
    rest = text[start:]
    return start + len(rest) - len(rest.lstrip(" \t"))
