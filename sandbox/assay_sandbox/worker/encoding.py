"""A program's values to canonical typed JSON, without running code of the program.

Dispatch is by exact type: no method that a program could have written is called, no property read,
no `__iter__`, `__eq__` or `__repr__` trusted. The one exception is said on purpose: iterators are
drawn from, up to a bound, when the caller asks for it, and then under the call's deadline.
"""

from __future__ import annotations

from binascii import b2a_base64

from . import deadline, inspecting, known, numpy_values, origin, pandas_values, streams, telling
from .bases import Pairs
from .escaping import plain_string, string, strings
from .fields import fields_of, has_own_fields, member_name
from .inspecting import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, Iterator, List, NoReturn, Optional, Tuple

DEPTH_MAX = 100
# What may be spent, at most, on what leads back to itself: among things that are all tied to each
# other there are more ways than can be followed.
ENTANGLED_MAX = 1 << 16
# Strings up to this length are counted by the containers that hold them.
SHORT = 64
# Lists up to this length are looked through item by item, which is faster for them.
FEW = 16
EXACT_INTEGERS = 1 << 53
INFINITY = float("inf")
# How the text of what cannot be carried begins.
OPAQUE = '{"opaque"'

# What a bound of ours raises wherever the program is.
_BOUNDS = frozenset(map(identity, (deadline.OutOfTime, streams.Overstepped, streams.TooMuchOutput)))
_ONLY_TEXT = {identity(str)}
_ONLY_INTEGERS = {identity(int)}


class Unencodable(Exception):
    """Why a value cannot be carried: its type and the reason."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


class _TooDeep(Exception):
    """It has too many levels, or leads back to itself."""


class _Drawn:
    """What an iterator gave so far, told as it was at that moment."""

    __slots__ = ("complete", "items", "iterator", "kind", "texts")

    def __init__(self, iterator: Any, kind: type) -> None:
        # Kept, so that its id is not given to another.
        self.iterator = iterator
        self.kind = kind
        self.texts: List[str] = []
        # By their places, those that have another text wherever the iterator stands, as they lead
        # back to what it is in; and the one that was found to lead back to itself.
        self.items: Dict[int, object] = {}
        # Whether it ended; None while it is drawn from.
        self.complete: Optional[bool] = None


class Encoder:
    """Encodes under one budget of nodes and bytes per value.

    `given`: see there.
    """

    def __init__(self, own_modules: "frozenset[str]") -> None:
        self._maximum = 0
        self._items = 0
        self._own = own_modules
        self._left = 0
        self._depth = 0
        self._drawing = False
        # Whether what is raised comes of the iterator that was drawn from.
        self._theirs = False
        self.given = telling.Given()
        # By what is being written now and what that is in, how many levels are above it; none
        # while it is not known that something leads back to itself.
        self._above: Optional[Dict[int, int]] = None
        # The highest of the levels above that something led back to.
        self._reached = 0
        # What was drawn from iterators, which are exhausted then.
        self._drawn: Dict[int, _Drawn] = {}
        writers: Dict[type, Callable[[Any], str]] = {
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
        self._writers = {identity(kind): writer for kind, writer in writers.items()}
        self._learned: List[str] = []
        self._scalars: Dict[int, known.Describe] = {}
        self._containers: Dict[int, known.Contents] = {}
        self._mappings: Dict[int, known.Read] = {}
        self._enumeration: Optional[type] = None

    def bound(self, maximum_bytes: int, iterator_items: int) -> None:
        """How large a value's text may become, and how many items are drawn from an iterator."""
        self._maximum = maximum_bytes
        self._items = iterator_items

    def learn(self) -> None:
        """Take note of the standard types loaded so far; before a program can replace them."""
        loaded = known.loaded()
        if self._scalars and loaded == self._learned:
            return
        self._learned = loaded
        self._scalars = {identity(kind): said for kind, said in known.scalars()}
        self._containers = {identity(kind): inside for kind, inside in known.containers()}
        self._mappings = {identity(kind): read for kind, read in known.mappings()}
        self._enumeration = known.enumeration()

    def value(self, value: object, *, drawing: bool) -> str:
        """The text of a value. `drawing`: iterators are drawn from. Raises Unencodable."""
        maximum = self._left = self._maximum
        self._depth = 0
        self._drawing = drawing
        self._theirs = False
        writer = self._writers.get(identity(type(value)))
        try:
            text = self._other(value) if writer is None else writer(value)
        except BaseException as error:
            text = self._again(value, self.name(type(value)), error, self._text, value)
        finally:
            if self._drawn:
                self._drawn = {}
        if len(text) > maximum:
            raise Unencodable(self.name(type(value)), self._too_large())
        return text

    def _again(
        self,
        value: object,
        kind: str,
        error: BaseException,
        write: Callable[..., str],
        *what: object,
    ) -> str:
        """The text after all, if what is in the way is that something leads back to itself."""
        if type(error) is not _TooDeep:
            self._fail(kind, error)
        self._left = min(self._maximum, ENTANGLED_MAX)
        self._depth = 0
        # Keeping the way in mind takes time that most values need not spend.
        self._above = {identity(value): 0}
        try:
            return write(*what)
        except BaseException as again:
            if type(again) is Unencodable:
                raise Unencodable(kind, "leads back to itself in too many ways") from None
            self._fail(kind, again)
        finally:
            self._above = None

    def usual(self, value: Any) -> str:
        """What `value` gives for a short list of texts, a short text, an integer, a truth or None.

        Empty for anything else, and for what is looked at more closely there.
        """
        seen: object = value
        kind = type(seen)
        if kind is list:
            if not value or len(value) > FEW:
                return ""
            for item in value:
                if type(item) is not str:
                    return ""
            inside = '","'.join(value)
            if len(plain_string(inside)) != len(inside) + 2 * len(value):
                return ""
            text = '["' + inside + '"]'
        elif kind is str:
            text = plain_string(value) if len(value) <= SHORT and value.isascii() else ""
        elif kind is int:
            text = repr(value) if -EXACT_INTEGERS < value < EXACT_INTEGERS else ""
        elif kind is bool:
            text = "true" if value else "false"
        else:
            text = "null" if value is None else ""
        return text if len(text) <= SHORT * FEW and len(text) <= self._maximum else ""

    def name(self, kind: type) -> str:
        return inspecting.type_name(kind, self._own)

    def opaque(self, kind: str, reason: str) -> str:
        return "%s:[%s,%s]}" % (OPAQUE, string(kind), string(reason))

    def _too_large(self) -> str:
        return f"larger than {self._maximum} bytes"

    def _fail(self, kind: str, error: BaseException) -> NoReturn:
        """Raise what was raised, or say that this could not be told."""
        if type(error) is _TooDeep:
            raise Unencodable(kind, f"nested deeper than {DEPTH_MAX} levels") from None
        if self._theirs or _is_ours(error):
            raise error
        # The program has put together what we did not expect, or what asks it as we look at it, a
        # name that is compared by code of its own say: its call has returned, and raised nothing.
        reason = f"what is in it cannot be told: {self.name(type(error))}"
        raise Unencodable(kind, reason) from None

    def _spend(self, amount: int, kind: type) -> None:
        self._left -= amount
        if self._left < 0:
            raise Unencodable(self.name(kind), self._too_large())

    def _expect_room(self, items: int, kind: type) -> None:
        """Raise if so many items are too many, before any of them is looked at."""
        if 2 * items > self._left:
            raise Unencodable(self.name(kind), self._too_large())

    def _text(self, value: object) -> str:
        writer = self._writers.get(identity(type(value)))
        return self._other(value) if writer is None else writer(value)

    def _string(self, value: str) -> str:
        if len(value) > SHORT:
            self._spend(len(value), str)
        return plain_string(value) if value.isascii() else string(value)

    def _integer(self, value: int) -> str:
        if -EXACT_INTEGERS < value < EXACT_INTEGERS:
            return repr(value)
        self._spend(value.bit_length() >> 2, int)
        return '{"int":"%s"}' % hex(value)

    def _float(self, value: float) -> str:
        if -INFINITY < value < INFINITY:
            return repr(value)
        return '{"float":"%s"}' % repr(value)

    def _bytes(self, value: bytes) -> str:
        self._spend(len(value) * 4 // 3, type(value))
        return b2a_base64(value, newline=False).decode("ascii")

    def _parts(self, items: Any, whole: Any = None) -> List[str]:
        """The texts of `items`, which are all or one side of `whole`."""
        self._left -= 2 * len(items)
        self._depth += 1
        if self._left < 0 or self._depth > DEPTH_MAX:
            self._exhausted(items if whole is None else whole)
        things: Iterable[object] = items
        if self._above is not None:
            parts = [self._below(item, self._above) for item in things]
        else:
            writer_of, other = self._writers.get, self._other
            parts = [writer_of(identity(type(item)), other)(item) for item in things]
        self._depth -= 1
        return parts

    def _below(self, item: object, above: Dict[int, int]) -> str:
        """The text of a part, or how far above it stands if it is what it is in itself."""
        key = identity(item)
        if key in above:
            self._reached = min(self._reached, above[key])
            return '{"cycle":%d}' % (len(above) - above[key])
        above[key] = len(above)
        text = self._text(item)
        del above[key]
        return text

    def _exhausted(self, items: object) -> None:
        if self._left < 0:
            raise Unencodable(self.name(type(items)), self._too_large())
        raise _TooDeep

    def _list(self, items: Any) -> str:
        if not items:
            return "[]"
        whole: object = items
        if len(items) <= FEW:
            for item in items:
                if type(item) is not str:
                    return "[" + ",".join(self._parts(items)) + "]"
        else:
            self._expect_room(len(items), type(whole))
            kinds = set(map(identity, map(type, items)))
            if kinds == _ONLY_INTEGERS:
                self._spend(2 * len(items), type(whole))
                if min(items) > -EXACT_INTEGERS and max(items) < EXACT_INTEGERS:
                    return "[" + ",".join(map(repr, items)) + "]"
            if kinds != _ONLY_TEXT:
                return "[" + ",".join(self._parts(items)) + "]"
            # The same long text many times over must not be written out first.
            self._spend(sum(map(len, items)) + 2 * len(items), type(whole))
        text = strings(items)
        if not text:
            return "[" + ",".join(self._parts(items)) + "]"
        if len(text) > SHORT * FEW:
            self._spend(len(text), type(whole))
        return text

    def _unordered(self, items: Any) -> str:
        # Sorted by text, so that equal sets give equal text whatever their history.
        return "[%s]" % ",".join(sorted(self._parts(items)))

    def _pairs(self, keys: List[Any], values: List[Any], whole: Any) -> str:
        pairs = zip(self._parts(keys, whole), self._parts(values, whole))  # noqa: B905 (3.9)
        return "[%s]" % ",".join(map("[%s,%s]".__mod__, pairs))

    def _dict(self, items: Dict[Any, Any]) -> str:
        self._expect_room(2 * len(items), dict)
        return '{"dict":%s}' % self._pairs(list(items), list(items.values()), items)

    def _fields(self, kind: str, fields: "List[Tuple[str, object]]") -> str:
        values = self._parts([value for _name, value in fields])
        inside = ",".join(
            "[%s,%s]" % (string(name), values[position])
            for position, (name, _value) in enumerate(fields)
        )
        return '{"instance":[%s,[%s]]}' % (string(kind), inside)

    def _other(self, value: object) -> str:
        """Everything that is neither plain nor an exact built-in container."""
        kind = type(value)
        describe = self._scalars.get(identity(kind))
        if describe is not None:
            text = describe(value)
            if text is None:
                return self.opaque(self.name(kind), "it depends on code of the program")
            self._spend(len(text), kind)
            return '{"scalar":[%s,%s]}' % (string(self.name(kind)), string(text))
        contents = self._containers.get(identity(kind))
        if contents is not None:
            self._expect_room(known.length(value), kind)
            self._depth += 1
            inside = self._text(contents(value))
            self._depth -= 1
            return '{"container":[%s,%s]}' % (string(self.name(kind)), inside)
        read = self._mappings.get(identity(kind))
        if read is not None:
            return self._mapping(value, read)
        if identity(kind) in inspecting.ITERATORS:
            return self._iterated(value, kind) if self._drawing else self._not_drawn(value)
        return self._structured(value)

    def _mapping(self, value: object, read: known.Read) -> str:
        kind = type(value)
        if has_own_fields(value):
            return self._structured(value)
        stored: Any = dict
        self._expect_room(2 * stored.__len__(value), kind)
        pairs = read(value)
        if pairs is None:
            return self.opaque(self.name(kind), "its order cannot be read from outside")
        self._depth += 1
        inside = self._pairs(pairs.keys, pairs.values, value)
        self._depth -= 1
        return '{"container":[%s,{"dict":%s}]}' % (string(self.name(kind)), inside)

    def _not_drawn(self, iterator: object) -> str:
        name = self.name(type(iterator))
        place = self.given.place(iterator)
        if place is None:
            return self.opaque(name, "not drawn from")
        return '{"told":[%s,%d]}' % (string(name), place)

    def _iterated(self, iterator: Any, kind: type) -> str:
        key = identity(iterator)
        drawn = self._drawn.get(key)
        if drawn is None:
            drawn = self._drawn[key] = _Drawn(iterator, kind)
        elif drawn.complete is None and self._above is None:
            # It is in what it yields.
            raise _TooDeep
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _TooDeep
        if drawn.complete is not None:
            texts = self._once_more(drawn)
        elif self._above is None:
            texts = self._draw(drawn)
        else:
            texts = self._draw_below(drawn, self._above)
        self._depth -= 1
        return iterated(self.name(kind), texts, complete=drawn.complete is True)

    def _draw(self, drawn: _Drawn) -> List[str]:
        """Write each item before the next is drawn, which may change it, or use it up."""
        texts, writer_of, other = drawn.texts, self._writers.get, self._other
        item: object = None
        try:
            for item in self._items_of(drawn, texts):
                texts.append(writer_of(identity(type(item)), other)(item))
        except _TooDeep:
            drawn.items[len(texts)] = item
            texts.append("")
            raise
        return texts

    def _draw_below(self, drawn: _Drawn, above: Dict[int, int]) -> List[str]:
        """What was drawn when something turned out to lead back to itself, and the rest."""
        texts = self._once_more(drawn)
        # Above an item are the iterator, and what that is in.
        levels, before = len(above), self._reached
        for item in self._items_of(drawn, texts):
            self._reached = levels
            texts.append(self._below(item, above))
            if self._reached < levels - 1:
                drawn.items[len(drawn.texts)] = item
            drawn.texts.append(texts[-1])
            before = min(before, self._reached)
        self._reached = before
        return texts

    def _items_of(self, drawn: _Drawn, texts: List[str]) -> Iterator[object]:
        """The next items, up to the bound on those in `texts`. What is raised in between is of the
        iterator, and what is raised for an item is not."""
        self._theirs = True
        for item in drawn.iterator:
            self._theirs = False
            if len(texts) >= self._items:
                drawn.complete = False
                return
            self._spend(2, drawn.kind)
            yield item
            self._theirs = True
        self._theirs = False
        drawn.complete = True

    def _once_more(self, drawn: _Drawn) -> List[str]:
        """The texts of items that were drawn before."""
        texts: List[str] = []
        for place, text in enumerate(drawn.texts):
            if place in drawn.items:
                texts += self._parts([drawn.items[place]])
            else:
                self._spend(len(text), drawn.kind)
                texts.append(text)
        return texts

    def item(self, item: object, kind: str, length: int) -> str:
        """The text of an item of an iteration that somebody else runs.

        `kind`: of the iteration. `length`: of the texts of its other items. Raises Unencodable.
        """
        self._left = self._maximum - length
        self._depth = 0
        self._drawing = True
        self._theirs = False
        items = [item]
        try:
            text = self._list(items)
        except BaseException as error:
            text = self._again(items, kind, error, self._list, items)
        if length + len(text) > self._maximum:
            raise Unencodable(kind, self._too_large())
        return text[1:-1]

    def forget(self) -> None:
        """What iterators gave that such items hold."""
        self._drawn = {}

    def _structured(self, value: object) -> str:
        kind = type(value)
        member = member_name(value, self._enumeration)
        if member is not None:
            return '{"member":[%s,%s]}' % (string(self.name(kind)), string(member))
        name, room = self.name(kind), self._left // 2
        try:
            held = numpy_values.array(value, room) or pandas_values.described(value)
            told = numpy_values.untransferable(name, value, room)
        except numpy_values.TooMany:
            raise Unencodable(name, self._too_large()) from None
        except pandas_values.Untold as untold:
            return self.opaque(pandas_values.name(kind), str(untold))
        if held is not None:
            known_as, contents = held
            return '{"container":[%s,%s]}' % (string(known_as), self._text(contents))
        if inspecting.is_class(value):
            named: Any = value
            path = self.name(named)
            if "<locals>" in path:
                return self.opaque(name, "it is made by a call, and has no name outside")
            return '{"scalar":["type",%s]}' % string(path)
        zone = known.zone_name(value) if name == known.ZONE else None
        if zone is not None:
            return '{"scalar":[%s,%s]}' % (string(name), string(zone))
        if told is None:
            told = telling.told(name, value, self._own, self.given)
        if told is not None:
            return '{"told":[%s,%s]}' % (string(name), self._parts([told])[0])
        fields: Optional[List[Tuple[str, object]]] = fields_of(value)
        if fields is None:
            return self.opaque(name, known.reason(kind))
        return self._fields(name, fields)


def iterated(kind: str, texts: List[str], *, complete: bool) -> str:
    """The text of an iteration, of those of its items."""
    end = "true" if complete else "false"
    return '{"iterated":[%s,[%s],%s]}' % (string(kind), ",".join(texts), end)


def _is_ours(error: BaseException) -> bool:
    """Whether it says what became of the call: a bound was met, memory was short, or we say so."""
    if type(error) is MemoryError:
        return origin.is_of_memory(error)
    return type(error) is Unencodable or identity(type(error)) in _BOUNDS
