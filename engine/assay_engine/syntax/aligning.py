"""Says which items of one row another row does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from assay_engine.syntax.balanced import Piece

# The name of an item: a field, or a key.
_NAME = re.compile(r"""[\w.]+=(?!=)|(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w.]+): """)


class Differing(Struct, frozen=True):
    """The places of the items that another row does not have.

    If the other row has them all, they are the places around the items that this row lacks.
    `beside` gives, by place, the item of the other row that an item corresponds to.
    """

    places: tuple[int, ...]
    beside: dict[int, Piece]


def differing(own: Sequence[Piece], its: Sequence[Piece]) -> Differing:
    """Compare the items of two rows.

    Between what both rows begin and end with, items correspond by their names, or else by their
    places.
    """
    least = min(len(own), len(its))
    begin = next((at for at in range(least) if own[at].text != its[at].text), least)
    behind = range(1, least - begin + 1)
    alike = next((at - 1 for at in behind if own[-at].text != its[-at].text), len(behind))
    mine, theirs = range(begin, len(own) - alike), its[begin : len(its) - alike]
    if not mine:
        return Differing(tuple(at for at in (begin - 1, begin) if 0 <= at < len(own)), {})
    by_name = {name: each for each in theirs if (name := _name(each))}
    beside: dict[int, Piece] = {}
    for at in mine:
        name, place = _name(own[at]), at - begin
        if name in by_name:
            beside[at] = by_name[name]
        elif not name and place < len(theirs) and not _name(theirs[place]):
            beside[at] = theirs[place]
    texts = {each.text for each in theirs}
    lacking = [at for at in mine if own[at].text not in texts]
    moved = [at for at in mine if at in beside and beside[at].text != own[at].text]
    return Differing(tuple(lacking or moved or mine), beside)


def outwards(place: int, number: int) -> Iterator[int]:
    """The other places among `number` of them, those nearest to the given place first."""
    for distance in range(1, number):
        yield from (at for at in (place - distance, place + distance) if 0 <= at < number)


def _name(piece: Piece) -> str:
    found = _NAME.match(piece.text)
    return found[0] if found else ""
