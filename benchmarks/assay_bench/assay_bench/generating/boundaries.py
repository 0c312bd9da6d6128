"""Limit cases of a value's type: nothing, one, many, equal, sorted, just beyond a power of two.

Puts constants of programs and prose into values, or uses them as the lengths of values.
"""

from __future__ import annotations

from random import Random
from typing import TypeAlias, cast

from assay_bench.generating.editing import somewhere
from assay_bench.generating.material import Material, shape_of
from assay_engine.values.parts import parts_of, with_parts
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


# Programs count up to a plain argument: one in the millions would take the time of all others.
PLANTED_MAX = 100_000
# The most items or characters of a value that is made as long as a constant says.
LENGTH_MAX = 300
# How often a text or list gets a new length, and not new content.
LENGTH = 0.3


def planted(value: Value, material: Material, random: Random) -> Value:
    """The value with a constant in one place; the value itself where none fits."""
    if isinstance(value, int) and not isinstance(value, bool):
        near = [each for each in _like(value, material) if abs(cast(int, each)) <= PLANTED_MAX]
        return random.choice(near) if near else value
    return somewhere(value, _plant, material, random)


def _plant(value: Value, material: Material, random: Random) -> Value:
    match value:
        case str() | bytes():
            return _within_text(value, material, random)
        case list():
            return _among_items(parts_of(value), material, random)
        case set() | frozenset():
            return with_parts(value, _with_member(parts_of(value), material, random))
        case _:
            fitting = _like(value, material)
            return random.choice(fitting) if fitting else value


def _like(value: Value, material: Material) -> tuple[Value, ...]:
    """The constants that can replace the value; for a float, integers too."""
    found = material.constants.get(shape_of(value), ())
    if isinstance(value, float):
        integers = cast("tuple[int, ...]", material.constants.get("int", ()))
        return (*found, *map(float, integers))
    return found


def _within_text(text: str | bytes, material: Material, random: Random) -> Value:
    """The text with a constant in its place or in it, or made as long as an integer says."""
    length = _length(material, random)
    if length is not None and text:
        return (text * (length // len(text) + 1))[:length]
    fitting = cast("tuple[str, ...]", _like(text, material))
    if not fitting:
        return text
    # Bytes are handled like text: the constants for text are text, and those for bytes are bytes.
    whole, constant = cast(str, text), random.choice(fitting)
    at = random.randrange(len(whole) + 1)
    end = random.randint(at, len(whole))
    return random.choice(
        (
            constant,
            constant + whole,
            whole + constant,
            whole[:at] + constant + whole[at:],
            whole[:at] + constant + whole[end:],
        )
    )


def _among_items(items: list[Value], material: Material, random: Random) -> Value:
    """A constant list, the list with a constant among its items, or as many as an integer says."""
    length = _length(material, random)
    if length is not None and items:
        return (items * (length // len(items) + 1))[:length]
    lists = _like(items, material)
    single = _like(random.choice(items), material) if items else ()
    if lists and (not single or random.random() < 0.5):
        return random.choice(lists)
    if single:
        items.insert(random.randrange(len(items) + 1), random.choice(single))
    return items


def _with_member(members: list[Value], material: Material, random: Random) -> list[Value]:
    fitting = _like(members[0], material) if members else ()
    return [*members, random.choice(fitting)] if fitting else members


def _length(material: Material, random: Random) -> int | None:
    if random.random() >= LENGTH:
        return None
    integers = cast("tuple[int, ...]", material.constants.get("int", ()))
    lengths = [each for each in integers if 0 < each <= LENGTH_MAX]
    return random.choice(lengths) if lengths else None
