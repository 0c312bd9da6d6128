"""Shortens the texts of values and calls by whole items, between brackets that stay.

``Box(size=1, held=Held({'a': 1, 'b': 2}))`` may become ``Box(… held=Held({'a': 1, …}))``. If the
text is set against another such text, the items in which the two differ stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.syntax.balanced import (
    LEFT_OUT,
    STEPS,
    Bracketed,
    Item,
    ItemRow,
    Part,
    Quoted,
    read,
)
from assay_engine.words import one_line, set_apart, short, told_apart

# If there are more arguments, a share of the room is too little for each.
_ALL_SHOWN = 3
# A string that is no longer than this is not cut, and no string is cut to less.
_STRING_CHARACTERS = 20
# These can be left out before a bracket: modules, and the name of what is called, if a field or a
# key names the value.
_MODULES = re.compile(r"(?<![\w.])(?:\w+\.)+(?=[A-Z]\w*$)")
_CALLED = re.compile(r"(?:(?<=\w=)|(?<=: ))[\w.]{2,}$")
_IMPORTING = ("import ", "from ")
_YIELDING = re.compile(r" yielding $")


def shortened(text: str, limit: int) -> str:
    """Shorten a text as `short` does, but by whole items of what is in brackets."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    own = read(line)
    importing = line.startswith(_IMPORTING) and limit > _STRING_CHARACTERS
    if importing and own is not None and own.separator == STEPS:
        # What a script imports tells least of it.
        rest = own.separator.join(each.text for each in own.pieces[1:])
        left = f"{LEFT_OUT} "
        return left + shortened(rest, limit - len(left)).removeprefix(left)
    best = None if own is None else _best(own, None, limit)
    return short(line, limit) if best is None else best


def contrasted(text: str, other: str, limit: int) -> str:
    """Shorten a text as `set_apart` does, but by whole items of what is in brackets."""
    line, beside = told_apart(text, other)
    if len(line) <= limit or line == beside:
        return shortened(line, limit)
    own, its = read(line), read(beside)
    best = (
        None if own is None or its is None else _best(own, its, limit) or _inmost(own, its, limit)
    )
    return set_apart(line, beside, limit) if best is None else best


def could_be(shown: str, text: str) -> bool:
    """Whether a text that was shortened could be the other text, as far as is shown."""
    parts = [each.strip() for each in shown.split(LEFT_OUT)]
    if len(parts) == 1:
        return shown == text
    begin, *between, end = parts
    at = len(begin)
    for each in between:
        found = text.find(each, at)
        if found < 0:
            return False
        at = found + len(each)
    return text.startswith(begin) and text.endswith(end) and at + len(end) <= len(text)


class _Shown(Struct, frozen=True):
    """The text shown of something, and how much it tells: 1 if everything that matters is there."""

    text: str
    tells: float


_Naming = Callable[[str], str]


def _best(own: Bracketed, its: Bracketed | None, limit: int) -> str | None:
    """The text that tells most, with as many names as there is room for; None if none tells any."""
    tried = [_brackets(own, its, limit, naming) for naming in (str, _bare, _unnamed)]
    found = [each for each in tried if each is not None and each.tells]
    return max(found, key=lambda each: each.tells).text if found else None


def _inmost(own: Bracketed, its: Bracketed, limit: int) -> str | None:
    """The best text of the outermost differing item for which there is room.

    What is around the item is left out.
    """
    within: tuple[Bracketed, Bracketed] | None = own, its
    while within is not None:
        pieces = within[0].pieces
        apart = differing(pieces, within[1].pieces)
        piece, beside = pieces[apart.places[0]], apart.beside.get(apart.places[0])
        alone = None if beside is None else _alone(beside)
        best = _best(_alone(piece), alone, limit - 2 * len(LEFT_OUT))
        if best is not None:
            return f"{LEFT_OUT}{best}{LEFT_OUT}"
        # The first brackets in which the two differ come next.
        both = zip(piece.parts, () if beside is None else beside.parts, strict=False)
        brackets = (
            (one, other)
            for one, other in both
            if isinstance(one, Bracketed) and isinstance(other, Bracketed)
            if one.text != other.text
        )
        within = next(brackets, None)
        if within is not None and not within[0].pieces:
            return None
    return None


def _alone(piece: Item) -> Bracketed:
    return Bracketed(piece.text, "", "", (piece,))


def _bare(before: str) -> str:
    """The text before a bracket, without modules."""
    return _MODULES.sub("", _YIELDING.sub(" ", before))


def _unnamed(before: str) -> str:
    """The text before a bracket, with no more than the name of a field or a key."""
    return _CALLED.sub("…", _bare(before))


def _brackets(own: Bracketed, its: Bracketed | None, limit: int, naming: _Naming) -> _Shown | None:
    """The brackets and as many whole pieces between them as there is room for."""
    pieces, opening = own.pieces, naming(own.opening)
    if len(own.text) <= limit:
        return _Shown(own.text, 1)
    room = limit - len(opening) - len(own.closing)
    row = ItemRow(room, len(pieces), own.separator, is_cut=opening != own.opening)
    if row.left < 0 or not pieces:
        return None
    last = len(pieces) - 1
    tells, around = 0.5, 0
    if its is None:
        # To begin with, all arguments or statements if these are few, then the first and the last,
        # then one of these two. The items of a list are alike, so the first goes before all others.
        ends: list[Sequence[int]] = [(0,), (last,)]
        if own.opening not in ("[", "{"):
            ends = [*([range(last + 1)] if last < _ALL_SHOWN else []), sorted({0, last}), *ends]
        shared = (_shared(row, pieces, places, naming) for places in ends)
        row = next((each for each in shared if each is not None), row)
        row.show_if_it_fits(last, pieces[-1].text)
    else:
        apart = differing(pieces, its.pieces)
        around, *others = apart.places
        cut = _piece(pieces[around], apart.beside.get(around), row.left_with(around), naming)
        if cut is None:
            return None
        tells = cut.tells
        row.shown[around] = cut.text
        for place in others:
            row.show_if_it_fits(place, pieces[place].text)
    for place in outwards(around, len(pieces)):
        if not row.show_if_it_fits(place, pieces[place].text):
            break
    if not row.shown and not own.closing:
        return None
    return _Shown(f"{opening}{row.text()}{own.closing}", tells)


def _shared(
    empty: ItemRow, pieces: Sequence[Item], places: Sequence[int], naming: _Naming
) -> ItemRow | None:
    """The row with some pieces, each in a fair share of the room; None if that is too little."""
    row = replace(empty, shown={})
    for place in places:
        row.shown[place] = ""
    by_length = sorted(places, key=lambda place: (len(pieces[place].text), -place))
    for number, place in enumerate(by_length):
        cut = _piece(pieces[place], None, row.left // (len(places) - number), naming)
        if cut is None:
            return None
        row.shown[place] = cut.text
    return row


def _piece(piece: Item, its: Item | None, limit: int, naming: _Naming) -> _Shown | None:
    """The piece, with its strings and brackets as short as they have to be.

    Those in which it differs from the other piece are shortened least. None if there is no room for
    what is around the strings and brackets.
    """
    if len(piece.text) <= limit:
        return _Shown(piece.text, 1)
    parts = [
        naming(part) if isinstance(part, str) and isinstance(behind, Bracketed) else part
        for part, behind in zip(piece.parts, [*piece.parts[1:], ""], strict=False)
    ]
    is_alike = its is not None and [*map(type, its.parts)] == [*map(type, piece.parts)]
    beside = its.parts if its is not None and is_alike else ()
    shown = [_least(part, naming) for part in parts]
    spare = limit - sum(map(len, shown))
    if spare < 0:
        return None
    flexible = [at for at, part in enumerate(parts) if not isinstance(part, str)]
    apart = [at for at in flexible if beside and _text(beside[at]) != _text(parts[at])]
    alike = sorted(set(flexible).difference(apart), key=lambda at: len(_text(parts[at])))
    tells = [0.5 if its is None else 1]
    for number, at in enumerate([*apart, *alike]):
        share = spare if number < len(apart) else spare // (len(flexible) - number)
        other = beside[at] if number < len(apart) else None
        cut = _part(parts[at], other, len(shown[at]) + share, naming)
        tells += [cut.tells if cut else 0]
        if cut is not None:
            spare -= len(cut.text) - len(shown[at])
            shown[at] = cut.text
    # What matters is the first difference. Without one, it matters that only names are left out.
    return _Shown("".join(shown), tells[1] if apart else max(tells[0], min(tells[1:], default=0)))


def _part(part: Part, its: Part | None, limit: int, naming: _Naming) -> _Shown | None:
    if isinstance(part, Bracketed):
        return _brackets(part, its if isinstance(its, Bracketed) else None, limit, naming)
    text = _text(part)
    if len(text) <= limit:
        return _Shown(text, 1)
    if limit < _STRING_CHARACTERS:
        return None
    begin = text.index(text[-1]) + 1
    within = text[begin:-1]
    beside = _text(its)[begin:-1] if isinstance(its, Quoted) else within
    return _Shown(f"{text[:begin]}{set_apart(within, beside, limit - begin - 1)}{text[-1]}", 1)


def _least(part: Part, naming: _Naming) -> str:
    """The part without everything that can be left out, if that is shorter."""
    match part:
        case str():
            return part
        case Quoted(text) if len(text) <= _STRING_CHARACTERS:
            return text
        case Quoted(text):
            least = f"{text[: text.index(text[-1]) + 1]}{LEFT_OUT}{text[-1]}"
        case Bracketed(text):
            least = f"{naming(part.opening)}{LEFT_OUT}{part.closing}"
    return min(least, text, key=len)


def _text(part: Part) -> str:
    return part if isinstance(part, str) else part.text


# The name of an item: a field, or a key.
_NAME = re.compile(r"""[\w.]+=(?!=)|(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w.]+): """)


class Differing(Struct, frozen=True):
    """The places of the items that another row does not have.

    If the other row has them all, they are the places around the items that this row lacks.
    `beside` gives, by place, the item of the other row that an item corresponds to.
    """

    places: tuple[int, ...]
    beside: dict[int, Item]


def differing(own: Sequence[Item], its: Sequence[Item]) -> Differing:
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
    beside: dict[int, Item] = {}
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


def _name(piece: Item) -> str:
    found = _NAME.match(piece.text)
    return found[0] if found else ""
