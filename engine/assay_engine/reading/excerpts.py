"""Renders parts of a text as they are shown: with edits, and functions without their bodies."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from assay_engine.reading.pieces import Piece, Pieces
from assay_engine.reading.units import cut_units
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.source import Source
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
