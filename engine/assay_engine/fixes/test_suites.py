"""Finds out how a project lays out its tests, by reading its files: nothing of it is run.

What existing tests do counts most, then what pytest's settings say, then what is usual.

Reads what a project says of pytest, wherever pytest looks for it. Files that are broken say
nothing.
"""

from __future__ import annotations

import ast
import configparser
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatch
from itertools import islice
from keyword import iskeyword
from pathlib import Path
from typing import cast

from msgspec import Struct

from assay_engine.bounds import (
    SETTING_WORDS_MAX,
    SETTINGS_BYTES_MAX,
    SETTINGS_LINE_CHARACTERS_MAX,
)
from assay_engine.dependencies.modules import workspace_modules
from assay_engine.dependencies.needed import imports_in
from assay_engine.files.bounded import is_folder, is_there, read_bytes, read_toml, real
from assay_engine.files.source_files import UnreadableFile, read_file
from assay_engine.syntax.ignoring import Ignoring
from assay_engine.syntax.text import read_source

# The most files that are looked through for tests, and the most of these that are read.
FILES_MAX = 5_000
READ_MAX = 200
_FOLDERS = ("tests", "test")
_USUAL_NAMES = ("test_*.py", "*_test.py")


class Asynchronous(StrEnum):
    """How a project's tests wait for coroutines: as they stand, by a mark, or by `asyncio.run`."""

    AUTO = "auto"
    ASYNCIO = "asyncio"
    ANYIO = "anyio"
    PLAIN = "plain"


class Suite(Struct, frozen=True):
    """Where a test of one module belongs.

    `text` is what its file holds so far; None if there is no such file. `module` is the name by
    which tests import the module, which is in `package`, while the test is in `own_package`.
    """

    file: Path
    text: str | None
    module: str
    package: str
    own_package: str
    asynchronous: Asynchronous


class _TestFile(Struct, frozen=True):
    """`imports` are the modules that it imports, and the names that it takes from them."""

    path: Path
    text: str
    imports: frozenset[str]


def suite_of(file: Path, root: Path, opened: Mapping[Path, str]) -> Suite | str:
    """The suite for the module in `file`, or a sentence that says why there is none.

    `opened` are texts, by real path, that count in the place of what files hold.
    """
    root, file = real(root), real(file)
    settings = pytest_settings(root)
    patterns = settings.get("python_files") or _USUAL_NAMES
    folder = _folder(file, root, settings.get("testpaths", ()), patterns)
    found = _named(folder, root, patterns)
    # An editor may hold one that is not on disk yet.
    held = [each for each in opened if each.parent == folder and _is_test(each, patterns)]
    paths = list(dict.fromkeys([*found, *held]))
    # Settings may have the module itself named like a test.
    paths = [path for path in paths if real(path) != file]
    read = [each for path in paths[:READ_MAX] if (each := _read(path, opened)) is not None]
    module = _module(file, root, read)
    if module is None:
        return (
            f"No test can import {file}. Give it and its folders names that Python can import and "
            "its library does not have."
        )
    stem = module.rpartition(".")[2]
    names = [each.replace("*", stem) for each in _by_use(patterns, paths)]
    known = [each for each in read if each.path.name in names]
    known = known or _only([each for each in read if module in each.imports])
    if known:
        chosen = max(known, key=lambda each: (module in each.imports, _shared(each.path, file)))
        path, text = chosen.path, chosen.text
    else:
        # Without any tests, none mirror the module's folder.
        within = folder if folder == root and not paths else _mirrored(folder, file, root)
        path, text = within / names[0], None
        if is_there(path):
            return f"{path} cannot be read, or is not a file of the project. Fix or remove it."
        if not real(path).is_relative_to(root):
            return f"{path} is not in the project: a link leads out of it. Remove the link."
    is_package = file.name == "__init__.py"
    package = module if is_package else module.rpartition(".")[0]
    own_package = workspace_modules(path, root).package
    return Suite(path, text, module, package, own_package, _asynchronous(settings, root, read))


def _folder(file: Path, root: Path, testpaths: Sequence[str], patterns: Sequence[str]) -> Path:
    above = [each for each in file.parents if each.is_relative_to(root)]
    named = _within(root, (root / each for each in testpaths))
    near = _within(root, (each / name for each in above for name in _FOLDERS))
    beside = [file.parent] if _named(file.parent, root, patterns, deep=False) else []
    for folder in (*named, *near, *beside):
        if _named(folder, root, patterns):
            return folder
    if not (named or near) and _is_imported_from(root, file):
        # pytest puts the folder of a test on the path, and not the one above it.
        return root
    return (*named, *near, root / _FOLDERS[0])[0]


def _is_imported_from(root: Path, file: Path) -> bool:
    """Whether the project's root has to be on the path to import a module, and nothing of the
    project puts it there: neither is it installed, nor do pytest's settings name the root."""
    package = workspace_modules(file, root).package
    depth = len(package.split(".")) if package else 0
    inside = file.relative_to(root).parts[:-1] if file.is_relative_to(root) else ("",)
    is_installed = bool(_table(root / "pyproject.toml", "build-system")) or any(
        is_there(root / name) for name in ("setup.py", "setup.cfg", "conftest.py")
    )
    is_set = "pythonpath" in pytest_settings(root)
    return len(inside) == depth and not (is_installed or is_set)


def _within(root: Path, paths: Iterable[Path]) -> list[Path]:
    """The folders that lie in the project, and no links that lead out of it."""
    found = map(real, paths)
    return [each for each in found if is_folder(each) and each.is_relative_to(root)]


def _named(folder: Path, root: Path, patterns: Sequence[str], *, deep: bool = True) -> list[Path]:
    """The files in a folder, or below it, that are named like tests."""
    files = islice(Ignoring(root, ()).python_files(folder), FILES_MAX)
    return [
        path
        for path in files
        if (deep or path.parent == folder)
        and _is_test(path, patterns)
        and real(path).is_relative_to(root)
    ]


def _is_test(path: Path, patterns: Sequence[str]) -> bool:
    return any(fnmatch(path.name, each) for each in patterns)


def _read(path: Path, opened: Mapping[Path, str]) -> _TestFile | None:
    try:
        text = opened[path] if path in opened else read_file(path).text
    except UnreadableFile:
        return None
    found: set[str] = set()
    for each in imports_in(read_source(text).tree.body):
        if isinstance(each, ast.Import):
            found.update(alias.name for alias in each.names)
        elif each.module and not each.level:
            found.add(each.module)
            found.update(f"{each.module}.{alias.name}" for alias in each.names)
    return _TestFile(path, text, frozenset(found))


def _module(file: Path, root: Path, tests: Sequence[_TestFile]) -> str | None:
    """The name of a module for tests: as they name it or its neighbours, or as Python finds it."""
    package = workspace_modules(file, root).package
    parts = [*file.relative_to(root).parts[:-1], file.stem] if file.is_relative_to(root) else []
    usual = [*filter(None, package.split(".")), file.stem]
    names: list[str] = []
    for each in (usual, *(parts[start:] for start in range(len(parts)))):
        path = each[:-1] if file.name == "__init__.py" else each
        # Tests that import `io` get the library's.
        if path and path[0] not in sys.stdlib_module_names and all(map(_is_name, path)):
            names.append(".".join(path))
    imported = Counter(name for test in tests for name in test.imports)
    tops = Counter(
        top for test in tests for top in {name.partition(".")[0] for name in test.imports}
    )

    def use(name: str) -> tuple[int, int]:
        return imported[name], tops[name.partition(".")[0]]

    # Of equals, the first.
    return max(dict.fromkeys(names), key=use, default=None)


def _is_name(part: str) -> bool:
    return part.isidentifier() and not iskeyword(part)


def _by_use(patterns: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """The patterns that can name a new file, the one that most files follow first."""
    plain = [each for each in patterns if each.count("*") == 1 and not set("?[/") & set(each)]
    used = {each: sum(fnmatch(path.name, each) for path in paths) for each in plain}
    return sorted(plain, key=lambda each: -used[each]) or [_USUAL_NAMES[0]]


def _only(those: list[_TestFile]) -> list[_TestFile]:
    return those if len(those) == 1 else []


def _shared(one: Path, other: Path) -> int:
    """How many names of folders two paths have in common."""
    return len(set(one.parts) & set(other.parts))


def _mirrored(folder: Path, file: Path, root: Path) -> Path:
    """The folder among the tests that stands for the module's own, or that of all tests."""
    parts = file.parent.relative_to(root).parts if file.is_relative_to(root) else ()
    mirrors = (folder.joinpath(*parts[start:]) for start in range(len(parts)))
    return next(iter(_within(root, mirrors)), folder)


def _asynchronous(
    settings: Mapping[str, Sequence[str]], root: Path, tests: Sequence[_TestFile]
) -> Asynchronous:
    if "auto" in (*settings.get("asyncio_mode", ()), *settings.get("anyio_mode", ())):
        return Asynchronous.AUTO
    marks = (Asynchronous.ASYNCIO, Asynchronous.ANYIO)
    used = {mark: sum(f"pytest.mark.{mark}" in test.text for test in tests) for mark in marks}
    most = max(marks, key=lambda mark: used[mark])
    if used[most]:
        return most
    return Asynchronous.ASYNCIO if mentions(root, "pytest-asyncio") else Asynchronous.PLAIN


# The files that pytest looks at, in its order, each with the tables or sections that may be its.
_FILES = (
    ("pytest.toml", ("pytest",)),
    (".pytest.toml", ("pytest",)),
    ("pytest.ini", ("pytest",)),
    (".pytest.ini", ("pytest",)),
    ("pyproject.toml", ("tool.pytest.ini_options", "tool.pytest")),
    ("tox.ini", ("pytest",)),
    ("setup.cfg", ("tool:pytest",)),
)
# The files that name what a project needs for its tests.
_NEEDED = ("pyproject.toml", "setup.cfg", "tox.ini", "requirements-dev.txt", "requirements.txt")


def pytest_settings(root: Path) -> Mapping[str, tuple[str, ...]]:
    """The settings in the first file that has some; each as the words that it holds."""
    for name, places in _FILES:
        for place in places:
            table = _table(root / name, place)
            if table:
                return {key: _words(value) for key, value in table.items()}
    return {}


def mentions(root: Path, package: str) -> bool:
    """Whether a file that says what the project needs names a package."""
    return any(package in _text(root / name) for name in _NEEDED)


def _table(path: Path, place: str) -> Mapping[str, object]:
    if path.suffix == ".toml":
        try:
            found = read_toml(path)
        except (OSError, ValueError):
            return {}
        for part in place.split("."):
            table = found.get(part)
            found = cast("dict[str, object]", table) if isinstance(table, dict) else {}
        return found
    parser = configparser.ConfigParser(interpolation=None)
    # A line takes the parser time that grows with its square.
    lines = (each for each in _text(path).splitlines() if len(each) <= SETTINGS_LINE_CHARACTERS_MAX)
    try:
        parser.read_file(lines)
    except configparser.Error:
        return {}
    return dict(parser.items(place)) if parser.has_section(place) else {}


def _words(value: object) -> tuple[str, ...]:
    listed = cast("Sequence[object]", value) if isinstance(value, list) else str(value).split()
    return tuple(map(str, listed[:SETTING_WORDS_MAX]))


def _text(path: Path) -> str:
    try:
        return read_bytes(path, SETTINGS_BYTES_MAX).decode("utf-8", errors="replace")
    except OSError:
        return ""
