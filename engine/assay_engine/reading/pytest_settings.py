"""Reads what a project says of pytest, wherever pytest looks for it. Files that are broken say
nothing."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from assay_engine.bounded import read_bytes

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
    text = _text(path)
    if path.suffix == ".toml":
        try:
            found: object = tomllib.loads(text)
        except (ValueError, RecursionError):
            return {}
        for part in place.split("."):
            found = cast("dict[str, object]", found).get(part) if isinstance(found, dict) else None
        return cast("dict[str, object]", found) if isinstance(found, dict) else {}
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    return dict(parser.items(place)) if parser.has_section(place) else {}


def _words(value: object) -> tuple[str, ...]:
    listed = cast("Sequence[object]", value) if isinstance(value, list) else str(value).split()
    return tuple(map(str, listed))


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("utf-8", errors="replace")
    except OSError:
        return ""
