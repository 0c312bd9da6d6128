"""Writes values of built-in types and their contents as canonical typed JSON, under one budget.

Dispatch is by exact type: no method that a program could have written is called, no property read,
no `__iter__`, `__eq__` or `__repr__` trusted.
"""

from __future__ import annotations

from binascii import b2a_base64
from struct import pack, unpack

from .. import inspecting
from ..inspecting import identity, kind_of
from .fields import Pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable

# The C function alone comes without the decoder, and the regular expressions that it needs.
try:
    from _json import encode_basestring_ascii as plain_string
except ImportError:
    from json.encoder import encode_basestring_ascii as plain_string


# Separates texts while they are escaped together; a text that contains it is detected.
_BETWEEN, _ESCAPED = "\x7f", "\\u007f"
_SHORTER = len(_ESCAPED) - len('","')
# How many characters are converted at a time.
_PIECE = 4096


def string(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            # Two lone surrogates in a row would be read back as one character.
            return '{"surrogates":"%s"}' % _code_points(text)
    return plain_string(text)


def _code_points(text: str) -> str:
    """Four bytes per character, lowest first. By no codec: programs can register their own."""
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    return "".join([pack("<%dI" % len(piece), *map(ord, piece)).hex() for piece in pieces])


def of_code_points(content: str) -> str:
    """The text of such bytes."""
    data = bytes.fromhex(content)
    return "".join(map(chr, unpack("<%dI" % (len(data) // 4), data)))


def strings(items: list[str]) -> str:
    """A list of texts, escaped in one go; empty if one of them has to be examined by itself."""
    inside = '","'.join(items)
    # Escaping lengthened nothing but the quotes between and around the texts.
    if len(plain_string(inside)) == len(inside) + 2 * len(items):
        return '["' + inside + '"]'
    joined = plain_string(_BETWEEN.join(items))
    text = joined.replace(_ESCAPED, '","')
    # A surrogate, which `string` has to examine, or a text that contains the separator.
    if "\\ud" in joined or len(joined) - len(text) != _SHORTER * (len(items) - 1):
        return ""
    return "[" + text + "]"


DEPTH_MAX = 100
# Strings up to this length are counted by the containers that hold them.
SHORT = 64
# Lists up to this length are examined item by item, which is faster for them.
FEW = 16
EXACT_INTEGERS = 1 << 53
INFINITY = float("inf")

_ONLY_TEXT = {identity(str)}
_ONLY_INTEGERS = {identity(int)}


class Unencodable(Exception):
    """Why a value cannot be carried: its type and the reason."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


class NestedTooDeep(Exception):
    """The value has too many levels, or contains itself."""


class ValueWriter:
    """Writes under one budget of levels, nodes and bytes, renewed at the start of each value."""

    def __init__(self, own_modules: frozenset[str]) -> None:
        self._own = own_modules
        # How large the text of a value may become, and how much of that is left.
        self._maximum = 0
        self._left = 0
        self.depth = 0
        # By the id of each object that is being written, how many levels are above it. None until
        # it is known that something contains itself.
        self.above: dict[int, int] | None = None
        # The highest level that a cycle has led back to.
        self.reached = 0
        writers: dict[type, Callable[[Any], str]] = {
            type(None): lambda _value: "null",
            bool: lambda value: "true" if value else "false",
            str: self._string,
            int: self._integer,
            float: self._float,
            list: self._list,
            tuple: lambda value: '{"tuple":%s}' % self._list(value),
            dict: self._dict,
            set: lambda value: '{"set":%s}' % self._unordered(value),
            frozenset: lambda value: '{"frozenset":%s}' % self._unordered(value),
            bytes: lambda value: '{"bytes":"%s"}' % self._bytes(value),
            bytearray: lambda value: '{"bytearray":"%s"}' % self._bytes(value),
            complex: lambda value: '{"complex":%s}' % self._list([value.real, value.imag]),
            Pairs: lambda value: (
                '{"dict":%s}' % self._pairs(value.keys, value.values, value.values)
            ),
        }
        # By identity: a metaclass could answer for `hash` and `==` of its types.
        self.writers = {identity(kind): writer for kind, writer in writers.items()}

    def other(self, value: object) -> str:
        """The text of a value that is neither plain nor of an exact built-in container type."""
        raise NotImplementedError

    def name(self, kind: type) -> str:
        return inspecting.type_name(kind, self._own)

    def spend(self, amount: int, kind: type) -> None:
        self._left -= amount
        if self._left < 0:
            raise Unencodable(self.name(kind), self._too_large())

    def parts(self, items: Any, whole: Any = None) -> list[str]:
        """The texts of `items`, which are all parts, or one side of the pairs, of `whole`."""
        self._left -= 2 * len(items)
        self.depth += 1
        if self._left < 0 or self.depth > DEPTH_MAX:
            self._exhausted(items if whole is None else whole)
        things: Iterable[object] = items
        if self.above is not None:
            parts = [self.below(item, self.above) for item in things]
        else:
            writer_of, other = self.writers.get, self.other
            parts = [writer_of(identity(type(item)), other)(item) for item in things]
        self.depth -= 1
        return parts

    def below(self, item: object, above: dict[int, int]) -> str:
        """The text of a part; if it is one of its own containers, how many levels up that is."""
        key = identity(item)
        if key in above:
            self.reached = min(self.reached, above[key])
            return '{"cycle":%d}' % (len(above) - above[key])
        above[key] = len(above)
        text = self._text(item)
        del above[key]
        return text

    def _text(self, value: object) -> str:
        writer = self.writers.get(identity(type(value)))
        return self.other(value) if writer is None else writer(value)

    def _exhausted(self, items: object) -> None:
        if self._left < 0:
            raise Unencodable(self.name(type(items)), self._too_large())
        raise NestedTooDeep

    def _too_large(self) -> str:
        return f"larger than {self._maximum} bytes"

    def _expect_room(self, items: int, kind: type) -> None:
        """Raise if there are too many items, before any of them is looked at."""
        if 2 * items > self._left:
            raise Unencodable(self.name(kind), self._too_large())

    def _string(self, value: str) -> str:
        if len(value) > SHORT:
            self.spend(len(value), str)
        return plain_string(value) if value.isascii() else string(value)

    def _integer(self, value: int) -> str:
        if -EXACT_INTEGERS < value < EXACT_INTEGERS:
            return repr(value)
        self.spend(value.bit_length() >> 2, int)
        return '{"int":"%s"}' % hex(value)

    def _float(self, value: float) -> str:
        if -INFINITY < value < INFINITY:
            return repr(value)
        return '{"float":"%s"}' % repr(value)

    def _bytes(self, value: bytes) -> str:
        self.spend(len(value) * 4 // 3, type(value))
        return b2a_base64(value, newline=False).decode("ascii")

    def _list(self, items: Any) -> str:
        if not items:
            return "[]"
        if len(items) <= FEW:
            for item in items:
                if type(item) is not str:
                    return "[" + ",".join(self.parts(items)) + "]"
        else:
            self._expect_room(len(items), kind_of(items))
            kinds = set(map(identity, map(type, items)))
            if kinds == _ONLY_INTEGERS:
                self.spend(2 * len(items), kind_of(items))
                if min(items) > -EXACT_INTEGERS and max(items) < EXACT_INTEGERS:
                    return "[" + ",".join(map(repr, items)) + "]"
            if kinds != _ONLY_TEXT:
                return "[" + ",".join(self.parts(items)) + "]"
            # Counted first: a long text that occurs many times must not be written out in vain.
            self.spend(sum(map(len, items)) + 2 * len(items), kind_of(items))
        text = strings(items)
        if not text:
            return "[" + ",".join(self.parts(items)) + "]"
        if len(text) > SHORT * FEW:
            self.spend(len(text), kind_of(items))
        return text

    def _unordered(self, items: Any) -> str:
        # Sorted by text, so that equal sets give equal text whatever their history.
        return "[%s]" % ",".join(sorted(self.parts(items)))

    def _pairs(self, keys: list[Any], values: list[Any], whole: Any) -> str:
        pairs = zip(self.parts(keys, whole), self.parts(values, whole))  # noqa: B905 (3.9)
        return "[%s]" % ",".join(map("[%s,%s]".__mod__, pairs))

    def _dict(self, items: dict[Any, Any]) -> str:
        self._expect_room(2 * len(items), dict)
        return '{"dict":%s}' % self._pairs(list(items), list(items.values()), items)

    def _fields(self, kind: str, fields: list[tuple[str, object]]) -> str:
        values = self.parts([value for _name, value in fields])
        inside = ",".join(
            "[%s,%s]" % (string(name), values[position])
            for position, (name, _value) in enumerate(fields)
        )
        return '{"instance":[%s,[%s]]}' % (string(kind), inside)
