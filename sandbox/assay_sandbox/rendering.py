"""Renders values as a person would type them in Python."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any, TypeGuard, cast

from . import tables
from .values import (
    Container,
    Cycle,
    Expression,
    Instance,
    Iterated,
    Member,
    Opaque,
    Scalar,
    Script,
    Told,
    Value,
)

DEPTH_MAX = 100
# Types of objects that are described by the name that leads to them.
_NAMED = frozenset(
    ("builtin_function_or_method", "function", "method_descriptor", "module", "wrapper_descriptor")
)
# Types of objects that are described by the object they are bound to, and a name.
_BOUND = frozenset(("builtin_function_or_method", "method"))
# Files in memory, described by their content, and as results also by their position.
_IN_MEMORY = frozenset(("_io.BytesIO", "_io.StringIO"))
# The lowest limit on digits that an interpreter accepts.
_LEAST_BEYOND = 10**640

_BY_TEXT: dict[str, Callable[[str], object]] = {
    "datetime.date": datetime.date.fromisoformat,
    "datetime.datetime": datetime.datetime.fromisoformat,
    "datetime.time": datetime.time.fromisoformat,
    "datetime.timezone": lambda text: datetime.timezone(datetime.timedelta(seconds=float(text))),
    "range": lambda text: range(*map(int, text.split(","))),
    "datetime.timedelta": lambda text: datetime.timedelta(*_days_seconds_microseconds(text)),
}

# Singletons, by type and description.
_SINGLE = {("ellipsis", "..."): "...", ("NotImplementedType", "NotImplemented"): "NotImplemented"}
# Flags that are part of what a pattern matches, in the order in which `repr` has them.
_FLAGS = tuple(
    re.RegexFlag[name]
    for name in ("IGNORECASE", "LOCALE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII")
)

_MOMENTS: dict[str, type[datetime.datetime | datetime.time]] = {
    "datetime.datetime": datetime.datetime,
    "datetime.time": datetime.time,
}


def render(value: Value) -> str:
    """Python-looking text: built-ins as by `repr`, wrappers as calls of their type.

    Very long integers are hexadecimal: CPython neither writes nor reads their decimal digits.
    """
    return _render(value, 0)


def _render(value: Value, depth: int) -> str:
    if depth > DEPTH_MAX:
        return "..."
    seen: object = value
    writer = _WRITERS.get(type(seen))
    return repr(value) if writer is None else writer(value, depth + 1)


def _joined(items: Any, depth: int) -> str:
    return ", ".join(_render(item, depth) for item in items)


def _integer(value: int, _depth: int) -> str:
    return repr(value) if -_LEAST_BEYOND < value < _LEAST_BEYOND else hex(value)


def _tuple(value: tuple[Value, ...], depth: int) -> str:
    return f"({_joined(value, depth)}{',' if len(value) == 1 else ''})"


def _set(value: set[Value], depth: int) -> str:
    # Sorted by text, so that the same set reads the same in every process.
    inside = ", ".join(sorted(_render(item, depth) for item in value))
    return f"{{{inside}}}" if inside else "set()"


def _frozenset(value: frozenset[Value], depth: int) -> str:
    return f"frozenset({_set(set(value), depth)})" if value else "frozenset()"


def _dict(value: dict[Value, Value], depth: int) -> str:
    pairs = (f"{_render(key, depth)}: {_render(item, depth)}" for key, item in value.items())
    return f"{{{', '.join(pairs)}}}"


def _instance(value: Instance, depth: int) -> str:
    fields = ", ".join(
        f"{_field(name)}={_render(item, depth)}"
        for name, item in value.fields
        # Frameworks have such slots for things that may exist beside the fields.
        if item is not None or not name.startswith("__")
    )
    return f"{value.type_name}({fields})"


def _field(name: str) -> str:
    # A program may write anything into a field's name, as into the name of a member.
    return name if name.isidentifier() else repr(name)


def _member(value: Member, _depth: int) -> str:
    # Combined members of a flag have their names separated by bars.
    parts = value.name.split("|")
    if all(map(str.isidentifier, parts)):
        return f"{value.type_name}.{value.name}"
    return f"{value.type_name}[{value.name!r}]"


def _opaque(value: Opaque, _depth: int) -> str:
    reason = value.reason if value.reason.isprintable() else repr(value.reason)
    return f"<{value.type_name}: {reason}>"


def _told(value: Told, depth: int) -> str:
    what = value.what
    if type(what) is int:
        # The position among the objects that were given says nothing to a reader.
        return f"<{value.type_name}>"
    if value.type_name == "function" and (kept := _kept(what, depth)):
        return f"<function with {kept}>"
    bound = _bound(what) if value.type_name in _BOUND else None
    if bound is not None:
        holder, name = bound
        return f"{_render(holder, depth)}.{name}"
    held = _parts(what)
    if value.type_name in _IN_MEMORY and held:
        content, *place = (_render(part, depth) for part in held)
        made = f"{value.type_name[1:]}({content})"
        return f"<{made} at {', '.join(place)}>" if place else made
    if _is_path(what):
        return what if value.type_name in _NAMED else f"<{value.type_name}: {what}>"
    return f"<{value.type_name}: {_render(what, depth)}>"


def _kept(what: object, depth: int) -> str:
    """What a function that was given keeps in the defaults of its parameters."""
    pairs = [_parts(part) for part in _parts(what)[1:]]
    if not all(len(pair) == 2 and _is_path(pair[0]) for pair in pairs):
        return ""
    return ", ".join(f"{name}={_render(held, depth)}" for name, held in pairs)


def _bound(what: object) -> tuple[Value, str] | None:
    """The object that a method is bound to, and its name, which may be qualified by its class."""
    held = _parts(what)
    if len(held) != 2 or not _is_path(held[1]):
        return None
    return held[0], held[1].rpartition(".")[2]


def _parts(what: object) -> tuple[Value, ...]:
    return cast("tuple[Value, ...]", what) if isinstance(what, tuple) else ()


def _is_path(what: object) -> TypeGuard[str]:
    """Whether it is a dotted name: a program may write anything there, as for a member."""
    return type(what) is str and all(map(str.isidentifier, what.split(".")))


def _container(value: Container, depth: int) -> str:
    array = tables.array_shown(value.type_name, value.items, lambda item: _render(item, depth))
    if array is not None:
        return array
    try:
        # Tried without rendering the contents: if they were rendered here and again below, each
        # level would take twice as long.
        tables.shown(value.type_name, value.items, lambda _item: "")
    except tables.NOT_AS_WRITTEN:  # no value of pandas, or none that the worker would write
        return f"{value.type_name}({_render(value.items, depth)})"
    return tables.shown(value.type_name, value.items, lambda item: _render(item, depth))


def _iterated(value: Iterated, depth: int) -> str:
    items = _joined(value.items, depth)
    if not value.complete:
        items = f"{items}, ..." if items else "..."
    return f"<{value.type_name} yielding {items or 'nothing'}>"


def _scalar(value: Scalar, _depth: int) -> str:
    if value.type_name == "type" and all(part.isidentifier() for part in value.text.split(".")):
        return value.text
    if (single := _SINGLE.get((value.type_name, value.text))) is not None:
        return single
    read = _BY_TEXT.get(value.type_name)
    try:
        if value.type_name == "re.Pattern":
            return _pattern(value.text)
        if value.type_name in _MOMENTS and value.text.endswith("]"):
            return _in_zone(_MOMENTS[value.type_name], value.text)
        return repr(read(value.text)) if read else f"{value.type_name}({value.text!r})"
    except (TypeError, ValueError, OverflowError):  # no text that the type itself would give
        return f"{value.type_name}({value.text!r})"


def _pattern(text: str) -> str:
    """``re.compile('a', re.IGNORECASE)``: with the flags that it would not have anyway."""
    told, _, pattern = text.partition(":")
    is_bytes = told.startswith("b")
    # A UnicodeError is a ValueError.
    written = repr(pattern.encode("latin-1") if is_bytes else pattern)
    flags = int(told[is_bytes:])
    left = flags & ~(0 if is_bytes else re.UNICODE.value)
    named = [flag for flag in _FLAGS if left & flag.value]
    if flags < 0 or left != sum(flag.value for flag in named):
        raise ValueError(text)
    given = " | ".join(f"re.{flag.name}" for flag in named)
    return f"re.compile({written}, {given})" if given else f"re.compile({written})"


def _in_zone(kind: type[datetime.datetime | datetime.time], text: str) -> str:
    told, _, zone = text[:-1].partition("[")
    local = kind.fromisoformat(told).replace(tzinfo=None)
    return f"{repr(local)[:-1]}, tzinfo=zoneinfo.ZoneInfo({zone!r}))"


def _days_seconds_microseconds(text: str) -> tuple[int, int, int]:
    days, seconds, microseconds = map(int, text.split(","))
    return days, seconds, microseconds


_WRITERS: dict[type, Callable[[Any, int], str]] = {
    int: _integer,
    list: lambda value, depth: f"[{_joined(value, depth)}]",
    tuple: _tuple,
    set: _set,
    frozenset: _frozenset,
    dict: _dict,
    Instance: _instance,
    Member: _member,
    Scalar: _scalar,
    Container: _container,
    Iterated: _iterated,
    Opaque: _opaque,
    Told: _told,
    Cycle: lambda _value, _depth: "...",
    Expression: lambda value, _depth: value.source,
    Script: lambda value, _depth: value.source,
}
