"""Reads the part of an object that a built-in base keeps, by that base's own C code."""

from __future__ import annotations

import builtins
import gc

from .core import OrderedDict, defaultdict, deque, is_
from .inspecting import descends, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# Any: only the C code of these types knows the type of what it gives.
_stored: Any = dict
_ordered: Any = OrderedDict
_deque: Any = deque
# Built in since Python 3.15; not a subclass of dict.
FROZENDICT: Any = vars(builtins).get("frozendict")
_behind: Callable[..., list[Any]] = gc.get_referents
# Types of keys whose hash no program can influence.
_PLAIN = frozenset(map(identity, (type(None), bool, int, float, complex, str, bytes)))


class Pairs:
    """Keys and values of a dict in its order; making another dict would call `__hash__` of keys."""

    __slots__ = ("keys", "values")

    def __init__(self, keys: list[Any], values: list[Any]) -> None:
        self.keys = keys
        self.values = values


def pairs(value: Any) -> Pairs:
    """The pairs in the order in which a dict, or a frozendict, stores them."""
    kind: Any = _kind_of(value)
    return Pairs([*kind.keys(value)], [*kind.values(value)])


def stored_in(value: Any) -> int:
    """How many pairs a dict holds, without running its class's code."""
    return _kind_of(value).__len__(value)


def _kind_of(value: object) -> Any:
    is_frozen = FROZENDICT is not None and descends(type(value), FROZENDICT)
    return FROZENDICT if is_frozen else _stored


def ordered_pairs(value: Any) -> Pairs | None:
    """The pairs in the order of an OrderedDict, which differs once something was moved to the end.

    None if that order does not match the dict's content, or requires calling methods of the keys.
    """
    stored = pairs(value)
    kinds: set[int] = set(map(identity, map(type, stored.keys)))
    try:
        keys = [*_ordered.keys(value)] if kinds <= _PLAIN else _keys_unasked(value, stored)
    except KeyError:
        return None
    values = dict(zip(map(identity, stored.keys), stored.values))  # noqa: B905 (3.9)
    if len(keys) != len(values) or not all(identity(key) in values for key in keys):
        return None
    return Pairs(keys, [values[identity(key)] for key in keys])


def _keys_unasked(value: object, stored: Pairs) -> list[Any]:
    """The keys in order, or none: its own iterator would look up each of them by its hash.

    The referents of an OrderedDict end with the keys in its order, followed by those of a dict:
    values and keys in turn, or values alone where all keys are text.
    """
    count = len(stored.keys)
    found = _behind(value)
    turns = zip(stored.values, stored.keys)  # noqa: B905 (3.9)
    for told in ([part for turn in turns for part in turn], stored.values):
        start = len(found) - len(told)
        if start >= count and all(map(is_, found[start:], told)):
            return found[start - count : start]
    return []


# How the built-in part of an instance of a subclass is read.
def _sliced(base: Any) -> Callable[[Any], Any]:
    read = base.__getitem__
    return lambda value: read(value, slice(None))


def _united(base: Any) -> Callable[[Any], Any]:
    unite = base.union
    return lambda value: unite(base(), value)


def _complex(value: Any) -> complex:
    parts: dict[str, Any] = dict(complex.__dict__)
    return complex(parts["real"].__get__(value), parts["imag"].__get__(value))


def _items(value: Any) -> list[Any]:
    return [*_deque.__iter__(value)]


def beside(value: object, base: type) -> list[tuple[str, object]]:
    """The attribute that the base keeps beside the content, if it keeps one."""
    name = _BESIDE.get(identity(base))
    held = None if name is None else name[1](value)
    return [] if name is None or held is None else [(name[0], held)]


# How to read each base's content; None where it cannot be read.
BASES: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: _complex,
    dict: pairs,
    OrderedDict: ordered_pairs,
    defaultdict: pairs,
    deque: _items,
    set: _united(set),
    frozenset: _united(frozenset),
    **{base: _sliced(base) for base in (str, bytes, bytearray, list, tuple)},
    **({} if FROZENDICT is None else {FROZENDICT: pairs}),
}
_BESIDE: dict[int, tuple[str, Callable[[Any], object]]] = {
    identity(base): (name, dict(base.__dict__)[name].__get__)
    for base, name in ((defaultdict, "default_factory"), (deque, "maxlen"))
}
