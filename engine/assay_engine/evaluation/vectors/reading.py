"""Reads vectors from JSON and refuses, with the vector's name, what cannot be evaluated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec

from assay_sandbox import Value

# Larger integers are not written in decimal: that takes quadratic time, and Python refuses.
DECIMAL_BITS_MAX = 4096

# Any: values of every shape, read by `value_from`.
Json: TypeAlias = Any


class BadVectors(Exception):
    """A file that is no list of vectors; the message says where and why."""


class Suffix(msgspec.Struct, frozen=True, tag_field="kind", tag="suffix"):
    param: int
    length: int = 1
    type: str = "list"


class Head(msgspec.Struct, frozen=True, tag_field="kind", tag="head"):
    param: int


class DropLength(msgspec.Struct, frozen=True, tag_field="kind", tag="drop-length"):
    len_param: int
    seq_param: int


class Unpack(msgspec.Struct, frozen=True, tag_field="kind", tag="unpack"):
    pass


Adapter: TypeAlias = Suffix | Head | DropLength | Unpack


class WhenNone(msgspec.Struct, frozen=True, tag_field="when", tag="none"):
    exhaustive: bool


class WhenType(msgspec.Struct, frozen=True, tag_field="when", tag="type"):
    name: str
    exhaustive: bool


class Test(msgspec.Struct, frozen=True):
    inputs: tuple[Json, ...]
    output: Json


class Vector(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    scheme: str
    expected: dict[str, Json]
    forward_programs: tuple[str, ...] = ()
    witness_programs: tuple[str, ...] = ()
    enumerators: tuple[str, ...] = ()
    inputs: tuple[tuple[Json, ...], ...] = ()
    witness_inputs: tuple[tuple[Json, ...], ...] = ()
    invert: int = 0
    adapter: Adapter | None = None
    union: tuple[WhenNone | WhenType, ...] = ()
    witness_parts: tuple[tuple[str, ...], ...] = ()
    tests: tuple[Test, ...] = ()
    agreement: tuple[tuple[int, ...], ...] = ()
    outcomes: dict[str, int | None] = msgspec.field(default_factory=dict[str, "int | None"])
    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    expression: Json = None


def read_vectors(path: Path) -> tuple[Vector, ...]:
    """The vectors of a file. Raises BadVectors."""
    try:
        entries: object = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadVectors(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadVectors(f"{path} is no JSON: {error}") from None
    if not isinstance(entries, list):
        raise BadVectors(f"{path} holds no list of vectors")
    return tuple(
        _vector(entry, f"{path}, vector {number}")
        for number, entry in enumerate(cast("list[object]", entries), start=1)
    )


_EXPECTED: dict[str, Any] = {
    "property": bool,
    "agreements": tuple[tuple[int, int], ...],
    "selected": tuple[int, ...],
    "witnesses": tuple[int, ...],
    "score": int,
    "abstain": bool,
    "value": Any,
}


def _vector(entry: object, where: str) -> Vector:
    name = cast("dict[str, object]", entry).get("name") if isinstance(entry, dict) else None
    try:
        vector = msgspec.convert(entry, Vector)
        for key, expected in vector.expected.items():
            msgspec.convert(expected, _EXPECTED.get(key, Any))
        return vector
    except msgspec.ValidationError as error:
        raise BadVectors(f"{where} ({name or 'without a name'}): {error}") from None


def value_from(written: Json) -> Value:
    """The value that JSON stands for; tuples and sets are ``{"$tuple": […]}``, ``{"$set": […]}``.

    Raises BadVectors.
    """
    if isinstance(written, list | tuple):
        return [value_from(item) for item in cast("Iterable[Json]", written)]
    if not isinstance(written, dict):
        return written
    mapping = cast("dict[str, Json]", written)
    (tag, items), *others = mapping.items() or [("", None)]
    if tag not in ("$tuple", "$set") or others or not isinstance(items, list):
        return {key: value_from(item) for key, item in mapping.items()}
    values = map(value_from, cast("list[Json]", items))
    try:
        return tuple(values) if tag == "$tuple" else set(values)
    except TypeError:
        raise BadVectors("a $set of values that cannot be in a set") from None


def json_from(value: Value) -> Json:
    """What `value_from` reads; the text of the value where there is no such thing."""
    match value:
        case list():
            return [json_from(item) for item in cast("list[Value]", value)]
        case tuple():
            return {"$tuple": [json_from(item) for item in cast("tuple[Value, ...]", value)]}
        case set() | frozenset():
            return {"$set": sorted(map(json_from, cast("set[Value]", value)), key=repr)}
        case dict():
            items = cast("Mapping[Value, Value]", value).items()
            return {str(key): json_from(item) for key, item in items}
        case int() if value.bit_length() > DECIMAL_BITS_MAX:
            return f"{value:#x}"
        case bool() | int() | float() | str() | None:
            return value
        case _:
            return repr(value)
