"""Reads the texts of values and calls as brackets within brackets; they need not parse.

Such texts are ``Box(size=1, held={'a': [2]})``, ``it = Box(2); it.size`` and
``<generator yielding 1, 2>``.

Shows a row of items, or some of them, in a given room: ``1, 2, … 9``.
"""

from __future__ import annotations

import re

from msgspec import Struct, field
from msgspec.structs import replace

# What stands between the statements of a text.
STEPS = "; "
# Longer texts are not read, and neither are brackets that lie deeper.
READ_CHARACTERS = 50_000
DEPTH_MAX = 30
_TOKEN = re.compile(
    r"""(?<![\w\\])(?P<quoted>[bBfFrRuU]{0,2}(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))"""
    r"""|(?P<opening>[(\[{]|<[\w.]+(?:[ ]yielding|:)[ ])"""
    r"""|(?P<closing>[)\]}>])"""
    r"""|(?P<comma>,(?:[ ]+|(?=[^\s)\]}])))"""
    r"""|(?P<semicolon>;[ ])"""
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Quoted(Struct, frozen=True):
    """A string with its quotes, and the letters before them."""

    text: str


class Bracketed(Struct, frozen=True):
    """Brackets and what stands between them."""

    text: str
    opening: str
    closing: str
    pieces: tuple[Item, ...]
    separator: str = ", "


class Item(Struct, frozen=True):
    """The text between two commas, and its parts in order: strings, brackets, the rest as it is."""

    text: str
    parts: tuple[Part, ...]


Part = str | Quoted | Bracketed


def read(text: str) -> Bracketed | None:
    """The text as if it stood between invisible brackets.

    If the text has several statements, they are the pieces. None if its brackets do not match, or
    if it is too long.
    """
    if len(text) > READ_CHARACTERS:
        return None
    levels = [_Level("", "", 0, 0, 0)]
    deeper: list[str] = []
    for token in _TOKEN.finditer(text):
        level, seen = levels[-1], token[0]
        match token.lastgroup:
            case "opening" if deeper or len(levels) > DEPTH_MAX:
                deeper.append(_CLOSING[seen[0]])
            case "opening":
                levels.append(
                    _Level(seen, _CLOSING[seen[0]], token.start(), token.end(), token.end())
                )
            case "closing" if seen == (deeper[-1] if deeper else level.closing):
                if deeper:
                    deeper.pop()
                    continue
                levels.pop()
                levels[-1].add(text, level.start, level.closed(text, token.start()), token.end())
            case "closing" if seen != ">":
                return None
            case "quoted" if not deeper:
                level.add(text, token.start(), Quoted(seen), token.end())
            case "comma" if not deeper:
                level.end_piece(text, token.start(), token.end())
            case "semicolon" if len(levels) == 1 and not deeper:
                level.end_statement(text, token.start(), token.end())
            case _:
                pass
    return levels[0].closed(text, len(text)) if len(levels) == 1 and not deeper else None


class _Level(Struct):
    """Brackets that are still open: offsets into the text, and what was read inside them."""

    opening: str
    closing: str
    start: int
    piece_start: int
    part_start: int
    parts: list[Part] = field(default_factory=list[Part])
    pieces: list[Item] = field(default_factory=list[Item])
    statements: list[Item] = field(default_factory=list[Item])
    statement_start: int = 0

    def add(self, text: str, begin: int, part: Part, end: int) -> None:
        if begin > self.part_start:
            self.parts.append(text[self.part_start : begin])
        if part:
            self.parts.append(part)
        self.part_start = end

    def end_piece(self, text: str, begin: int, end: int) -> None:
        self.add(text, begin, "", end)
        self.pieces.append(Item(text[self.piece_start : begin], tuple(self.parts)))
        self.piece_start, self.parts = end, []

    def end_statement(self, text: str, begin: int, end: int) -> None:
        self.end_piece(text, begin, end)
        parts = [part for piece in self.pieces for part in (", ", *piece.parts)]
        self.statements.append(Item(text[self.statement_start : begin], tuple(parts[1:])))
        self.statement_start, self.pieces = end, []

    def closed(self, text: str, end: int) -> Bracketed:
        if self.statements:
            self.end_statement(text, end, end)
        elif end > self.piece_start:
            self.end_piece(text, end, end)
        whole = text[self.start : end] + self.closing
        pieces, separator = (self.statements, STEPS) if self.statements else (self.pieces, ", ")
        return Bracketed(whole, self.opening, self.closing, tuple(pieces), separator)


LEFT_OUT = "…"


class ItemRow(Struct):
    """Which of a number of items are shown, by their places, and the texts they are shown as.

    An ellipsis stands in the place of each run of other items. `is_cut` says that an ellipsis
    stands before the first item in any case.
    """

    room: int
    places: int
    separator: str
    is_cut: bool = False
    shown: dict[int, str] = field(default_factory=dict[int, str])

    @property
    def left(self) -> int:
        """How many more characters there is room for; negative if there is too little room."""
        return self.room - len(self.text())

    def left_with(self, place: int) -> int:
        """The room left for an item that is not shown yet."""
        return replace(self, shown={**self.shown, place: ""}).left

    def show_if_it_fits(self, place: int, text: str) -> bool:
        """Show an item if there is room for it; whether it is shown, now or before."""
        if place not in self.shown and len(text) <= self.left_with(place):
            self.shown[place] = text
        return place in self.shown

    def text(self) -> str:
        """The row as a text, with ellipses for the items left out."""
        said: list[str] = []
        before = -2 if self.is_cut else -1
        for place, text in sorted(self.shown.items()):
            said += [f"{LEFT_OUT} "] * (place > before + 1) + [text, self.separator]
            before = place
        return "".join(said[:-1] if before == self.places - 1 else [*said, LEFT_OUT])
