"""Who agrees with whom: the classes by letters, and a picture of how often two of them agree."""

from __future__ import annotations

from itertools import combinations
from math import cos, pi, sin, sqrt

from msgspec import Struct

from assay_engine.types import EquivalenceClass, Outcome, Report, Witness
from assay_engine.words import count

# Further classes are only counted. The one that the function is in is always among those shown.
CLASSES_SHOWN = 8
_LETTERS = "ABCDEFGH"
# More numbers than these would stand on each other.
_LABELLED_MAX = 4

WIDTH = 640
# Of the ring of classes, and of the room above and below it.
_RADIUS, _MARGIN = 110, 60
_NODE_MIN, _NODE_MAX = 18, 34
_LINE_MAX = 10


class Named(Struct, frozen=True):
    """A class with its letter, its place among the report's classes, and who is in it."""

    letter: str
    place: int
    who: str
    entry: EquivalenceClass

    def did(self, witness: Witness) -> int | None:
        """Which of the outcomes of an input is this class's; None if it has none there."""
        return next((n for n, each in enumerate(witness.outcomes) if self._shares(each)), None)

    def _shares(self, outcome: Outcome) -> bool:
        if self.entry.members:
            return self.entry.members[0] in outcome.candidates
        return outcome.is_original


class Node(Struct, frozen=True):
    named: Named
    x: float
    y: float
    radius: float


class Line(Struct, frozen=True):
    """Two classes that do the same on `alike` of `total` inputs; `width` tells their share."""

    one: Node
    other: Node
    alike: int
    total: int
    width: float
    is_labelled: bool

    @property
    def sentence(self) -> str:
        pair = f"{self.one.named.letter} and {self.other.named.letter}"
        return f"{pair} do the same on {self.alike} of {count(self.total, 'input')}"


class Picture(Struct, frozen=True):
    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    height: int
    width: int = WIDTH


def named_classes(report: Report) -> tuple[Named, ...]:
    """The classes to show, heaviest first, and last the one with the function if it is light."""
    places = [*range(len(report.classes))]
    own = [place for place in places if report.classes[place].has_original]
    shown = places[:CLASSES_SHOWN]
    if own and own[0] not in shown:
        shown[-1] = own[0]
    return tuple(
        Named(letter, place, _who(report.classes[place]), report.classes[place])
        for letter, place in zip(_LETTERS, shown, strict=False)
    )


def picture_of(classes: tuple[Named, ...]) -> Picture | None:
    """The classes on a circle; None if a report does not tell how often they agree."""
    if not classes or not all(each.entry.alike for each in classes):
        return None
    heaviest = max(each.entry.weight for each in classes) or 1
    # Two stand side by side.
    middle = _MARGIN + (_RADIUS if len(classes) > 2 else 0)
    nodes = tuple(_node(each, n, len(classes), heaviest, middle) for n, each in enumerate(classes))
    is_labelled = len(nodes) <= _LABELLED_MAX
    lines = tuple(_line(*pair, is_labelled) for pair in combinations(nodes, 2))
    return Picture(nodes, lines, 2 * middle)


def _who(entry: EquivalenceClass) -> str:
    candidates = count(entry.weight, "candidate")
    if entry.models:
        candidates += f" ({', '.join(map('{0[0]} {0[1]}'.format, sorted(entry.models.items())))})"
    if not entry.has_original:
        return candidates
    return f"this function and {candidates}" if entry.weight else "this function"


def _node(named: Named, number: int, total: int, heaviest: int, middle: int) -> Node:
    angle = pi + 2 * pi * number / total
    reach = 0 if total == 1 else _RADIUS
    grown = sqrt(named.entry.weight / heaviest) * (_NODE_MAX - _NODE_MIN)
    return Node(
        named,
        round(WIDTH / 2 + reach * 1.8 * cos(angle), 1),
        round(middle - 10 + reach * sin(angle), 1),
        round(_NODE_MIN + grown, 1),
    )


def _line(one: Node, other: Node, is_labelled: bool) -> Line:
    alike = one.named.entry.alike[other.named.place]
    total = one.named.entry.alike[one.named.place]
    width = round(_LINE_MAX * alike / total, 1) if total else 0
    return Line(one, other, alike, total, width, is_labelled)
