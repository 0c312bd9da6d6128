"""Which arguments mean the same in every interpreter, whatever program they are given to."""

from __future__ import annotations

from operator import ne
from typing import Any, Final

from .encoding import DEPTH_MAX, NODES_MAX

_LEAVES: Final = frozenset({type(None), bool, int, float, complex, str, bytes})
# Without sets: the order in which one is read depends on how it came to be.
_HOLDING: Final = frozenset({list, tuple, dict})


def is_plain(arguments: tuple[object, ...]) -> bool:
    """Whether there are only leaves in them, and lists, tuples and dicts of such.

    Not if they are nested too deeply or are too large for the wire: writing them as text says that.
    Nor if there is a NaN in them, whose sign and payload no text has.
    """
    level: list[Any] = [arguments]
    nodes = 0
    # The text has the call around the arguments, and then each of them.
    for _depth in range(DEPTH_MAX - 1):
        below: list[Any] = []
        for holder in level:
            seen: object = holder
            for parts in (holder, holder.values()) if type(seen) is dict else (holder,):
                nodes += len(parts)
                if nodes > NODES_MAX:
                    return False
                leaves = parts
                if not _LEAVES.issuperset(map(type, parts)):
                    below += [part for part in parts if type(part) not in _LEAVES]
                    leaves = [part for part in parts if type(part) in _LEAVES]
                if any(map(ne, leaves, leaves)):
                    return False
        if not below:
            return True
        if not _HOLDING.issuperset(map(type, below)):
            return False
        level = below
    return False
