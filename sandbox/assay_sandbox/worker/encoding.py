"""A program's values to canonical typed JSON, without running code of the program.

Built-in types are left to `writing`; here are standard types, classes, and what becomes of a value
that cannot be told. The one exception is said on purpose: iterators are drawn from, up to a bound,
when the caller asks for it, and then under the call's deadline.
"""

from __future__ import annotations

from . import deadline, inspecting, known, numpy_values, origin, pandas_values, streams, telling
from .bases import stored_in
from .escaping import plain_string, string
from .fields import fields_of, has_own_fields, learn_paths, member_name
from .inspecting import identity
from .iterating import Iterators
from .writing import DEPTH_MAX, EXACT_INTEGERS, FEW, SHORT, TooDeep, Unencodable, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

# What may be spent, at most, on what leads back to itself: among things that are all tied to each
# other there are more ways than can be followed.
ENTANGLED_MAX = 1 << 16
# How the text of what cannot be carried begins.
OPAQUE = '{"opaque"'

# What a bound of ours raises wherever the program is.
_BOUNDS = frozenset(map(identity, (deadline.OutOfTime, streams.Overstepped, streams.TooMuchOutput)))


class Encoder(Writer):
    """Encodes under one budget of nodes and bytes per value.

    `given`: see there.
    """

    def __init__(self, own_modules: "frozenset[str]") -> None:
        super().__init__(own_modules)
        self._drawing = False
        self._short = 0
        self._iterators = Iterators(self)
        self.given = telling.Given()
        self._learned: List[str] = []
        self._scalars: Dict[int, known.Describe] = {}
        self._containers: Dict[int, known.Contents] = {}
        self._mappings: Dict[int, known.Read] = {}
        self._enumeration: Optional[type] = None

    def bound(self, maximum_bytes: int, iterator_items: int) -> None:
        """How large a value's text may become, and how many items are drawn from an iterator."""
        self._maximum = maximum_bytes
        # How long a text may be that is written without counting.
        self._short = min(SHORT * FEW, maximum_bytes)
        self._iterators.items_max = iterator_items

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
        """The text of an item of an iteration that somebody else runs.

        `kind`: of the iteration. `length`: of the texts of its other items. Raises Unencodable.
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
        """What iterators gave that such items hold."""
        self._iterators.forget()

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
        """The text by `write`, or by `again` if it leads back to itself. Raises Unencodable, with
        the name of its type where there is no `kind`.

        What is raised is raised here, and handed to nobody: a frame that kept the error would be
        kept by it, and with that frame the value, until somebody looks for what leads back to
        itself.
        """
        try:
            try:
                return write(value)
            except TooDeep:
                return self._again(value, kind or self.name(type(value)), again)
        except BaseException as error:
            reason = self._reason(error)
            if reason is None:
                raise
            raise Unencodable(kind or self.name(type(value)), reason) from None

    def _again(self, value: object, kind: str, write: Callable[..., str]) -> str:
        """The text after all, if what is in the way is that something leads back to itself."""
        self._left = min(self._maximum, ENTANGLED_MAX)
        self.depth = 0
        # Keeping the way in mind takes time that most values need not spend.
        self.above = {identity(value): 0}
        try:
            return write(value)
        except Unencodable:
            raise Unencodable(kind, "leads back to itself in too many ways") from None
        finally:
            self.above = None

    def _reason(self, error: BaseException) -> Optional[str]:
        """Why this could not be told; None if it is raised on."""
        if type(error) is TooDeep:
            return f"nested deeper than {DEPTH_MAX} levels"
        if self._iterators.theirs or _is_ours(error):
            return None
        # The program has put together what we did not expect, or what asks it as we look at it, a
        # name that is compared by code of its own say: its call has returned, and raised nothing.
        return f"what is in it cannot be told: {self.name(type(error))}"

    def other(self, value: object) -> str:
        """Standard types as they are known, iterators by what they give, the rest by fields."""
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
            self._expect_room(known.length(value), kind)
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

    def _mapping(self, value: object, read: known.Read) -> str:
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
            told = telling.told(name, value, self._own, self.given, as_argument=not self._drawing)
        if told is not None:
            return '{"told":[%s,%s]}' % (string(name), self.parts([told])[0])
        fields: Optional[List[Tuple[str, object]]] = fields_of(value)
        if fields is None:
            return self.opaque(name, known.reason(kind))
        return self._fields(name, fields)


def _is_ours(error: BaseException) -> bool:
    """Whether it says what became of the call: a bound was met, memory was short, or we say so."""
    if type(error) is MemoryError:
        return origin.is_of_memory(error)
    return type(error) is Unencodable or identity(type(error)) in _BOUNDS
