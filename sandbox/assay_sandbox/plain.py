"""Recognises arguments that mean the same in every interpreter, whatever the program."""

from __future__ import annotations

from itertools import chain
from operator import ne
from typing import Any, Final

from .encoding import DEPTH_MAX, NODES_MAX

_LEAVES: Final = frozenset({type(None), bool, int, float, complex, str, bytes})
# Without sets: the order in which a set is read depends on how it was built.
_HOLDING: Final = frozenset({list, tuple, dict})


def is_plain(*calls: tuple[object, ...]) -> bool:
    """Whether these arguments contain only leaves, and lists, tuples and dicts of such.

    Not if they are nested too deeply or are too large for the wire: writing them as text reports
    that. Nor if they contain a NaN, whose sign and payload no text has.
    """
    level: list[Any] = list(calls)
    nodes = 0
    # In the text, the call is one level around the arguments.
    for _depth in range(DEPTH_MAX - 1):
        values: list[Any] = [holder.values() for holder in level if type(holder) is dict]
        nodes += sum(map(len, level)) + sum(map(len, values))
        if nodes > NODES_MAX:
            return False
        # A whole level at once: there are thousands of calls, of a few parts each.
        parts: list[Any] = list(chain.from_iterable([*level, *values]))
        kinds = set(map(type, parts))
        level = []
        if not kinds <= _LEAVES:
            if not kinds <= _LEAVES | _HOLDING:
                return False
            level = [part for part in parts if type(part) in _HOLDING]
            parts = [part for part in parts if type(part) in _LEAVES]
        if any(map(ne, parts, parts)):
            return False
        if not level:
            return True
    return False
