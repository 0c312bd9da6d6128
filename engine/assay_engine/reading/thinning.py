"""Of a context that is too large to be sent many times, what tells a model least is left out.

First the bodies of what the function does not name itself: of other functions and of the methods
of other classes headers and docstrings stay, and what only those bodies need goes, too. Then the
docstrings of what it does not name. What makes an object stays whole throughout.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.reading.excerpts import excerpt, stubs
from assay_engine.reading.pieces import Pieces, read_pieces
from assay_engine.reading.units import Cut, cut_units
from assay_engine.syntax.parsing import body_of
from assay_engine.syntax.scopes import names_of
from assay_engine.syntax.source import Source
from assay_engine.types import Edit

# Eleven prompts of this size, with their replies, fit into the tokens that a check may cost.
CONTEXT_CHARACTERS_MAX = 12_000
MAKING = frozenset({"__init__", "__new__", "__post_init__"})


class Showing(Struct, frozen=True):
    """What the pieces need where these edits are made of them."""

    pieces: Pieces
    edits: tuple[Edit, ...] = ()


class Thinner(Struct, frozen=True):
    """Thins what is around one function. `whole` are the pieces that stay as they are: the one that
    the function stands in, and the functions that it calls by name. `named` are all its names."""

    source: Source
    whole: frozenset[int]
    named: frozenset[str]

    def names(self, name: str) -> bool:
        """Whether the function, or its docstring, speaks of it."""
        return name in self.named

    def without_bodies(self) -> Showing:
        return self._but_whole(_thinned(self.source, True))

    def without_docstrings(self) -> Showing:
        return self._but_whole(_thinned(self.source, False))

    def _but_whole(self, thin: Showing) -> Showing:
        pieces = read_pieces(self.source)
        kept = [pieces.pieces[index].span for index in self.whole]
        return Showing(
            replace(
                pieces,
                pieces=tuple(
                    piece if index in self.whole else thin.pieces.pieces[index]
                    for index, piece in enumerate(pieces.pieces)
                ),
            ),
            tuple(
                edit
                for edit in thin.edits
                if not any(span.start <= edit.span.start < span.end for span in kept)
            ),
        )


def thinner(source: Source, cut: Cut, home: int) -> Thinner:
    """For what is around a function that the piece of index `home` holds."""
    pieces = read_pieces(source)
    called = {
        index
        for name in names_of([cut.node]).reads
        for index in pieces.providers.get(name, ())
        if not isinstance(pieces.pieces[index].nodes[0], ast.ClassDef)
    }
    words = set(re.findall(r"\w+", cut.unit.docstring))
    for node in ast.walk(cut.node):
        if isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.Name):
            words.add(node.id)
    return Thinner(source, frozenset({home, *called}), frozenset(words))


# A memo of a pure function, like `read_pieces`: all functions of a file are thinned alike.
@lru_cache(maxsize=8)
def _thinned(source: Source, documented: bool) -> Showing:
    """All definitions without the bodies of what they define."""
    pieces = read_pieces(source)
    edits = tuple(
        stubs(source)[each.node].documented if documented else stubs(source)[each.node].bare
        for each in cut_units(source)
        if not (each.enclosing and each.node.name in MAKING)
        and pieces.pieces[pieces.index_at(each.unit.name_span.start)].is_definition
    )
    thin = tuple(
        replace(piece, names=names_of(body_of(excerpt(source, piece.span, edits))))
        if piece.is_definition
        else piece
        for piece in pieces.pieces
    )
    return Showing(replace(pieces, pieces=thin), edits)
