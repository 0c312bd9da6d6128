"""Small type-aware edits of a value: the mutations of Table 6, which keep the value's type.

The table is in the appendix of Valentin, Madadi, Sapia and Böhme (arXiv:2507.00057). Where it says
"random" or "dummy", the choices here lean towards the values of the seeds: an input that looks like
a meant one is more often in the domain. `assay_bench.mutations` has the experiments' own choices.

Edits of values without parts (numbers, texts, moments), by the same table as `editing`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from random import Random
from typing import TypeAlias, cast

from assay_bench.generating.material import Material
from assay_engine.values.parts import parts_of, with_parts
from assay_sandbox import Container, Instance, Value

# How often a tuple gets another length. Such an input is refused where tuples are records.
OTHER_LENGTH = 0.2
# How often a container itself is edited, and not one of its parts.
OUTSIDE = 0.4

# The first item of an empty container where no seed shows what such containers hold.
_ANYTHING: tuple[Value, ...] = (0, 1, -1, "", "a", 0.5, True)
# By how much a number is moved.
STEPS = (-10, -1, 1, 10)
_PLAIN = bool | int | float | complex | str | bytes

Edit: TypeAlias = Callable[[Value, Material, Random], Value]


def edited(value: Value, material: Material, random: Random) -> Value:
    """The value with one edit, at any depth; the value itself where there is nothing to edit."""
    return somewhere(value, _edit, material, random)


def somewhere(value: Value, edit: Edit, material: Material, random: Random) -> Value:
    """The value, or one node of it, edited. Nothing is changed in place."""
    parts = parts_of(value)
    if not parts or (not isinstance(value, Instance) and random.random() < OUTSIDE):
        return edit(value, material, random)
    at = random.randrange(len(parts))
    parts[at] = somewhere(parts[at], edit, material.beneath(), random)
    return with_parts(value, parts)


def _edit(value: Value, material: Material, random: Random) -> Value:
    match value:
        case bool():
            return random.random() < 0.5
        case int():
            return moved_integer(value, random)
        case float():
            return moved_float(value, random)
        case complex():
            if random.random() < 0.5:
                return complex(moved_float(value.real, random), value.imag)
            return complex(value.real, moved_float(value.imag, random))
        case str():
            return edited_text(value, material.characters, random)
        case bytes():
            text = edited_text(value.decode("latin-1"), material.characters, random)
            return text.encode("latin-1", "replace")
        case list():
            return _edited_items(parts_of(value), material, random)
        case tuple():
            return _edited_tuple(value, material, random)
        case set() | frozenset():
            return with_parts(value, _edited_members(parts_of(value), material, random))
        case dict():
            return _edited_entries(cast("dict[Value, Value]", value), material, random)
        case Container() if parts_of(value):
            return Container(value.type_name, _edit(value.items, material, random))
        case _:  # None and values of unknown types stay as they are
            return value


def _edited_items(items: list[Value], material: Material, random: Random) -> list[Value]:
    """Insert, insert a dummy, swap, duplicate, delete, or write one item over another."""
    if not items:
        return [_first(material, random)]
    a, b = random.randrange(len(items)), random.randrange(len(items))
    # An insertion may also go behind the last item.
    between = random.randrange(len(items) + 1)
    match random.randrange(6):
        case 0:
            items.insert(between, _new(items[b], material, random))
        case 1:
            items.insert(between, dummy(items[b]))
        case 2:
            items[a], items[b] = items[b], items[a]
        case 3:
            items.insert(between, items[b])
        case 4:
            del items[a]
        case _:
            items[a] = items[b]
    return items


def _edited_tuple(value: Value, material: Material, random: Random) -> Value:
    """Mostly a tuple of the same length: one item is swapped with, or written over, its like."""
    items = parts_of(value)
    if not items:
        return value
    if random.random() < OTHER_LENGTH:
        return tuple(_edited_items(items, material, random))
    a, b = random.randrange(len(items)), random.randrange(len(items))
    if type(items[a]) is type(items[b]):
        items[a], items[b] = items[b], random.choice((items[a], items[b]))
    return tuple(items)


def _edited_members(items: list[Value], material: Material, random: Random) -> list[Value]:
    """Edit set members as list items, except that order and repetition mean nothing."""
    if not items:
        return [_first(material, random, hashable=True)]
    a = random.randrange(len(items))
    match random.randrange(3):
        case 0:
            return [*items, _new(items[a], material, random)]
        case 1:
            return [*items, dummy(items[a])]
        case _:
            return [*items[:a], *items[a + 1 :]]


def _edited_entries(value: dict[Value, Value], material: Material, random: Random) -> Value:
    """Insert, delete, give one key the value of another, or swap the values of two."""
    if not value:
        return dict([_first_entry(material, random)])
    keys, items = list(value), list(value.values())
    a, b = random.randrange(len(keys)), random.randrange(len(keys))
    match random.randrange(5):
        case 0:
            keys.append(_new(keys[a], material, random))
            items.append(_new(items[b], material, random))
        case 1:
            keys.append(_new(keys[a], material, random))
            items.append(dummy(items[b]))
        case 2:
            del keys[a], items[a]
        case 3:
            items[a] = items[b]
        case _:
            items[a], items[b] = items[b], items[a]
    return with_parts(value, [part for pair in zip(keys, items, strict=True) for part in pair])


def _first(material: Material, random: Random, *, hashable: bool = False) -> Value:
    """A first item for an empty container.

    It is taken from other containers at the same depth, else from those at any depth.
    """
    known = material.layer.items or material.inside
    if hashable:
        known = tuple(value for value in known if isinstance(value, _PLAIN))
    return random.choice(known or _ANYTHING)


def _first_entry(material: Material, random: Random) -> tuple[Value, Value]:
    if material.layer.entries:
        return random.choice(material.layer.entries)
    return _first(material, random, hashable=True), _first(material, random)


def _new(sibling: Value, material: Material, random: Random) -> Value:
    """A value that could stand beside the sibling; `material` is that of their container."""
    return edited(material.like(sibling, random), material.beneath(), random)


def dummy(value: Value) -> Value:
    """The emptiest value of the same type."""
    match value:
        case (
            bool()
            | int()
            | float()
            | complex()
            | str()
            | bytes()
            | list()
            | set()
            | frozenset()
            | dict()
        ):
            kind: type[Value] = type(cast(object, value))
            return kind()
        case tuple():
            return tuple(map(dummy, parts_of(value)))
        case _:
            return value


TEXT_SLICE_MAX = 20
# How often text gets a character from the seeds, and not just any printable one.
FAMILIAR_CHARACTERS = 0.7
PRINTABLE = "".join(map(chr, range(32, 127))) + "\t\n"
# How often a text that begins with a date gets another date. Most other edits break the date.
ANOTHER_DAY = 0.7
DAY_CHARACTERS = 10
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def moved_float(value: float, random: Random) -> float:
    step = random.choice((*STEPS, random.uniform(-1.0, 1.0), random.uniform(-10.0, 10.0)))
    # Few digits: nobody asks a program what it does to the last of sixteen digits.
    return round(value + step, 3)


def moved_integer(value: int, random: Random) -> int:
    reach = max(10, abs(value))
    return value + random.choice((*STEPS, random.randint(-reach, reach)))


def edited_text(text: str, familiar: str, random: Random) -> str:
    day = _day(text)
    if day is not None and random.random() < ANOTHER_DAY:
        return f"{_another(day, random).isoformat()}{text[DAY_CHARACTERS:]}"
    at = random.randrange(len(text) + 1)
    end = min(len(text), at + random.randint(1, TEXT_SLICE_MAX))
    match random.randrange(6):
        case 0:
            return text[:at] + _character(familiar, random) + text[at:]
        case 1:
            return text[:at] + text[at + 1 :]
        case 2:
            return text[:at] + _character(familiar, random) + text[at + 1 :]
        case 3:
            return text[:at] + text[end:]
        case 4:
            more = (_character(familiar, random) for _ in range(random.randint(1, 10)))
            return text[:at] + "".join(more) + text[at:]
        case _:
            return text[:end] + text[at:]


def _day(text: str) -> datetime.date | None:
    """The date that a text begins with, if it is written like ``2024-02-29``."""
    try:
        return datetime.date.fromisoformat(text[:DAY_CHARACTERS]) if _DAY.match(text) else None
    except ValueError:
        return None


def _character(familiar: str, random: Random) -> str:
    known = familiar and random.random() < FAMILIAR_CHARACTERS
    return random.choice(familiar if known else PRINTABLE)


def _another(day: datetime.date, random: Random) -> datetime.date:
    try:
        return day + datetime.timedelta(days=random.choice(STEPS) * random.choice((1, 3, 30, 365)))
    except OverflowError:  # beyond the calendar
        return day
