"""Renders parts of a text as they are shown: with edits, and functions without their bodies.

A context that is too large to be sent often is cut in steps. First go the bodies of whatever the
function does not name itself; headers and docstrings stay, but what only the bodies need goes, too.
Then go the methods that neither the function nor its docstring names. Last go the bodies of what
the function does name, and what is farthest from it. The methods that make an object stay whole
throughout.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Set
from copy import copy
from functools import lru_cache
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.dependencies.needed import Piece, Pieces, read_pieces
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.scopes import names_of
from assay_engine.syntax.secrets import masks
from assay_engine.syntax.text import Source, excerpt
from assay_engine.syntax.units import Cut, cut_units
from assay_engine.types import Edit, Span

_TO_COLON = re.compile(r"(?:[^#:]|#[^\r\n]*)*:")


class Showing(Struct, frozen=True):
    """A text's pieces with the names that they need as they are shown, and each one's text."""

    pieces: Pieces
    texts: tuple[str, ...]

    def rendered(self, taken: Iterable[int]) -> str:
        """The text of the pieces that are taken."""
        text = ""
        previous: Piece | None = None
        for index in sorted(taken):
            piece = self.pieces.pieces[index]
            if previous is not None:
                is_apart = piece.is_definition or previous.is_definition
                text += "\n\n\n" if is_apart else "\n"
            text += self.texts[index]
            previous = piece
        return f"{text}\n" if text else ""

    def nearest(
        self, names: Iterable[str], without: Iterable[int], characters: int
    ) -> frozenset[int]:
        """The indices of the pieces that some names need, nearest first, while there is room."""
        providers = self.pieces.providers
        seen, taken = {*without}, set[int]()
        fresh = self.pieces.always.union(*(providers.get(name, ()) for name in names)) - seen
        while fresh:
            seen |= fresh
            needed: set[str] = set()
            for index in sorted(fresh):
                if len(self.texts[index]) <= characters:
                    characters -= len(self.texts[index])
                    taken.add(index)
                    needed |= self.pieces.reads[index]
            fresh = frozenset[int]().union(*(providers.get(name, ()) for name in needed)) - seen
        return frozenset(taken)

    def shortened(self, characters: int) -> Showing:
        """The same with no more than so many characters of any piece: of a long table, its head."""
        return replace(
            self,
            texts=tuple(
                text
                if len(text) <= characters
                else f"{text[:characters]}\n# …({len(text) - characters} characters left out)…"
                for text in self.texts
            ),
        )

    def but(self, other: Showing, indices: Iterable[int]) -> Showing:
        """The same with some pieces as another shows them."""
        reads, texts = list(self.pieces.reads), list(self.texts)
        for index in indices:
            reads[index], texts[index] = other.pieces.reads[index], other.texts[index]
        return Showing(replace(self.pieces, reads=tuple(reads)), tuple(texts))


# A memo of a pure function, like `read_pieces`: all functions of a file are shown its pieces.
@lru_cache(maxsize=8)
def shown(source: Source, edits: tuple[Edit, ...]) -> Showing:
    """The pieces of a text after some edits that change no names."""
    pieces = read_pieces(source)
    ordered = sorted(edits, key=_start)
    texts: list[str] = []
    for piece in pieces.pieces:
        first = bisect_left(ordered, piece.span.start, key=_start)
        after = bisect_right(ordered, piece.span.end, key=_start)
        texts.append(excerpt(source, piece.span, ordered[first:after]))
    return Showing(pieces, tuple(texts))


class Stub(Struct, frozen=True):
    """Two edits that cut a function down: to its header, and to its header and any docstring."""

    bare: Edit
    documented: Edit


# A memo of a pure function, like `read_pieces`: every method is shown beside the others' stubs.
@lru_cache(maxsize=4)
def stubs(source: Source) -> Mapping[FunctionNode, Stub]:
    """The stubs of all functions of a text."""
    found: dict[FunctionNode, Stub] = {}
    for cut in cut_units(source):
        node, first = cut.node, cut.node.body[0]
        indentation = source.text[source.starts[first.lineno - 1] : source.span(first).start]
        if indentation.strip():
            own_line = source.starts[node.lineno - 1]
            indentation = source.text[own_line : source.span(node).start] + "    "
        end = _comments_end(source, cut.unit.span.end, node.col_offset)
        span = Span(_header_end(source, node), end)
        has_docstring = ast.get_docstring(node) is not None
        docstring = [excerpt(source, source.span(first), masks(source))] if has_docstring else []
        bare, documented = (
            Edit(span, "".join(f"\n{indentation}{each}" for each in body))
            for body in (["..."], [*docstring, "..."])
        )
        found[node] = Stub(bare, documented)
    return found


def _start(edit: Edit) -> int:
    return edit.span.start


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
    line = source.line_at(end) + 1
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
# Of any piece, where the context has to be cut to that.
PIECE_CHARACTERS_MAX = 3_000
MAKING = frozenset({"__init__", "__new__", "__post_init__"})


# A memo of a pure function, like `shown`: most methods of a class name the same few others.
@lru_cache(maxsize=8)
def thinned(source: Source, edits: tuple[Edit, ...], names: frozenset[str] | None) -> Showing:
    """The pieces after some edits, with stubs in the place of the functions in definitions.

    With `names`, methods of other names are left out.
    """
    pieces = read_pieces(source)
    cut_down = [
        each.node
        for each in cut_units(source)
        if not (each.enclosing and each.node.name in MAKING)
        and pieces.pieces[pieces.index_at(each.unit.name_span.start)].is_definition
    ]
    unnamed = frozenset(each for each in cut_down if names is not None and each.name not in names)
    thin = [edit for piece in pieces.pieces for edit in left_out(source, piece, unnamed)]
    thin += [stubs(source)[each].documented for each in cut_down]
    without = frozenset(cut_down)
    reads = tuple(
        piece.names.reads_beside(without) if piece.is_definition else piece.names.reads
        for piece in pieces.pieces
    )
    return Showing(replace(pieces, reads=reads), shown(source, (*edits, *thin)).texts)


def left_out(source: Source, piece: Piece, methods: Set[FunctionNode]) -> Iterator[Edit]:
    """The edits that put ``...`` in the place of each run of these methods of a class."""
    for node in piece.nodes:
        if isinstance(node, ast.ClassDef):
            for is_left_out, run in groupby(node.body, key=methods.__contains__):
                if is_left_out:
                    statements = list(run)
                    end = source.span(statements[-1]).end
                    end = _comments_end(source, end, statements[-1].col_offset)
                    yield Edit(Span(source.begin(statements[0]), end), "...")


def reads_without(
    piece: Piece, methods: Set[FunctionNode], bodies: frozenset[FunctionNode]
) -> frozenset[str]:
    """The names that a piece reads where these methods, and these bodies, are left out."""
    if all(methods.isdisjoint(getattr(node, "body", ())) for node in piece.nodes):
        return piece.names.reads_beside(bodies)
    kept = [copy(node) for node in piece.nodes]
    for node in kept:
        if isinstance(node, ast.ClassDef):
            node.body = [each for each in node.body if each not in methods]
    return names_of(kept).reads_beside(bodies)


def called(source: Source, cut: Cut) -> frozenset[int]:
    """The pieces with the functions that a function calls by name."""
    pieces = read_pieces(source)
    return frozenset(
        index
        for name in names_of([cut.node]).reads
        for index in pieces.providers.get(name, ())
        if not isinstance(pieces.pieces[index].nodes[0], ast.ClassDef)
    )


def mentioned(cut: Cut) -> frozenset[str]:
    """All names in a function and its docstring."""
    words = set(re.findall(r"\w+", cut.unit.docstring))
    for node in ast.walk(cut.node):
        if isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.Name):
            words.add(node.id)
    return frozenset(words)
