"""Encodes values as canonical typed JSON, host side.

Equal values of the same exact types give equal text, so most comparisons never decode.

Recognises arguments that mean the same in every interpreter, whatever the program.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import chain
from math import isfinite
from operator import ne
from typing import Any, Final, cast

from .observations import Encoded
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
NODES_MAX = 1 << 20
# Beyond this, JSON readers that use doubles would silently round.
EXACT_INTEGERS = 1 << 53


def encode(value: Value) -> Encoded:
    """The canonical text of a value. Raises TypeError if no wrapper can express it."""
    return Encoded(_Writer().text(value, 0))


class _Writer:
    def __init__(self) -> None:
        self._nodes = 0

    def text(self, value: object, depth: int) -> str:
        self._nodes += 1
        if depth > DEPTH_MAX or self._nodes > NODES_MAX:
            raise TypeError(f"nested deeper than {DEPTH_MAX} or larger than {NODES_MAX}")
        plain = _plain(value)
        if plain is not None:
            return plain
        kind = type(value)
        if kind is list:
            return self._sequence(cast("list[object]", value), depth)
        writer = _WRITERS.get(kind)
        if writer is None:
            raise TypeError(f"a {kind.__module__}.{kind.__qualname__} cannot cross the wall")
        return writer(self, value, depth)

    def _sequence(self, items: Any, depth: int) -> str:
        return "[" + ",".join([self.text(item, depth + 1) for item in items]) + "]"

    def sequence(self, tag: str, items: Any, depth: int) -> str:
        return f'{{"{tag}":{self._sequence(items, depth)}}}'

    def unordered(self, tag: str, items: Any, depth: int) -> str:
        return f'{{"{tag}":[{",".join(sorted(self.text(item, depth + 1) for item in items))}]}}'

    def mapping(self, items: dict[object, object], depth: int) -> str:
        pairs = [
            f"[{self.text(key, depth + 1)},{self.text(item, depth + 1)}]"
            for key, item in items.items()
        ]
        return f'{{"dict":[{",".join(pairs)}]}}'

    def named(self, tag: str, name: str, *rest: str) -> str:
        return f'{{"{tag}":[{",".join([_string(name), *rest])}]}}'

    def instance(self, value: Instance, depth: int) -> str:
        fields = ",".join(
            f"[{_string(name)},{self.text(item, depth + 1)}]" for name, item in value.fields
        )
        return self.named("instance", value.type_name, f"[{fields}]")

    def container(self, value: Container, depth: int) -> str:
        name, items = value.type_name, value.items
        seen: object = items
        listed = type(seen) is list
        # `decode` gives these where distinct objects have the same description.
        if listed and name in ("set", "frozenset"):
            return self.unordered(name, items, depth)
        if listed and name == "dict":
            pairs = [self._sequence(pair, depth) for pair in items]
            return f'{{"dict":[{",".join(pairs)}]}}'
        return self.named("container", name, self.text(items, depth + 1))

    def iterated(self, value: Iterated, depth: int) -> str:
        items = self._sequence(value.items, depth)
        return self.named("iterated", value.type_name, items, "true" if value.complete else "false")


def _plain(value: object) -> str | None:
    """The text of a value that JSON expresses by itself or by one tag; None if it has parts."""
    if value is None:
        return "null"
    kind = type(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is str:
        return _string(cast("str", value))
    if kind is int:
        number = cast("int", value)
        small = -EXACT_INTEGERS < number < EXACT_INTEGERS
        return repr(number) if small else f'{{"int":"{number:#x}"}}'
    if kind is float:
        number = cast("float", value)
        return repr(number) if isfinite(number) else f'{{"float":"{number!r}"}}'
    return None


def _string(text: str) -> str:
    if type(text) is not str:
        raise TypeError("a name must be an exact str")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            # Two lone surrogates in a row would be read back as one character.
            units = text.encode("utf-32-le", "surrogatepass").hex()
            return f'{{"surrogates":"{units}"}}'
    return json.dumps(text)


def _bytes(tag: str, value: bytes) -> str:
    return f'{{"{tag}":"{base64.b64encode(value).decode()}"}}'


_WRITERS: dict[type, Callable[[_Writer, Any, int], str]] = {
    tuple: lambda writer, value, depth: writer.sequence("tuple", value, depth),
    set: lambda writer, value, depth: writer.unordered("set", value, depth),
    frozenset: lambda writer, value, depth: writer.unordered("frozenset", value, depth),
    dict: lambda writer, value, depth: writer.mapping(value, depth),
    bytes: lambda _writer, value, _depth: _bytes("bytes", value),
    bytearray: lambda _writer, value, _depth: _bytes("bytearray", bytes(value)),
    complex: lambda writer, value, depth: writer.sequence(
        "complex", (value.real, value.imag), depth
    ),
    Instance: lambda writer, value, depth: writer.instance(value, depth),
    Member: lambda writer, value, _depth: writer.named(
        "member", value.type_name, _string(value.name)
    ),
    Scalar: lambda writer, value, _depth: writer.named(
        "scalar", value.type_name, _string(value.text)
    ),
    Container: lambda writer, value, depth: writer.container(value, depth),
    Iterated: lambda writer, value, depth: writer.iterated(value, depth),
    Opaque: lambda writer, value, _depth: writer.named(
        "opaque", value.type_name, _string(value.reason)
    ),
    Told: lambda writer, value, depth: writer.named(
        "told", value.type_name, writer.text(value.what, depth + 1)
    ),
    Cycle: lambda _writer, value, _depth: f'{{"cycle":{value.levels}}}',
    Expression: lambda _writer, value, _depth: f'{{"expression":{_string(value.source)}}}',
    Script: lambda _writer, value, _depth: f'{{"script":{_string(value.source)}}}',
}


_LEAVES: Final = frozenset({type(None), bool, int, float, complex, str, bytes})
# Without sets: the order in which a set is read depends on how it was built.
_HOLDING: Final = frozenset({list, tuple, dict})


def is_plain(*calls: tuple[object, ...]) -> bool:
    """Whether these arguments contain only leaves, and lists, tuples and dicts of such.

    Not if they are nested too deeply or are too large for the wire: writing them as text reports
    that. Nor if they contain a NaN, whose sign and payload no text has.
    """
    level: list[Any] = list(calls)
    nodes = 0
    # In the text, the call is one level around the arguments.
    for _depth in range(DEPTH_MAX - 1):
        values: list[Any] = [holder.values() for holder in level if type(holder) is dict]
        nodes += sum(map(len, level)) + sum(map(len, values))
        if nodes > NODES_MAX:
            return False
        # A whole level at once: there are thousands of calls, of a few parts each.
        parts: list[Any] = list(chain.from_iterable([*level, *values]))
        kinds = set(map(type, parts))
        level = []
        if not kinds <= _LEAVES:
            if not kinds <= _LEAVES | _HOLDING:
                return False
            level = [part for part in parts if type(part) in _HOLDING]
            parts = [part for part in parts if type(part) in _LEAVES]
        if any(map(ne, parts, parts)):
            return False
        if not level:
            return True
    return False
