"""The material that inputs are made of: constants, and all values in seeds, by shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isnan
from random import Random
from typing import cast

from msgspec import Struct, structs

from assay_engine.values.parts import nodes_of, parts_of
from assay_sandbox import Call, Container, Instance, Value, encode

VALUES_PER_SHAPE_MAX = 200


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
            for value in nodes_of(slot):
                has_nan = has_nan or (isinstance(value, float) and isnan(value))
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
    layers = _layers([slot for call in calls for slot in slots_of(call)])
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


def shape_of(value: Value) -> str:
    """A text that is equal for values that can replace each other, like ``tuple[int,str]``.

    Other shapes are ``int`` and ``list[int]``. An empty list has a shape of its own, since nobody
    knows what would be in it.
    """
    match value:
        case tuple():
            return f"tuple[{','.join(map(shape_of, cast('tuple[Value, ...]', value)))}]"
        case list() | set() | frozenset():
            inner = {shape_of(item) for item in cast("Sequence[Value]", value)}
            return f"{type(cast(object, value)).__name__}[{'|'.join(sorted(inner))}]"
        case dict():
            mapping = cast("dict[Value, Value]", value)
            keys = "|".join(sorted({shape_of(key) for key in mapping}))
            items = "|".join(sorted({shape_of(item) for item in mapping.values()}))
            return f"dict[{keys}:{items}]"
        case _:
            return type(cast(object, value)).__name__
