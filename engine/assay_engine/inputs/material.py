"""The material that inputs are made of: constants, and all values in seeds, by shape."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isnan
from random import Random
from typing import cast

from msgspec import Struct, structs

from assay_engine.inputs.literals import literals_in
from assay_engine.values.parts import nodes_of, parts_of, shape_of
from assay_sandbox import Call, Container, Expression, Instance, Value, encode

VALUES_PER_SHAPE_MAX = 200
_WORD = re.compile(r"\w+")


class Layer(Struct, frozen=True):
    """The contents of containers at one depth: items of lists and the like, entries of dicts."""

    items: tuple[Value, ...] = ()
    entries: tuple[tuple[Value, Value], ...] = ()

    @property
    def all(self) -> tuple[Value, ...]:
        return (*self.items, *chain.from_iterable(self.entries))


class Material(Struct, frozen=True):
    """The material of a list of seeds.

    `values` and `constants` are distinct, by shape, in order of appearance. `characters` are those
    of all text, sorted. `layers` has the contents of the containers that are passed themselves,
    then those of the containers in them, and so on. `inside` has the contents of all containers,
    or the constants if there are none. `has_nan` says whether a seed holds NaN or names it.
    """

    values: Mapping[str, tuple[Value, ...]]
    constants: Mapping[str, tuple[Value, ...]]
    characters: str
    largest_integer: int
    layers: tuple[Layer, ...]
    inside: tuple[Value, ...]
    has_nan: bool

    @property
    def layer(self) -> Layer:
        """The contents of containers at the present depth; empty where the seeds have none."""
        return self.layers[0] if self.layers else Layer()

    def beneath(self) -> Material:
        """The same material for the parts of a value: one level deeper."""
        return structs.replace(self, layers=self.layers[1:])

    def like(self, value: Value, random: Random) -> Value:
        """A value of the same shape that the seeds hold; the value itself if there is none."""
        known = self.values.get(shape_of(value), ())
        return random.choice(known) if known else value


def material_of(calls: Sequence[Call], constants: Sequence[Value] = ()) -> Material:
    """The material of the values in calls, and of constants from elsewhere."""
    by_shape: dict[str, dict[str, Value]] = {}
    characters: set[str] = set()
    largest, has_nan = 0, False
    for call in calls:
        for slot in slots_of(call):
            has_nan = has_nan or _is_nan(slot)
            for value in _held(slot):
                has_nan = has_nan or _is_nan(value)
                known = by_shape.setdefault(shape_of(value), {})
                if len(known) < VALUES_PER_SHAPE_MAX:
                    known.setdefault(encode(value), value)
                if isinstance(value, str):
                    characters.update(value)
                elif isinstance(value, int):
                    largest = max(largest, abs(value))
    values = {shape: tuple(known.values()) for shape, known in by_shape.items()}
    pool: dict[str, list[Value]] = {}
    for constant in constants:
        pool.setdefault(shape_of(constant), []).append(constant)
    layers = _layers([root for call in calls for slot in slots_of(call) for root in _roots(slot)])
    inside = tuple({encode(item): item for layer in layers for item in layer.all}.values())
    return Material(
        values,
        {shape: tuple(pooled) for shape, pooled in pool.items()},
        "".join(sorted(characters)),
        largest,
        layers,
        inside[:VALUES_PER_SHAPE_MAX] or tuple(constants),
        has_nan,
    )


def _layers(values: Sequence[Value]) -> tuple[Layer, ...]:
    """The layers of the values and of all their parts.

    The fields of an object are no items of a layer, but the contents of these fields are.
    """
    found: list[Layer] = []
    while values:
        items: dict[str, Value] = {}
        entries: dict[str, tuple[Value, Value]] = {}
        for value in values:
            held = value.items if isinstance(value, Container) else value
            if isinstance(held, dict):
                mapping = cast("dict[Value, Value]", held)
                entries |= {encode(list(entry)): entry for entry in mapping.items()}
            elif not isinstance(value, Instance):
                items |= {encode(part): part for part in parts_of(value)}
        found.append(
            Layer(
                tuple(items.values())[:VALUES_PER_SHAPE_MAX],
                tuple(entries.values())[:VALUES_PER_SHAPE_MAX],
            )
        )
        values = [part for value in values for part in parts_of(value)]
    return tuple(found)


def _held(slot: Value) -> Iterator[Value]:
    """The value and all its parts; for source text, the literals in it and their parts."""
    return chain.from_iterable(map(nodes_of, _roots(slot)))


def _roots(slot: Value) -> list[Value]:
    if isinstance(slot, Expression):
        return [literal.value for literal in literals_in(slot.source)]
    return [slot]


def _is_nan(value: Value) -> bool:
    if isinstance(value, Expression):
        return "nan" in _WORD.findall(value.source)
    return isinstance(value, float) and isnan(value)


def slots_of(call: Call) -> list[Value]:
    """All that a call passes: arguments by position and by name, and standard input if any."""
    stdin = [call.stdin] if call.stdin else []
    return [*call.values, *stdin]


def with_slots(call: Call, slots: Sequence[Value]) -> Call:
    """The call with other values in its slots."""
    given, named = len(call.args), len(call.args) + len(call.kwargs)
    names = [name for name, _ in call.kwargs]
    return replace(
        call,
        args=tuple(slots[:given]),
        kwargs=tuple(zip(names, slots[given:named], strict=True)),
        stdin=slots[named] if call.stdin else "",
    )
