"""Decodes canonical typed JSON to values, host side, within bounds.

Nothing here imports, constructs or calls anything that a program named: unknown types become frozen
wrappers.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from collections.abc import Callable, Collection
from math import isfinite
from typing import cast

from .encoding import DEPTH_MAX, NODES_MAX
from .entries import type_name
from .errors import ProtocolError
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

# Brackets of JSON: an instance takes five for one level of a value.
NESTING_MAX = 5 * DEPTH_MAX
TEXT_MAX = 64 << 20


def decode(text: str, *, expressions: bool = False) -> Value:
    """The value of a text. Raises ProtocolError for anything that a child cannot have written.

    A set or dict in which several objects have the same description is a `Container`, of a list of
    its members or pairs.
    `expressions`: whether to accept source text, which is evaluated where the value goes in again.
    Only inputs may have it, which a person wrote, and not observations of a program.
    """
    if len(text) > TEXT_MAX:
        raise ProtocolError(f"a value of {len(text)} characters, more than {TEXT_MAX}")
    try:
        parsed: object = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
        return _Reader(expressions=expressions).value(parsed, 0)
    except ProtocolError:
        raise
    except (ValueError, RecursionError, TypeError, OverflowError, MemoryError) as error:
        raise ProtocolError(f"not a value: {type(error).__name__}: {error}") from None


def _no_constant(name: str) -> object:
    raise ProtocolError(f"{name} is not plain JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ProtocolError(f"{digits[:20]} is no finite number")
    return number


# Wrappers that describe objects by parts: two different objects can have equal ones.
_WRAPPERS = (Instance, Member, Scalar, Container, Iterated, Told)


class _Keys:
    """The members of a set, or the keys of a dict.

    To build and compare a table, keys that share a hash are compared with each other. A program can
    choose such keys, nested in such keys, so each counts as often as it is looked at.
    """

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        self._keys: list[Value] = []
        self._sizes: list[int] = []

    def read(self, parsed: object, depth: int) -> None:
        before = self._reader.parts
        self._keys.append(self._reader.value(parsed, depth))
        size = self._reader.parts - before
        # Computing its hash reads all of it once more.
        self._reader.count_again(size - 1)
        self._sizes.append(size)

    def checked(self) -> list[Value]:
        """The keys. Raises ProtocolError if it would take too long to tell them apart."""
        hashes = list(map(hash, self._keys))
        if len(set(hashes)) < len(hashes):
            alike = Counter(hashes)
            self._reader.count(
                sum(
                    (alike[each] - 1) * size for each, size in zip(hashes, self._sizes, strict=True)
                )
            )
        return self._keys

    def are_in(self, table: Collection[Value]) -> bool:
        """Whether `table` has all keys; not if distinct keys of the program have equal wrappers.

        Raises ProtocolError if equal keys would be equal in any program.
        """
        if len(table) == len(self._keys):
            return True
        found = set[Value]()
        for key in self._keys:
            if key in found and not _is_wrapped(key):
                raise ProtocolError("keys or members that are equal")
            found.add(key)
        return False


def _is_wrapped(value: Value) -> bool:
    if isinstance(value, tuple | frozenset):
        return any(map(_is_wrapped, cast("Collection[Value]", value)))
    return isinstance(value, _WRAPPERS)


class _Reader:
    def __init__(self, *, expressions: bool) -> None:
        self._expressions = expressions
        # How many nodes were looked at, and the same without those read for hashes.
        self.nodes = self.parts = 0

    def count(self, nodes: int) -> None:
        self.parts += nodes
        self.count_again(nodes)

    def count_again(self, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > NODES_MAX:
            raise ProtocolError("a value with too many parts, or with keys of one hash")

    def value(self, parsed: object, depth: int) -> Value:
        self.count(1)
        if depth > NESTING_MAX:
            raise ProtocolError("a value nested too deeply")
        kind = type(parsed)
        if kind is list:
            return self.items(parsed, depth)
        if kind is not dict:
            return parsed
        tagged = cast("dict[str, object]", parsed)
        if len(tagged) != 1:
            raise ProtocolError(f"an object with {len(tagged)} tags")
        ((tag, content),) = tagged.items()
        reader = _READERS.get(tag)
        if reader is None:
            raise ProtocolError(f"an unknown tag {tag[:40]!r}")
        return reader(self, content, depth + 1)

    def items(self, content: object, depth: int, *, count: int | None = None) -> list[Value]:
        parts = _list(content, count)
        return [self.value(part, depth + 1) for part in parts]

    def mapping(self, content: object, depth: int) -> dict[Value, Value] | Container:
        keys, items = _Keys(self), list[Value]()
        for pair in _list(content):
            key, item = _list(pair, 2)
            keys.read(key, depth + 2)
            items.append(self.value(item, depth + 2))
        pairs = list(zip(keys.checked(), items, strict=True))
        found = dict(pairs)
        return found if keys.are_in(found) else Container("dict", pairs)

    def unordered(
        self, content: object, depth: int, kind: type[set[Value]] | type[frozenset[Value]]
    ) -> set[Value] | frozenset[Value] | Container:
        keys = _Keys(self)
        for part in _list(content):
            keys.read(part, depth + 1)
        members = keys.checked()
        found = kind(members)
        return found if keys.are_in(found) else Container(kind.__name__, members)

    def instance(self, content: object, depth: int) -> Instance:
        name, fields = _list(content, 2)
        read: list[tuple[str, Value]] = []
        for field in _list(fields):
            key, item = _list(field, 2)
            read.append((_text(key), self.value(item, depth + 2)))
        return Instance(_type_name(name), tuple(read))

    def iterated(self, content: object, depth: int) -> Iterated:
        name, items, complete = _list(content, 3)
        if type(complete) is not bool:
            raise ProtocolError("an iteration that neither ended nor did not")
        return Iterated(_type_name(name), tuple(self.items(items, depth + 1)), complete)

    def held(self, content: object, depth: int) -> tuple[str, Value]:
        """A type's name, and one value."""
        name, value = _list(content, 2)
        return _type_name(name), self.value(value, depth + 1)

    def expression(self, content: object) -> Expression:
        if not self._expressions:
            raise ProtocolError("an expression where a program has answered")
        return Expression(_text(content))

    def script(self, content: object) -> Script:
        return Script(self.expression(content).source)

    def complex(self, content: object, depth: int) -> complex:
        real, imaginary = self.items(content, depth, count=2)
        if type(real) is not float or type(imaginary) is not float:
            raise ProtocolError("a complex number without two floats")
        return complex(real, imaginary)


def _list(content: object, count: int | None = None) -> list[object]:
    if type(content) is not list:
        raise ProtocolError("a tag without its list")
    parts = cast("list[object]", content)
    if count is not None and len(parts) != count:
        raise ProtocolError(f"{len(parts)} parts where {count} belong")
    return parts


def _text(content: object) -> str:
    if type(content) is str:
        return content
    if type(content) is dict:
        tagged = cast("dict[str, object]", content)
        if list(tagged) == ["surrogates"]:
            return _surrogates(tagged["surrogates"])
    raise ProtocolError("no text where text belongs")


def _type_name(content: object) -> str:
    return type_name(_text(content))


def _type_and_text(content: object) -> tuple[str, str]:
    first, second = _list(content, 2)
    return _type_name(first), _text(second)


def _plain_text(content: object) -> str:
    if type(content) is not str:
        raise ProtocolError("no text where text belongs")
    return content


def _surrogates(content: object) -> str:
    return bytes.fromhex(_plain_text(content)).decode("utf-32-le", "surrogatepass")


def _raw(content: object) -> bytes:
    try:
        return base64.b64decode(_plain_text(content), validate=True)
    except binascii.Error as error:
        raise ProtocolError(f"not base64: {error}") from None


def _integer(content: object) -> int:
    # Hexadecimal on the wire: reading decimal digits takes time quadratic in their number.
    return int(_plain_text(content), 16)


def _levels(content: object) -> int:
    if type(content) is not int or not 0 < content <= NESTING_MAX:
        raise ProtocolError("a cycle that leads nowhere")
    return content


def _special(content: object) -> float:
    text = _plain_text(content)
    if text not in ("nan", "inf", "-inf"):
        raise ProtocolError(f"not a special float: {text[:20]!r}")
    return float(text)


_READERS: dict[str, Callable[[_Reader, object, int], Value]] = {
    "tuple": lambda reader, content, depth: tuple(reader.items(content, depth)),
    "set": lambda reader, content, depth: reader.unordered(content, depth, set),
    "frozenset": lambda reader, content, depth: reader.unordered(content, depth, frozenset),
    "dict": lambda reader, content, depth: reader.mapping(content, depth),
    "bytes": lambda _reader, content, _depth: _raw(content),
    "bytearray": lambda _reader, content, _depth: bytearray(_raw(content)),
    "complex": lambda reader, content, depth: reader.complex(content, depth),
    "int": lambda _reader, content, _depth: _integer(content),
    "float": lambda _reader, content, _depth: _special(content),
    "surrogates": lambda _reader, content, _depth: _surrogates(content),
    "instance": lambda reader, content, depth: reader.instance(content, depth),
    "member": lambda _reader, content, _depth: Member(*_type_and_text(content)),
    "scalar": lambda _reader, content, _depth: Scalar(*_type_and_text(content)),
    "container": lambda reader, content, depth: Container(*reader.held(content, depth)),
    "iterated": lambda reader, content, depth: reader.iterated(content, depth),
    "opaque": lambda _reader, content, _depth: Opaque(*_type_and_text(content)),
    "told": lambda reader, content, depth: Told(*reader.held(content, depth)),
    "cycle": lambda _reader, content, _depth: Cycle(_levels(content)),
    "expression": lambda reader, content, _depth: reader.expression(content),
    "script": lambda reader, content, _depth: reader.script(content),
}
