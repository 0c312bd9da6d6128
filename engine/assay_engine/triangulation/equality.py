"""Finite sets of values under the equality of `comparing`, without hashing what programs return.

Two values with the same key are equal. Two with different keys can only be equal if one of them
holds a float, so that exact sets are compared by key, and only inexact values one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from assay_engine.running.comparing import same_value
from assay_sandbox import Container, Instance, Value, encode


@dataclass(frozen=True, slots=True)
class Listed:
    """Values in the order in which they were listed, each once."""

    values: tuple[Value, ...]
    keys: frozenset[str]
    inexact: tuple[Value, ...]

    def __contains__(self, value: Value) -> bool:
        if key(value) in self.keys:
            return True
        candidates = self.values if is_inexact(value) else self.inexact
        return any(same(value, each) for each in candidates)

    def meets(self, other: Listed) -> bool:
        """Whether a value is listed in both."""
        return (
            not self.keys.isdisjoint(other.keys)
            or any(value in other for value in self.inexact)
            or any(value in self for value in other.inexact)
        )


def same(left: Value, right: Value) -> bool:
    """Equality of verdicts, except that sets are equal by content, whether or not they can still
    be changed."""
    if same_value(left, right):
        return True
    return (_is_frozen(left) or _is_frozen(right)) and same_value(_thawed(left), _thawed(right))


def listed(values: Iterable[Value]) -> Listed:
    unique: dict[str, Value] = {}
    for value in values:
        unique.setdefault(key(value), value)
    ordered = tuple(unique.values())
    return Listed(ordered, frozenset(unique), tuple(filter(is_inexact, ordered)))


def key(value: Value) -> str:
    """A text that is the same for values that are equal without any tolerance."""
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
        case set() | frozenset():
            members = cast("frozenset[Value]", value)
            return f"set<{','.join(sorted(map(key, members)))}>"
        case dict():
            items = cast("Mapping[Value, Value]", value).items()
            return f"{{{','.join(sorted(f'{key(k)}:{key(v)}' for k, v in items))}}}"
        case Instance():
            fields = (f"{encode(name)}:{key(item)}" for name, item in value.fields)
            return f"{encode(value.type_name)}({','.join(fields)})"
        case Container():
            return f"{encode(value.type_name)}<{key(value.items)}>"
        case _:
            return encode(value)


def _keys(values: Iterable[Value]) -> str:
    return ",".join(map(key, values))


def _is_frozen(value: Value) -> bool:
    """Whether a frozen set is anywhere in it where a set could be."""
    match value:
        case frozenset():
            return True
        case list() | tuple():
            return any(map(_is_frozen, cast("Iterable[Value]", value)))
        case dict():
            return any(map(_is_frozen, cast("dict[Value, Value]", value).values()))
        case Instance():
            return any(_is_frozen(item) for _, item in value.fields)
        case Container():
            return _is_frozen(value.items)
        case _:
            return False


def _thawed(value: Value) -> Value:
    """The value with sets for frozen sets, wherever nothing has to be hashed."""
    match value:
        case frozenset():
            return set(cast("frozenset[Value]", value))
        case list():
            return [_thawed(item) for item in cast("list[Value]", value)]
        case tuple():
            return tuple(_thawed(item) for item in cast("tuple[Value, ...]", value))
        case dict():
            items = cast("dict[Value, Value]", value).items()
            return {name: _thawed(item) for name, item in items}
        case Instance():
            fields = tuple((name, _thawed(item)) for name, item in value.fields)
            return Instance(value.type_name, fields)
        case Container():
            return Container(value.type_name, _thawed(value.items))
        case _:
            return value


def is_inexact(value: Value) -> bool:
    """Whether a float is anywhere in it, so that it may equal what has another key."""
    match value:
        case float() | complex():
            return not math.isnan(value.real)
        case list() | tuple() | set() | frozenset():
            return any(map(is_inexact, cast("Iterable[Value]", value)))
        case dict():
            mapping = cast("Mapping[Value, Value]", value)
            return any(is_inexact(part) for pair in mapping.items() for part in pair)
        case Instance():
            return any(is_inexact(item) for _, item in value.fields)
        case Container():
            return is_inexact(value.items)
        case _:
            return False
