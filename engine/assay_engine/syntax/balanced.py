"""Reads the texts of values and calls as brackets within brackets; they need not parse.

Such texts are ``Box(size=1, held={'a': [2]})``, ``it = Box(2); it.size`` and
``<generator yielding 1, 2>``.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

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
    pieces: tuple[Piece, ...]
    separator: str = ", "


class Piece(Struct, frozen=True):
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
    pieces: list[Piece] = field(default_factory=list[Piece])
    statements: list[Piece] = field(default_factory=list[Piece])
    statement_start: int = 0

    def add(self, text: str, begin: int, part: Part, end: int) -> None:
        if begin > self.part_start:
            self.parts.append(text[self.part_start : begin])
        if part:
            self.parts.append(part)
        self.part_start = end

    def end_piece(self, text: str, begin: int, end: int) -> None:
        self.add(text, begin, "", end)
        self.pieces.append(Piece(text[self.piece_start : begin], tuple(self.parts)))
        self.piece_start, self.parts = end, []

    def end_statement(self, text: str, begin: int, end: int) -> None:
        self.end_piece(text, begin, end)
        parts = [part for piece in self.pieces for part in (", ", *piece.parts)]
        self.statements.append(Piece(text[self.statement_start : begin], tuple(parts[1:])))
        self.statement_start, self.pieces = end, []

    def closed(self, text: str, end: int) -> Bracketed:
        if self.statements:
            self.end_statement(text, end, end)
        elif end > self.piece_start:
            self.end_piece(text, end, end)
        whole = text[self.start : end] + self.closing
        pieces, separator = (self.statements, "; ") if self.statements else (self.pieces, ", ")
        return Bracketed(whole, self.opening, self.closing, tuple(pieces), separator)
