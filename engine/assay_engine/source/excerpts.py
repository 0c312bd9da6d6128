"""Renders parts of a text as they are shown: with edits, and functions without their bodies.

Leaves out of a context what tells a model least, if the context is too large to be sent often.

First go the bodies of whatever the function does not name itself. The headers and docstrings of
such functions, and of the methods of other classes, stay, but what only their bodies need goes,
too. Then go the docstrings of whatever the function does not name. The methods that make an object
stay whole throughout.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.source.identifiers import FunctionNode
from assay_engine.source.parsing import body_of
from assay_engine.source.pieces import Piece, Pieces, read_pieces
from assay_engine.source.scopes import names_of
from assay_engine.source.text import Source
from assay_engine.source.units import Cut, cut_units
from assay_engine.types import Edit, Span
from assay_engine.words import LINE_BREAK

_TO_COLON = re.compile(r"(?:[^#:]|#[^\r\n]*)*:")


def rendered(source: Source, pieces: Pieces, taken: Iterable[int], edits: tuple[Edit, ...]) -> str:
    text = ""
    previous: Piece | None = None
    ordered = sorted(edits, key=_start)
    for index in sorted(taken):
        piece = pieces.pieces[index]
        if previous is not None:
            is_apart = piece.is_definition or previous.is_definition
            text += "\n\n\n" if is_apart else "\n"
        first = bisect_left(ordered, piece.span.start, key=_start)
        after = bisect_right(ordered, piece.span.end, key=_start)
        text += excerpt(source, piece.span, ordered[first:after])
        previous = piece
    return f"{text}\n" if text else ""


def excerpt(source: Source, span: Span, edits: Iterable[Edit]) -> str:
    """A part of the text, with those of the edits made that lie within it."""
    text, place = "", span.start
    for edit in sorted(edits, key=_start):
        if place <= edit.span.start and edit.span.end <= span.end:
            text += source.sound[place : edit.span.start] + edit.new_text
            place = edit.span.end
    text += source.sound[place : span.end]
    return LINE_BREAK.sub("\n", text) if "\r" in text else text


class Stub(Struct, frozen=True):
    """Two edits that cut a function down: to its header, and to its header and any docstring."""

    bare: Edit
    documented: Edit


# A memo of a pure function, like `read_pieces`: every method is shown beside the others' stubs.
@lru_cache(maxsize=4)
def stubs(source: Source) -> Mapping[FunctionNode, Stub]:
    """The stubs of all functions of a text."""
    return {each.node: _stub(source, each.node, each.unit.span.end) for each in cut_units(source)}


def _stub(source: Source, node: FunctionNode, end: int) -> Stub:
    first = node.body[0]
    line_start = source.starts[first.lineno - 1]
    indentation = source.text[line_start : source.span(first).start]
    if indentation.strip():
        own_line = source.starts[node.lineno - 1]
        indentation = source.text[own_line : source.span(node).start] + "    "
    span = Span(_header_end(source, node), _comments_end(source, end, node.col_offset))
    docstring = [source.segment(first)] if ast.get_docstring(node) is not None else []
    bare, documented = (
        Edit(span, "".join(f"\n{indentation}{each}" for each in body))
        for body in (["..."], [*docstring, "..."])
    )
    return Stub(bare, documented)


def _start(edit: Edit) -> int:
    return edit.span.start


def line_of(source: Source, offset: int) -> int:
    """The 1-based line that an offset is on."""
    return max(1, bisect_right(source.starts, offset))


def _header_end(source: Source, node: FunctionNode) -> int:
    """The offset after the colon of ``def f(...) -> T:``."""
    arguments = node.args
    inner: list[ast.AST] = [node.returns] if node.returns is not None else []
    inner += [each for each in ast.walk(arguments) if isinstance(each, ast.expr | ast.arg)]
    inner += [
        each
        for declared in getattr(node, "type_params", [])
        for each in ast.walk(declared)
        if isinstance(each, ast.expr)
    ]
    ends = [source.span(each).end for each in inner if isinstance(each, ast.expr | ast.arg)]
    start = max(ends, default=source.span(node).start)
    match = _TO_COLON.match(source.text, start)
    return match.end() if match else start


def _comments_end(source: Source, end: int, column: int) -> int:
    """The end of those comments after a body that are indented as if they belonged to it."""
    line = line_of(source, end) + 1
    while line < len(source.starts):
        text = source.text[source.starts[line - 1] : source.line_end(source.starts[line - 1])]
        code = text.lstrip(" \t\f")
        if code and (code[0] != "#" or len(text) - len(code) <= column):
            break
        if code:
            end = source.starts[line - 1] + len(text)
        line += 1
    return end


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
