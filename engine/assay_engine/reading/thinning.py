"""Leaves out of a context what tells a model least, if the context is too large to be sent often.

First go the bodies of whatever the function does not name itself. The headers and docstrings of
such functions, and of the methods of other classes, stay, but what only their bodies need goes,
too. Then go the docstrings of whatever the function does not name. The methods that make an object
stay whole throughout.
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
    """Pieces with the names that they need after some edits of their text, and these edits."""

    pieces: Pieces
    edits: tuple[Edit, ...] = ()


class Thinner(Struct, frozen=True):
    """Thins what is around one function.

    `whole` are the pieces that stay as they are: the one that the function stands in, and the
    functions that it calls by name. `named` are all names in the function and its docstring.
    """

    source: Source
    whole: frozenset[int]
    named: frozenset[str]

    def names(self, name: str) -> bool:
        """Whether the function, or its docstring, mentions a name."""
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
    """A thinner of what is around a function that stands in the piece of index `home`."""
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
    """All pieces, with stubs in the place of the functions in definitions."""
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
