"""Loading and comparing settings."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

SIZE_UNITS = {"": 1, "B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)")


class ChangeKind(Enum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True)
class Change:
    path: str
    kind: ChangeKind
    before: Any = None
    after: Any = None


def deep_merge(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """Merge two configurations into a new one.

    Values of ``override`` win. Where both sides have a dict, the two are merged
    in the same way; everything else, including lists, is replaced as a whole.
    Neither argument is changed, and later changes to the result, at any depth,
    do not show in the arguments.

    >>> deep_merge({"db": {"host": "a", "port": 1}}, {"db": {"host": "b"}})
    {'db': {'host': 'b', 'port': 1}}
    """
    merged = dict(base)
    for key, value in override.items():
        current = merged.get(key)
        if isinstance(current, dict) and isinstance(value, dict):
            merged[key] = deep_merge(current, value)
        else:
            merged[key] = copy.deepcopy(value)
    return merged


def diff_settings(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> list[Change]:
    """List the differences between two nested settings.

    Where both sides have a dict, it is compared key by key; other values are
    compared as a whole with ``==``. A key found on one side only gives a single
    change, whatever its value. A key set to ``None`` is not a missing key.

    Args:
        old: The earlier settings.
        new: The later settings.
        prefix: Put in front of every path.

    Returns:
        The changes sorted by dotted path, e.g. ``"db.host"``.
    """
    changes: list[Change] = []
    for key in old.keys() | new.keys():
        path = f"{prefix}{key}"
        if key not in old:
            changes.append(Change(path, ChangeKind.ADDED, after=new[key]))
        elif key not in new:
            changes.append(Change(path, ChangeKind.REMOVED, before=old[key]))
        elif isinstance(old[key], dict) and isinstance(new[key], dict):
            changes.extend(diff_settings(old[key], new[key], prefix=f"{path}."))
        elif old[key] != new[key]:
            changes.append(Change(path, ChangeKind.CHANGED, old[key], new[key]))
    return sorted(changes, key=lambda change: change.path)


def parse_size(text: str) -> int:
    """Parse a size such as ``"512"``, ``"10 KB"`` or ``"1.5GB"``.

    The units B, KB, MB and GB are understood in upper or lower case.

    Returns:
        The size in bytes.

    Raises:
        ValueError: If the text is not a size.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a size: {text!r}")
    number, unit = match.groups()
    if unit.upper() not in SIZE_UNITS:
        raise ValueError(f"unknown unit: {unit!r}")
    return int(Decimal(number) * SIZE_UNITS[unit.upper()])


def _update_environ(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def temp_env(**variables: str | None) -> Iterator[None]:
    """Set environment variables for the length of a ``with`` block.

    A value of ``None`` removes the variable. When the block is left, also by an
    exception, each of the named variables gets its earlier value back, or is
    removed if it had none. Other variables are left alone.
    """
    saved = {name: os.environ.get(name) for name in variables}
    try:
        _update_environ(variables)
        yield
    finally:
        _update_environ(saved)
