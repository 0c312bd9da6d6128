"""Encodes a program's values as canonical typed JSON, without running code of the program.

`writing` encodes built-in types; this module encodes standard types and classes, and gives the
reason for a value that cannot be encoded. The one exception is deliberate: iterators are drawn
from, up to a bound, when the caller asks for it, and then under the call's deadline.
"""

from __future__ import annotations

from .. import inspecting, origin
from ..bounds import deadline, streams
from ..inspecting import identity, kind_of
from . import numpy_pandas, standard_types, untransferable
from .fields import fields_of, has_own_fields, learn_paths, member_name, stored_in
from .iterating import Iterators
from .writing import (
    DEPTH_MAX,
    EXACT_INTEGERS,
    FEW,
    SHORT,
    NestedTooDeep,
    Unencodable,
    ValueWriter,
    plain_string,
    string,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# The budget, at most, for a value that contains itself: among objects that all refer to each other
# there are more paths than can be followed.
ENTANGLED_MAX = 1 << 16
# How the text of a value that cannot be carried begins.
OPAQUE = '{"opaque"'

# Exceptions that our bounds raise, wherever the program is.
_BOUNDS = frozenset(map(identity, (deadline.OutOfTime, streams.Overstepped, streams.TooMuchOutput)))


class Encoder(ValueWriter):
    """Encodes under one budget of nodes and bytes per value.

    `given`: see `untransferable.Given`.
    """

    def __init__(self, own_modules: frozenset[str]) -> None:
        super().__init__(own_modules)
        self._drawing = False
        self._short = 0
        self._iterators = Iterators(self)
        self.given = untransferable.GivenObjects()
        self._learned: list[str] = []
        self._scalars: dict[int, standard_types.Describe] = {}
        self._containers: dict[int, standard_types.Contents] = {}
        self._mappings: dict[int, standard_types.Read] = {}
        self._enumeration: type | None = None

    def bound(self, maximum_bytes: int, iterator_items: int) -> None:
        """Bound the size of a value's text, and the number of items drawn from an iterator."""
        self._maximum = maximum_bytes
        # Shorter texts are written without counting.
        self._short = min(SHORT * FEW, maximum_bytes)
        self._iterators.items_max = iterator_items

    def learn(self) -> None:
        """Note the standard types that are loaded so far, before a program can replace them."""
        loaded = standard_types.loaded()
        if self._scalars and loaded == self._learned:
            return
        self._learned = loaded
        self._scalars = {identity(kind): said for kind, said in standard_types.scalars()}
        self._containers = {identity(kind): inside for kind, inside in standard_types.containers()}
        self._mappings = {identity(kind): read for kind, read in standard_types.mappings()}
        self._enumeration = standard_types.enumeration()
        learn_paths()

    def value(self, value: object, *, drawing: bool) -> str:
        """The text of a value. `drawing`: iterators are drawn from. Raises Unencodable."""
        maximum, iterators = self._maximum, self._iterators
        self._left = maximum
        self.depth = 0
        self._drawing = drawing
        iterators.theirs = False
        writer = self.writers.get(identity(type(value)))
        try:
            text = self._written(value, "", writer or self.other, self._text)
        finally:
            if iterators.drawn:
                iterators.forget()
        if len(text) > maximum:
            raise Unencodable(self.name(type(value)), self._too_large())
        return text

    def item(self, item: object, kind: str, length: int) -> str:
        """The text of an item of an iteration that the caller runs.

        `kind`: the iteration's type. `length`: of the texts of its other items. Raises Unencodable.
        """
        self._left = self._maximum - length
        self.depth = 0
        self._drawing = True
        self._iterators.theirs = False
        items = [item]
        text = self._written(items, kind, self._list, self._list)
        if length + len(text) > self._maximum:
            raise Unencodable(kind, self._too_large())
        return text[1:-1]

    def forget(self) -> None:
        """Forget the items drawn from iterators within such items."""
        self._iterators.forget()

    def usual(self, value: Any) -> str:
        """As `value`, for a short list of texts, a short text, an integer, a boolean or None.

        Empty for anything else, and for values that `value` has to examine more closely.
        """
        kind = kind_of(value)
        if kind is list:
            if not value or len(value) > FEW:
                return ""
            for item in value:
                if type(item) is not str:
                    return ""
            inside = '","'.join(value)
            if len(plain_string(inside)) != len(inside) + 2 * len(value):
                return ""
            text = f'["{inside}"]'
        elif kind is str:
            text = plain_string(value) if len(value) <= SHORT and value.isascii() else ""
        elif kind is int:
            text = repr(value) if -EXACT_INTEGERS < value < EXACT_INTEGERS else ""
        elif kind is bool:
            text = "true" if value else "false"
        else:
            text = "null" if value is None else ""
        return text if len(text) <= self._short else ""

    def opaque(self, kind: str, reason: str) -> str:
        return "%s:[%s,%s]}" % (OPAQUE, string(kind), string(reason))

    def _written(
        self, value: object, kind: str, write: Callable[..., str], again: Callable[..., str]
    ) -> str:
        """The text by `write`, or by `again` if the value contains itself. Raises Unencodable, with
        the name of the value's type if `kind` is empty.

        The error is raised here, and passed to no other function. A frame that keeps an error is
        also kept by that error, and would keep the value alive until the next garbage collection.
        """
        try:
            try:
                return write(value)
            except NestedTooDeep:
                return self._again(value, kind or self.name(type(value)), again)
        except BaseException as error:
            reason = self._reason(error)
            if reason is None:
                raise
            raise Unencodable(kind or self.name(type(value)), reason) from None

    def _again(self, value: object, kind: str, write: Callable[..., str]) -> str:
        """The text after all, if the obstacle is only that something contains itself."""
        self._left = min(self._maximum, ENTANGLED_MAX)
        self.depth = 0
        # Tracking the path takes time that most values need not spend.
        self.above = {identity(value): 0}
        try:
            return write(value)
        except Unencodable:
            raise Unencodable(kind, "leads back to itself in too many ways") from None
        finally:
            self.above = None

    def _reason(self, error: BaseException) -> str | None:
        """Why the value could not be encoded; None if the error is to be raised on."""
        if type(error) is NestedTooDeep:
            return f"nested deeper than {DEPTH_MAX} levels"
        if self._iterators.theirs or _is_ours(error):
            return None
        # The program has built something unexpected, or something that runs its code as we look at
        # it, such as a name with its own comparison. Its call has returned, and raised nothing.
        return f"what is in it cannot be told: {self.name(type(error))}"

    def other(self, value: object) -> str:
        """Encode standard types as `known` says, iterators by their items, the rest by fields."""
        kind = type(value)
        describe = self._scalars.get(identity(kind))
        if describe is not None:
            text = describe(value)
            if text is None:
                return self.opaque(self.name(kind), "it depends on code of the program")
            self.spend(len(text), kind)
            return '{"scalar":[%s,%s]}' % (string(self.name(kind)), string(text))
        contents = self._containers.get(identity(kind))
        if contents is not None:
            self._expect_room(standard_types.length(value), kind)
            self.depth += 1
            inside = self._text(contents(value))
            self.depth -= 1
            return '{"container":[%s,%s]}' % (string(self.name(kind)), inside)
        read = self._mappings.get(identity(kind))
        if read is not None:
            return self._mapping(value, read)
        if identity(kind) in inspecting.ITERATORS:
            return self._iterators.text(value, kind) if self._drawing else self._not_drawn(value)
        return self._structured(value)

    def _mapping(self, value: object, read: standard_types.Read) -> str:
        kind = type(value)
        if has_own_fields(value):
            return self._structured(value)
        self._expect_room(2 * stored_in(value), kind)
        pairs = read(value)
        if pairs is None:
            return self.opaque(self.name(kind), "its order cannot be read from outside")
        self.depth += 1
        inside = self._pairs(pairs.keys, pairs.values, value)
        self.depth -= 1
        return '{"container":[%s,{"dict":%s}]}' % (string(self.name(kind)), inside)

    def _not_drawn(self, iterator: object) -> str:
        name = self.name(type(iterator))
        place = self.given.place(iterator)
        if place is None:
            return self.opaque(name, "not drawn from")
        return '{"told":[%s,%d]}' % (string(name), place)

    def _structured(self, value: object) -> str:
        kind = type(value)
        member = member_name(value, self._enumeration)
        if member is not None:
            return '{"member":[%s,%s]}' % (string(self.name(kind)), string(member))
        name, room = self.name(kind), self._left // 2
        try:
            held = numpy_pandas.array(value, room) or numpy_pandas.described(value)
            told = numpy_pandas.untransferable(name, value, room)
        except numpy_pandas.TooMany:
            raise Unencodable(name, self._too_large()) from None
        except numpy_pandas.Untold as untold:
            return self.opaque(numpy_pandas.name(kind), str(untold))
        if held is not None:
            known_as, contents = held
            return '{"container":[%s,%s]}' % (string(known_as), self._text(contents))
        if inspecting.is_class(value):
            named: Any = value
            path = self.name(named)
            if "<locals>" in path:
                return self.opaque(name, "it is made by a call, and has no name outside")
            return '{"scalar":["type",%s]}' % string(path)
        zone = standard_types.zone_name(value) if name == standard_types.ZONE else None
        if zone is not None:
            return '{"scalar":[%s,%s]}' % (string(name), string(zone))
        if told is None:
            told = untransferable.told(
                name, value, self._own, self.given, as_argument=not self._drawing
            )
        if told is not None:
            return '{"told":[%s,%s]}' % (string(name), self.parts([told])[0])
        fields: list[tuple[str, object]] | None = fields_of(value)
        if fields is None:
            return self.opaque(name, standard_types.reason(kind))
        return self._fields(name, fields)


def _is_ours(error: BaseException) -> bool:
    """Whether the error is the call's outcome: a bound was met, memory was short, or it is ours."""
    if type(error) is MemoryError:
        return origin.is_of_memory(error)
    return type(error) is Unencodable or identity(type(error)) in _BOUNDS
