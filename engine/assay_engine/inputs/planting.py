"""Puts constants of programs and prose into values, or uses them as the lengths of values."""

from __future__ import annotations

from random import Random
from typing import cast

from assay_engine.inputs.editing import somewhere
from assay_engine.inputs.material import Material
from assay_engine.inputs.parts import parts_of, shape_of, with_parts
from assay_sandbox import Value

# Programs count up to a plain argument: one in the millions would take the time of all others.
ARGUMENT_MAX = 100_000
# The most items or characters of a value that is made as long as a constant says.
LENGTH_MAX = 300
# How often a text or list gets a new length, and not new content.
LENGTH = 0.3


def planted(value: Value, material: Material, random: Random) -> Value:
    """The value with a constant in one place; the value itself where none fits."""
    if isinstance(value, int) and not isinstance(value, bool):
        near = [each for each in _like(value, material) if abs(cast(int, each)) <= ARGUMENT_MAX]
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
