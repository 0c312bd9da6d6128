"""Draws from iterators one item at a time, and describes each item as it is at that moment.

Only this runs code of the program on purpose while a value is encoded: a generator's own.
"""

from __future__ import annotations

from ..inspecting import identity
from .writing import DEPTH_MAX, NestedTooDeep, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

    from .writing import ValueWriter


def iterated(kind: str, texts: list[str], *, complete: bool) -> str:
    """The text of an iteration, made of the texts of its items."""
    end = "true" if complete else "false"
    return '{"iterated":[%s,[%s],%s]}' % (string(kind), ",".join(texts), end)


class Iterators:
    """Draws from iterators, which exhausts them, and keeps their items until `forget`."""

    def __init__(self, writer: ValueWriter) -> None:
        self._writer = writer
        # How many items are drawn from each, at most.
        self.items_max = 0
        # Whether an exception comes from the iterator that is drawn from.
        self.theirs = False
        self.drawn: dict[int, _Drawn] = {}

    def forget(self) -> None:
        self.drawn = {}

    def text(self, iterator: Any, kind: type) -> str:
        """The text of an iterator. Raises TooDeep if it yields itself, unless that is known."""
        writer, key = self._writer, identity(iterator)
        drawn = self.drawn.get(key)
        if drawn is None:
            drawn = self.drawn[key] = _Drawn(iterator, kind)
        elif drawn.complete is None and writer.above is None:
            raise NestedTooDeep
        writer.depth += 1
        if writer.depth > DEPTH_MAX:
            raise NestedTooDeep
        if drawn.complete is not None:
            texts = self._once_more(drawn)
        elif writer.above is None:
            texts = self._draw(drawn)
        else:
            texts = self._draw_below(drawn, writer.above)
        writer.depth -= 1
        return iterated(writer.name(kind), texts, complete=drawn.complete is True)

    def _draw(self, drawn: _Drawn) -> list[str]:
        """Write each item before drawing the next, which may change it, or use it up."""
        texts, writer_of, other = drawn.texts, self._writer.writers.get, self._writer.other
        item: object = None
        try:
            for item in self._items_of(drawn, texts):
                texts.append(writer_of(identity(type(item)), other)(item))
        except NestedTooDeep:
            drawn.items[len(texts)] = item
            texts.append("")
            raise
        return texts

    def _draw_below(self, drawn: _Drawn, above: dict[int, int]) -> list[str]:
        """The items drawn before something turned out to contain itself, and the rest."""
        writer, texts = self._writer, self._once_more(drawn)
        # Above an item are the iterator, and the objects that contain that.
        levels, before = len(above), writer.reached
        for item in self._items_of(drawn, texts):
            writer.reached = levels
            texts.append(writer.below(item, above))
            if writer.reached < levels - 1:
                drawn.items[len(drawn.texts)] = item
            drawn.texts.append(texts[-1])
            before = min(before, writer.reached)
        writer.reached = before
        return texts

    def _items_of(self, drawn: _Drawn, texts: list[str]) -> Iterator[object]:
        """The next items, up to the bound on those in `texts`. `theirs` is true while the iterator
        runs, and false while an item is written."""
        spend = self._writer.spend
        self.theirs = True
        for item in drawn.iterator:
            self.theirs = False
            if len(texts) >= self.items_max:
                drawn.complete = False
                return
            spend(2, drawn.kind)
            yield item
            self.theirs = True
        self.theirs = False
        drawn.complete = True

    def _once_more(self, drawn: _Drawn) -> list[str]:
        """The texts of items drawn before."""
        texts: list[str] = []
        for place, text in enumerate(drawn.texts):
            if place in drawn.items:
                texts += self._writer.parts([drawn.items[place]])
            else:
                self._writer.spend(len(text), drawn.kind)
                texts.append(text)
        return texts


class _Drawn:
    """The items that an iterator gave so far, described as each was at that moment."""

    __slots__ = ("complete", "items", "iterator", "kind", "texts")

    def __init__(self, iterator: Any, kind: type) -> None:
        # Kept, so that no other object gets the same id.
        self.iterator = iterator
        self.kind = kind
        self.texts: list[str] = []
        # By position: items whose text depends on where the iterator is, because they lead back to
        # its containers; and the item that was found to contain itself.
        self.items: dict[int, object] = {}
        # Whether the iterator ended; None while it is drawn from.
        self.complete: bool | None = None
