"""Values as JSON; tuples and sets are ``{"$tuple": […]}`` and ``{"$set": […]}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

from assay_sandbox import Value

# Larger integers are not written in decimal: that takes quadratic time, and Python refuses.
DECIMAL_BITS_MAX = 4096

# Any: values of every shape, read by `value_from`.
Json: TypeAlias = Any


class NoValue(Exception):
    """JSON that stands for no value."""


def value_from(written: Json) -> Value:
    """The value that JSON stands for; a set in a set is a frozen one. Raises NoValue."""
    return _value(written, frozen=False)


def json_from(value: Value) -> Json:
    """JSON that `value_from` reads; for a value without such JSON, its text."""
    match value:
        case list():
            return [json_from(item) for item in cast("list[Value]", value)]
        case tuple():
            return {"$tuple": [json_from(item) for item in cast("tuple[Value, ...]", value)]}
        case set() | frozenset():
            return {"$set": sorted(map(json_from, cast("set[Value]", value)), key=repr)}
        case dict():
            mapping = cast("Mapping[Value, Value]", value)
            if not all(isinstance(key, str) for key in mapping):
                return repr(mapping)
            return {str(key): json_from(item) for key, item in mapping.items()}
        case int() if value.bit_length() > DECIMAL_BITS_MAX:
            return f"{value:#x}"
        case bool() | int() | float() | str() | None:
            return value
        case _:
            return repr(value)


def standard(written: Json) -> Json:
    """The same JSON with texts for NaN and infinities, which only Python's JSON has as numbers."""
    return json.loads(json.dumps(written), parse_constant=lambda name: repr(float(name)))


def _value(written: Json, *, frozen: bool) -> Value:
    if isinstance(written, list | tuple):
        return [_value(item, frozen=frozen) for item in cast("Iterable[Json]", written)]
    if not isinstance(written, dict):
        return written
    mapping = cast("dict[str, Json]", written)
    (tag, items), *others = mapping.items() or [("", None)]
    if tag not in ("$tuple", "$set") or others or not isinstance(items, list):
        return {key: _value(item, frozen=frozen) for key, item in mapping.items()}
    hashed = frozen or tag == "$set"
    values = [_value(item, frozen=hashed) for item in cast("list[Json]", items)]
    if tag == "$tuple":
        return tuple(values)
    try:
        return frozenset(values) if frozen else set(values)
    except TypeError:
        raise NoValue("a $set of values that cannot be in a set") from None
