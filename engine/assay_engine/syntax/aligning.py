"""Says which items of one row are not those of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from assay_engine.syntax.balanced import Piece

# What an item is called: a field, or a key.
_NAME = re.compile(r"""[\w.]+=(?!=)|(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w.]+): """)


class Differing(Struct, frozen=True):
    """Where the items are that another row does not have, and beside what of its items each
    stands. Where it has them all, the items around those that are missing."""

    places: tuple[int, ...]
    beside: dict[int, Piece]


def differing(own: Sequence[Piece], its: Sequence[Piece]) -> Differing:
    """By their names, or else by their places between what both rows begin and end with."""
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
    """The places of so many, those next to the given one first."""
    for distance in range(1, number):
        yield from (at for at in (place - distance, place + distance) if 0 <= at < number)


def _name(piece: Piece) -> str:
    found = _NAME.match(piece.text)
    return found[0] if found else ""
