"""What iterators give, drawn one item at a time and told as each was at that moment.

Nothing else that is done to a value runs code of the program on purpose: here a generator's own.
"""

from __future__ import annotations

from .escaping import string
from .inspecting import identity
from .writing import DEPTH_MAX, TooDeep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional

    from .writing import Writer


def iterated(kind: str, texts: List[str], *, complete: bool) -> str:
    """The text of an iteration, of those of its items."""
    end = "true" if complete else "false"
    return '{"iterated":[%s,[%s],%s]}' % (string(kind), ",".join(texts), end)


class Iterators:
    """Draws from iterators, which are exhausted then, and keeps what they gave until `forget`."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        # How many items are drawn from each, at most.
        self.items_max = 0
        # Whether what is raised comes of the iterator that was drawn from.
        self.theirs = False
        self.drawn: Dict[int, _Drawn] = {}

    def forget(self) -> None:
        self.drawn = {}

    def text(self, iterator: Any, kind: type) -> str:
        """Raises TooDeep if it is in what it yields, unless that is known."""
        writer, key = self._writer, identity(iterator)
        drawn = self.drawn.get(key)
        if drawn is None:
            drawn = self.drawn[key] = _Drawn(iterator, kind)
        elif drawn.complete is None and writer.above is None:
            raise TooDeep
        writer.depth += 1
        if writer.depth > DEPTH_MAX:
            raise TooDeep
        if drawn.complete is not None:
            texts = self._once_more(drawn)
        elif writer.above is None:
            texts = self._draw(drawn)
        else:
            texts = self._draw_below(drawn, writer.above)
        writer.depth -= 1
        return iterated(writer.name(kind), texts, complete=drawn.complete is True)

    def _draw(self, drawn: _Drawn) -> List[str]:
        """Write each item before the next is drawn, which may change it, or use it up."""
        texts, writer_of, other = drawn.texts, self._writer.writers.get, self._writer.other
        item: object = None
        try:
            for item in self._items_of(drawn, texts):
                texts.append(writer_of(identity(type(item)), other)(item))
        except TooDeep:
            drawn.items[len(texts)] = item
            texts.append("")
            raise
        return texts

    def _draw_below(self, drawn: _Drawn, above: Dict[int, int]) -> List[str]:
        """What was drawn when something turned out to lead back to itself, and the rest."""
        writer, texts = self._writer, self._once_more(drawn)
        # Above an item are the iterator, and what that is in.
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

    def _items_of(self, drawn: _Drawn, texts: List[str]) -> Iterator[object]:
        """The next items, up to the bound on those in `texts`. What is raised in between is of the
        iterator, and what is raised for an item is not."""
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

    def _once_more(self, drawn: _Drawn) -> List[str]:
        """The texts of items that were drawn before."""
        texts: List[str] = []
        for place, text in enumerate(drawn.texts):
            if place in drawn.items:
                texts += self._writer.parts([drawn.items[place]])
            else:
                self._writer.spend(len(text), drawn.kind)
                texts.append(text)
        return texts


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
