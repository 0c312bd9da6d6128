"""Finite sets of values under the equality of `same_value`, without hashing the values.

Two values with the same key are equal. Two values with different keys can only be equal if one of
them holds a float, so exact values are compared by key, and only inexact values one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import cast

from msgspec import Struct

from assay_engine.running.same_values import content, fields_by_name, same_value
from assay_sandbox import Container, Instance, Value, encode


class Listed(Struct, frozen=True):
    """Values in the order in which they were listed, each once."""

    values: tuple[Value, ...]
    keys: frozenset[str]
    inexact: tuple[Value, ...]

    def __contains__(self, value: Value) -> bool:
        if key(value) in self.keys:
            return True
        candidates = self.values if _is_inexact(value) else self.inexact
        return any(same_value(value, each) for each in candidates)

    def meets(self, other: Listed) -> bool:
        """Whether a value is listed in both."""
        return (
            not self.keys.isdisjoint(other.keys)
            or any(value in other for value in self.inexact)
            or any(value in self for value in other.inexact)
        )


def listed(values: Iterable[Value]) -> Listed:
    unique: dict[str, Value] = {}
    for value in values:
        unique.setdefault(key(value), value)
    ordered = tuple(unique.values())
    return Listed(ordered, frozenset(unique), tuple(filter(_is_inexact, ordered)))


def key(value: Value) -> str:
    """A text that is the same for values that are equal without any tolerance."""
    value = content(value)
    match value:
        case bool() | int():
            return f"{int(value):x}"
        case float():
            return f"{int(value):x}" if value.is_integer() else repr(value)
        case complex():
            return f"{key(value.real)}+{key(value.imag)}j" if value.imag else key(value.real)
        case list():
            return f"[{_keys(cast('list[Value]', value))}]"
        case tuple():
            return f"({_keys(cast('tuple[Value, ...]', value))})"
        case set():
            members = cast("set[Value]", value)
            return f"set<{','.join(sorted(map(key, members)))}>"
        case dict():
            items = cast("Mapping[Value, Value]", value).items()
            return f"{{{','.join(sorted(f'{key(k)}:{key(v)}' for k, v in items))}}}"
        case Instance():
            fields = (f"{encode(name)}:{key(item)}" for name, item in fields_by_name(value))
            return f"{encode(value.type_name)}({','.join(fields)})"
        case Container():
            return f"{encode(value.type_name)}<{key(value.items)}>"
        case _:
            return encode(value)


def _keys(values: Iterable[Value]) -> str:
    return ",".join(map(key, values))


def _is_inexact(value: Value) -> bool:
    """Whether the value holds a float (not NaN), so that it may equal a value with another key."""
    match value:
        case float() | complex():
            return not math.isnan(value.real)
        case list() | tuple() | set() | frozenset():
            return any(map(_is_inexact, cast("Iterable[Value]", value)))
        case dict():
            mapping = cast("Mapping[Value, Value]", value)
            return any(_is_inexact(part) for pair in mapping.items() for part in pair)
        case Instance():
            return any(_is_inexact(item) for _, item in value.fields)
        case Container():
            return _is_inexact(value.items)
        case _:
            return False
