"""Limit cases of a value's type: nothing, one, many, equal, sorted, just beyond a power of two."""

from __future__ import annotations

from random import Random
from typing import TypeAlias, cast

from assay_engine.inputs.editing import somewhere
from assay_engine.inputs.material import Material
from assay_engine.inputs.parts import parts_of, with_parts
from assay_sandbox import Container, Value, encode

LONG_ITEMS = 60
LONG_TEXT = 200
# Programs often count up to an argument, which takes longer the larger the argument is.
ARGUMENT_MAX = 1 << 10
HUGE = (2**31 - 1, 2**31, 2**53 + 1, 2**63, -(2**31) - 1, 10**18)
TEXTS = ("", " ", "\n", " \t ", "0", "-1", "a", "A", "é", "ß", "中", "😀", "İ")
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.1, 1.5, 2.5, 1e-9, 1e6)
INFINITE = (float("inf"), float("-inf"))
NOT_A_NUMBER = float("nan")
# How often a float becomes infinite, or possibly NaN where a seed has a NaN.
SPECIAL = 0.05
# How often an integer inside another value becomes one near or beyond the usual machine words.
BEYOND_WORDS = 0.1

_Items: TypeAlias = list[Value]


def bounded(value: Value, material: Material, random: Random) -> Value:
    """The value, with itself or one node in it turned into a limit case of its type."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _integer(value, material, random)
    return somewhere(value, _bound, material, random)


def _bound(value: Value, material: Material, random: Random) -> Value:
    match value:
        case bool():
            return not value
        case int() if random.random() < BEYOND_WORDS:
            return random.choice(HUGE)
        case int():
            return _integer(value, material, random)
        case float():
            return _float(value, material, random)
        case str():
            return _text(value, random)
        case bytes():
            return random.choice(
                (b"", b"\0", b"\xff", value[::-1], value[:1], value[:LONG_TEXT] * 2)
            )
        case list():
            return _items(parts_of(value), random)
        case tuple():
            return _same_length(parts_of(value), random)
        case set() | frozenset():
            parts = parts_of(value)
            return with_parts(
                value, random.choice((parts[:0], parts[:1], parts[: len(parts) // 2]))
            )
        case dict():
            return _entries(cast("dict[Value, Value]", value), random)
        case Container() if parts_of(value):
            return Container(value.type_name, _bound(value.items, material, random))
        case _:
            return value


def _integer(value: int, material: Material, random: Random) -> int:
    reach = max(ARGUMENT_MAX, material.largest_integer)
    power = 1 << random.randrange(reach.bit_length())
    near = value + random.choice((-1, 1))
    return random.choice((0, 1, -1, -value, near, power - 1, power, power + 1, -power))


def _float(value: float, material: Material, random: Random) -> float:
    if random.random() >= SPECIAL:
        return random.choice((*FLOATS, -value, 2 * value))
    # Nearly every function behaves differently for a NaN, and hardly any is meant for one.
    return random.choice((*INFINITE, NOT_A_NUMBER) if material.has_nan else INFINITE)


def _text(text: str, random: Random) -> str:
    start = random.randrange(len(text) + 1)
    part = text[start : random.randint(start, len(text))]
    return random.choice(
        (
            random.choice(TEXTS),
            part,
            text[:1],
            text[::-1],
            text.upper(),
            text.lower(),
            text.swapcase(),
            f" {text} ",
            text[:LONG_TEXT] * 2,
            text[:1] * random.randint(2, 12),
            (text * LONG_TEXT)[:LONG_TEXT],
            text + random.choice(TEXTS),
        )
    )


def _items(items: _Items, random: Random) -> _Items:
    """A limit case of a list.

    No item, one item, one item twice or throughout, or all items: sorted, reversed, without
    repetition, doubled or many times over.
    """
    if not items:
        return items
    item = random.choice(items)
    match random.randrange(9):
        case 0:
            return []
        case 1:
            return [item]
        case 2:
            return [item, item]
        case 3:
            return [item] * len(items)
        case 4:
            return _in_order(items)
        case 5:
            return items[::-1]
        case 6:
            return list({encode(one): one for one in items}.values())
        case 7:
            return items[:LONG_ITEMS] * 2
        case _:
            return (items * LONG_ITEMS)[:LONG_ITEMS]


def _same_length(items: _Items, random: Random) -> tuple[Value, ...]:
    """The items reversed, sorted or all equal if they are of one type; a record stays as it is."""
    if len(set(map(type, items))) != 1:
        return tuple(items)
    return tuple(
        random.choice((items[::-1], _in_order(items), [random.choice(items)] * len(items)))
    )


def _entries(value: dict[Value, Value], random: Random) -> dict[Value, Value]:
    if not value:
        return value
    key = random.choice(list(value))
    return random.choice(
        (
            {},
            {key: value[key]},
            dict.fromkeys(value, value[key]),
            dict(reversed(value.items())),
        )
    )


def _in_order(items: _Items) -> _Items:
    """The items in Python's order where they have one, else in the order of their encodings."""
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=encode)
