"""Takes lists, dicts, objects and the like apart, one level deep, and puts them together again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import cast

from assay_sandbox import Container, Instance, Value, encode

# Containers whose items may be of any kind. The content of an array has to fit its shape.
_OPEN_CONTAINERS = frozenset(
    f"collections.{name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")
)


def parts_of(value: Value) -> list[Value]:
    """The direct parts of the value, in an order that is the same in every process.

    The parts of a dict are its keys and values in turn. A value without parts has none, and so has
    a value that must be left alone.
    """
    match value:
        case list() | tuple():
            return list(cast("Sequence[Value]", value))
        case set() | frozenset():
            return sorted(cast("set[Value]", value), key=encode)
        case dict():
            return list(chain.from_iterable(cast("dict[Value, Value]", value).items()))
        case Instance():
            return [item for _, item in value.fields]
        case Container() if value.type_name in _OPEN_CONTAINERS:
            return parts_of(value.items)
        case _:
            return []


def nodes_of(value: Value) -> Iterator[Value]:
    """The value, and all its parts at any depth."""
    yield value
    for part in parts_of(value):
        yield from nodes_of(part)


def with_parts(value: Value, parts: Sequence[Value]) -> Value:
    """A value of the same kind that consists of these parts.

    The value stays as it was if a new member or key cannot be hashed.
    """
    try:
        match value:
            case list():
                return list(parts)
            case tuple():
                return tuple(parts)
            case set():
                return set(parts)
            case frozenset():
                return frozenset(parts)
            case dict():
                return dict(zip(parts[::2], parts[1::2], strict=True))
            case Instance():
                names = [name for name, _ in value.fields]
                return Instance(value.type_name, tuple(zip(names, parts, strict=True)))
            case Container():
                return Container(value.type_name, with_parts(value.items, parts))
            case _:
                return value
    except TypeError:
        return cast(object, value)
