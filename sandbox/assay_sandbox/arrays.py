"""Arrays of numpy as a person would type them."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from .values import Value

_NAME, _ITEM = "numpy.ndarray:", "numpy.void"
# What numpy makes of such items by itself.
_USUAL = frozenset(("<f8", "<i8", "|b1", "<c16"))


def shown(name: str, contents: Value, say: Callable[[Value], str]) -> str | None:
    """The call that makes it; None for what is neither an array nor an item with fields, and for
    an array of such. `say` shows the items, which stand in lists within lists."""
    parts = cast("list[Value]", contents) if isinstance(contents, list) else []
    if name == _ITEM and len(parts) == 2:
        return f"{_ITEM}({say(parts[1])}, dtype={say(parts[0])})"
    if not name.startswith(_NAME) or len(parts) != 2 or not isinstance(parts[0], list):
        return None
    sizes, items = cast("list[Value]", parts[0]), parts[1]
    kind = name.removeprefix(_NAME)
    written = "" if kind in _USUAL else f", dtype={kind!r}"
    if len(sizes) > 1 and 0 in sizes:
        # Lists that hold nothing do not tell how many they would hold.
        return f"numpy.empty({say(tuple(sizes))}{written})"
    return f"numpy.array({say(items)}{written})"
