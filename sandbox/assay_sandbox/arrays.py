"""Renders arrays of numpy as a person would type them."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from .values import Value

_NAME, _ITEM = "numpy.ndarray:", "numpy.void"
# Types that numpy gives to such items by itself.
_USUAL = frozenset(("<f8", "<i8", "|b1", "<c16"))


def shown(name: str, contents: Value, say: Callable[[Value], str]) -> str | None:
    """The call that makes the value; None unless it is an array or an item with fields, and for an
    array of such items. `say` renders the items, which are nested in lists."""
    parts = cast("list[Value]", contents) if isinstance(contents, list) else []
    if name == _ITEM and len(parts) == 2:
        return f"{_ITEM}({say(parts[1])}, dtype={say(parts[0])})"
    if not name.startswith(_NAME) or len(parts) != 2 or not isinstance(parts[0], list):
        return None
    sizes, items = cast("list[Value]", parts[0]), parts[1]
    kind = name.removeprefix(_NAME)
    written = "" if kind in _USUAL else f", dtype={kind!r}"
    if len(sizes) > 1 and 0 in sizes:
        # Nested lists cannot express the sizes of an empty array.
        return f"numpy.empty({say(tuple(sizes))}{written})"
    return f"numpy.array({say(items)}{written})"
