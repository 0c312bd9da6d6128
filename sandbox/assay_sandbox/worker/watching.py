"""What of plain arguments a program can change, and whether it did; nothing of it is asked."""

from __future__ import annotations

from .core import is_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Sequence, Tuple

    # Parts of arguments that can be changed, each with what it held, item by item.
    Watched = Sequence[Tuple[Any, List[Any]]]

_HOLDING = (list, tuple, dict)
# The same one for all: what is not touched is not copied into every child.
_NOTHING: Watched = ()


def watched(arguments: Tuple[Any, ...]) -> Watched:
    """Every list and dict among plain arguments, at any depth, as it is now.

    A dict comes twice, by its values and by its keys; both keep the order in which it is read.
    """
    found: List[Tuple[Any, List[Any]]] = []
    todo: List[Any] = [arguments]
    # It grows on the way.
    for holder in todo:
        seen: object = holder
        kind = type(seen)
        parts: Any = holder.values() if kind is dict else holder
        if kind is not tuple:
            found.append((parts, list(parts)))
        if kind is dict:
            found.append((holder, list(holder)))
        todo += [part for part in parts if type(part) in _HOLDING]
    return found or _NOTHING


def unchanged(watched: Watched) -> bool:
    """Whether each still holds the very same things in the same order."""
    return all(
        len(items) == len(before) and all(map(is_, items, before)) for items, before in watched
    )
