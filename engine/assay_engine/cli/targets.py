"""The targets to check: reads paths, ``file.py::qualname`` and ``file.py:LINE``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from os.path import islink
from pathlib import Path
from stat import S_ISREG
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.check_unit import OtherVersion
from assay_engine.config.configuration import (
    EngineOptions,
    excluded,
    project_root,
    settings_for,
)
from assay_engine.errors import AssayError
from assay_engine.files.bounded import is_folder, is_there
from assay_engine.files.source_files import read_file
from assay_engine.syntax.ignoring import Ignoring
from assay_engine.syntax.units import find_units, innermost, is_addressed
from assay_engine.types import SourceText, Unit
from assay_engine.words import count, line_starts, listed

FILES_MAX = 10_000
NAMED_MAX = 3
# Scripts often have no suffix.
_SUFFIXES = (".py", ".pyi", ".pyw", "")
_LINE = re.compile(r"(?P<path>.+\.pyi?):(?P<line>[0-9]{1,9})")


_NAME_ONE = "Name a file, a folder, file.py::name or file.py:LINE."


class BadTarget(AssayError):
    """A target that names nothing; the message says what would."""


class Target(Struct, frozen=True):
    """A file, and which of its units: all, one by name, or the innermost around a line.

    `among` are the names of the units that may be checked; None: all.
    """

    path: Path
    qualname: str | None = None
    line: int | None = None
    among: frozenset[str] | None = None

    @property
    def is_whole(self) -> bool:
        return self.qualname is None and self.line is None

    def selects(self, text: str, units: Sequence[Unit]) -> Callable[[Unit], bool]:
        """A predicate that holds for the selected ones of the `units` of `text`."""
        means, among = self._means(text, units), self.among
        return means if among is None else lambda unit: unit.qualname in among and means(unit)

    def missing(self, text: str, units: Sequence[Unit]) -> str | None:
        """A sentence that the named unit is not among the units of the text, with units that may
        have been meant. None if it is among them, or if the target is the whole file."""
        if self.is_whole or any(map(self._means(text, units), units)):
            return None
        if self.qualname is None:
            last = len(line_starts(text.rstrip("\r\n")))
            hint = f"; it has {count(last, 'line')}" if (self.line or 0) > last else ""
            return f"{self.path} has no function at line {self.line}{hint}"
        return f"{self.path} has no function {self._unknown(self.qualname, text, units)}"

    def _means(self, text: str, units: Sequence[Unit]) -> Callable[[Unit], bool]:
        if self.qualname is not None:
            return lambda unit: unit.qualname == self.qualname
        if self.line is not None:
            there = innermost(units, _offset_of(text, self.line))
            return lambda unit: there is not None and unit.span == there.span
        return is_addressed

    def _unknown(self, qualname: str, text: str, units: Sequence[Unit]) -> str:
        """The name and the units that there are instead: similar names, or else the first few."""
        wanted = qualname or "without a name"
        named, name = [unit.qualname for unit in units], _last(qualname)
        near = [each for each in named if _last(each) == name]
        near = near or [each for each in named if each.startswith(f"{qualname}.")]
        near = near or get_close_matches(qualname, named)
        last = get_close_matches(name, {_last(each) for each in named})
        near = near or [each for each in named if _last(each) in last]
        if near:
            return f"{wanted}; there is {listed(near, NAMED_MAX)}"
        if name and re.search(rf"\bdef\s+{re.escape(name)}\b", text):
            return f"{wanted} with a body: there is nothing to check in a stub or an overload"
        return f"{wanted}; it has {listed(named, NAMED_MAX) or 'none at all'}"


# The targets in one file.
Targets = tuple[Target, ...]
# The root of a project, and what to check in it, by file.
Project = tuple[str, tuple[Targets, ...]]


class Chosen(Struct, frozen=True):
    """What targets name in one file: `units` of its text. `faults` are what could not be read, and
    `missing` sentences on what is not there."""

    source: SourceText
    units: tuple[Unit, ...]
    faults: tuple[str, ...]
    missing: tuple[str, ...]

    def only(self, unit: Unit) -> bool:
        """Whether a unit of the text is among those chosen."""
        return unit in self.units


def chosen_by(targets: Sequence[Target], root: str, request: str = "") -> Chosen:
    """What the targets, all of one file, name in it. A unit is there once, however many targets
    select it. Raises `UnreadableFile`."""
    path = targets[0].path
    source = SourceText(str(path), read_file(path).text, root, request)
    units, faults = find_units(source.text)
    selections = [target.selects(source.text, units) for target in targets]
    missing = [target.missing(source.text, units) for target in targets]
    return Chosen(
        source,
        tuple(unit for unit in units if any(selects(unit) for selects in selections)),
        tuple(fault.message for fault in faults),
        tuple(each for each in missing if each is not None),
    )


def targets_of(
    arguments: Sequence[str], excluding: Sequence[str]
) -> tuple[tuple[Target, ...], ...]:
    """The targets by file, in the order in which the files are first named; files of folders are
    sorted. Different paths to the same file count as one file. Raises `BadTarget`."""
    found: list[Target] = []
    for argument in arguments:
        path, separator, qualname = argument.partition("::")
        line = _LINE.fullmatch(argument)
        if separator:
            # Python normalises names in this way, and so do the units of a file.
            name = normalize("NFKC", qualname)
            found.append(Target(_existing_file(path), qualname=name))
        elif line is not None and not is_there(Path(argument)):
            found.append(Target(_existing_file(line["path"]), line=_number(argument, line["line"])))
        elif argument and is_folder(Path(argument)):
            found += [Target(file) for file in _python_files(Path(argument), excluding)]
        else:
            found.append(Target(_existing_file(argument)))
    by_file: dict[Path, list[Target]] = {}
    for target in dict.fromkeys(found):
        by_file.setdefault(target.path.resolve(), []).append(target)
    return tuple(map(tuple, by_file.values()))


def projects(arguments: Sequence[str], options: EngineOptions) -> list[Project]:
    """The targets by the root of their project, which gives them settings and modules.

    All targets are looked for, and all settings read, before anything is checked. So a mistake in
    the last target is told before the first has cost anything. Raises `BadTarget` and
    `ConfigurationError`.
    """
    by_root: dict[str, list[str]] = {}
    for argument in arguments or (".",):
        by_root.setdefault(str(project_root(path_in(argument))), []).append(argument)
    for root in by_root:
        settings_for(replace(options, root=root))
    return [(root, targets_of(own, excluded(root))) for root, own in by_root.items()]


def path_in(argument: str) -> Path:
    """The path that a target begins with; the current folder if it has none."""
    path = argument.partition("::")[0]
    return Path(path if is_there(Path(path)) else path.rpartition(":")[0] or ".")


def _number(argument: str, line: str) -> int:
    if not int(line):
        raise BadTarget(f"{argument} names no line: lines start at 1.")
    return int(line)


def _existing_file(name: str) -> Path:
    path = Path(name)
    if not name:
        raise BadTarget(f"An empty target names nothing. {_NAME_ONE}")
    try:
        about = path.stat()
    except PermissionError as failure:
        raise BadTarget(f"{name} cannot be accessed ({failure.strerror}). {_NAME_ONE}") from None
    except (OSError, ValueError):
        raise BadTarget(f"{name} does not exist. {_NAME_ONE}") from None
    if not S_ISREG(about.st_mode):
        raise BadTarget(f"{name} is not a regular file. Name one, or a folder.")
    if path.suffix not in _SUFFIXES:
        raise BadTarget(f"{name} is not a Python file. Name one, or a folder.")
    return path


def _python_files(folder: Path, excluding: Sequence[str]) -> Iterator[Path]:
    """The Python files of a folder; a link to another of them is no second file."""
    found = Ignoring(project_root(folder), excluding).python_files(folder)
    files = tuple(islice(found, FILES_MAX + 1))
    if len(files) > FILES_MAX:
        raise BadTarget(f"{folder} holds over {FILES_MAX} Python files. Name a part of it.")
    links = {path for path in files if islink(path)}
    real = {path.resolve() for path in files if path not in links}
    return (path for path in files if path not in links or path.resolve() not in real)


def _last(qualname: str) -> str:
    return qualname.rpartition(".")[2]


def _offset_of(text: str, line: int) -> int:
    """The offset of a 1-based line's first character that is not blank."""
    starts = line_starts(text)
    if line > len(starts):
        return len(text) + 1
    start = starts[line - 1]
    rest = text[start:]
    return start + len(rest) - len(rest.lstrip(" \t"))


def named_version(other: str, source: SourceText) -> OtherVersion:
    """The function that a target `FILE::NAME` names, as another version of one in `source`. Raises
    `AssayError`."""
    ((target,),) = targets_of([other], ())
    text = read_file(target.path).text
    missing = target.missing(text, find_units(text)[0])
    if missing is not None:
        raise AssayError(f"{missing}.")
    there = replace(source, path=str(target.path), text=text)
    return OtherVersion(there, f"`{other}`", target.qualname)
