"""The type-aware mutations of the source experiments (Table 6, and the settings of their code).

A mutation picks one node of a value uniformly and edits it. Types are kept, except for items that
are inserted into containers. Values are never changed in place: an edit makes new containers on the
way to its node and shares the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from random import Random
from typing import Any, TypeVar

from assay_sandbox import Value

_Option = TypeVar("_Option")

ROUNDS = (1, 10, 30)
INTEGER_STEPS = (-10, -1, 1, 10)
APPENDED_CHARACTERS_MAX = 10
# Control, printable and extended characters, drawn in the proportion 2 : 4 : 1.
CHARACTER_RANGES = ((0, 31), (0, 31), *[(32, 127)] * 4, (127, 255))


def mutated(value: Value, random: Random) -> Value:
    """The value after 1, 10 or 30 mutations.

    Raises TypeError if an edit puts something unhashable into a set or a key; in the experiments,
    this ended the measurement of the task.
    """
    for _ in range(random.choice(ROUNDS)):
        value = _edited(value, _below(_size(value), random), random)
    return value


def _below(count: int, random: Random) -> int:
    """The same number as `random.randrange(count)`, in a third of the time. That function mostly
    looks at its arguments, and a task needs a hundred thousand numbers."""
    bits = count.bit_length()
    drawn = random.getrandbits(bits)
    while drawn >= count:
        drawn = random.getrandbits(bits)
    return drawn


def _one_of(options: Sequence[_Option], random: Random) -> _Option:
    return options[_below(len(options), random)]


def _size(value: Value) -> int:
    """The number of nodes: a container counts with all its items, a dict with keys and values."""
    kind = value.__class__
    if kind not in _TO_PARTS:
        return 1
    return 1 + sum(map(_size, _flat(value) if kind is dict else value))


def _edited(value: Value, node: int, random: Random) -> Value:
    """The value with node number `node` edited; nodes are counted depth first."""
    if node == 0:
        edit = _EDITS.get(value.__class__)
        # None stays None, and complex numbers stay what they are.
        return value if edit is None else edit(value, random)
    parts = _TO_PARTS[value.__class__](value)
    _edit_one_of(parts, node - 1, random)
    return _FROM_PARTS[value.__class__](parts)


def _edit_one_of(items: list[Value], node: int, random: Random) -> None:
    for position, item in enumerate(items):
        size = _size(item)
        if node < size:
            items[position] = _edited(item, node, random)
            return
        node -= size


def _members(items: set[Any]) -> list[Any]:
    """The members in an order that is the same in every process."""
    return sorted(items, key=repr)


def _flat(mapping: dict[Any, Any]) -> list[Any]:
    """The keys and values in turn."""
    return list(chain.from_iterable(mapping.items()))


def _mapping(parts: list[Any]) -> dict[Any, Any]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _edit_float(value: float, random: Random) -> float:
    near, far = random.uniform(-1.0, 1.0), random.uniform(-10.0, 10.0)
    return value + _one_of((near, near, far), random)


def _character(random: Random) -> str:
    lowest, highest = _one_of(CHARACTER_RANGES, random)
    return chr(lowest + _below(highest - lowest + 1, random))


def _edit_text(text: str, random: Random) -> str:
    edit = _one_of(_TEXT_EDITS, random)
    if not text:
        # Only the edits that add something change an empty text.
        return edit(text, 0, random) if edit in (_insert_character, _append_characters) else text
    return edit(text, _below(len(text), random), random)


def _replace_character(text: str, at: int, random: Random) -> str:
    return text[:at] + _character(random) + text[at + 1 :]


def _delete_character(text: str, at: int, _random: Random) -> str:
    return text[:at] + text[at + 1 :]


def _insert_character(text: str, at: int, random: Random) -> str:
    return text[:at] + _character(random) + text[at:]


def _cut_slice(text: str, at: int, random: Random) -> str:
    return text[:at] + text[at + _below(len(text) - at, random) :]


def _repeat_slice(text: str, at: int, random: Random) -> str:
    end = at + _below(len(text) - at, random)
    return text[:end] + text[at:]


def _append_characters(text: str, _at: int, random: Random) -> str:
    count = _below(APPENDED_CHARACTERS_MAX + 1, random)
    return text + "".join(_character(random) for _ in range(count))


def _drop_suffix(text: str, at: int, _random: Random) -> str:
    return text[: len(text) - at]


_TEXT_EDITS = (
    _replace_character,
    _delete_character,
    _insert_character,
    _cut_slice,
    _repeat_slice,
    _append_characters,
    _drop_suffix,
)


def _plain(random: Random) -> Value:
    return _one_of(_PLAIN, random)()


def _anything(random: Random) -> Value:
    return _one_of(_INSERTED, random)()


def _pair(random: Random) -> tuple[Value, Value]:
    return _plain(random), _anything(random)


def _edit_items(items: list[Any], new: Callable[[Random], Any], random: Random) -> list[Any]:
    """Insert, swap, duplicate or delete an item; an edit that needs more items changes nothing."""
    count = len(items)
    match _below(4, random):
        case 0:
            # Never behind the last item, as in the experiments.
            items.insert(_below(count, random) if count else 0, new(random))
        case 1 if count > 1:
            a, b = _below(count, random), _below(count, random)
            items[a], items[b] = items[b], items[a]
        case 2 if count > 0:
            item = _one_of(items, random)
            items.insert(_below(count, random), item)
        case 3 if count > 0:
            del items[_below(count, random)]
        case _:
            pass
    return items


def _edit_set(items: set[Any], random: Random) -> set[Any]:
    """Edit a set like a list, except that swapping and duplicating change nothing."""
    members = _members(items)
    match _below(4, random):
        case 0:
            members.append(_plain(random))
        case 1 if members:
            del members[_below(len(members), random)]
        case _:
            pass
    return set(members)


# Types that are called to make the inserted values: None, False, 0, 0.0, "" and empty containers.
_PLAIN: tuple[Callable[[], Value], ...] = (type(None), bool, int, float, str)
_INSERTED: tuple[Callable[[], Value], ...] = (*_PLAIN, list, dict, set)
_TO_PARTS: dict[type, Callable[[Any], list[Any]]] = {
    list: list,
    tuple: list,
    set: _members,
    dict: _flat,
}
_FROM_PARTS: dict[type, Callable[[list[Any]], Value]] = {
    list: list,
    tuple: tuple,
    set: set,
    dict: _mapping,
}
_EDITS: dict[type, Callable[[Any, Random], Value]] = {
    int: lambda value, random: value + _one_of(INTEGER_STEPS, random),
    float: _edit_float,
    bool: lambda _value, random: _one_of((False, True), random),
    str: _edit_text,
    list: lambda value, random: _edit_items(list(value), _anything, random),
    tuple: lambda value, random: tuple(_edit_items(list(value), _anything, random)),
    set: _edit_set,
    dict: lambda value, random: dict(_edit_items(list(value.items()), _pair, random)),
}
