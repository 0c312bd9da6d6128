"""What a function needs to run, out of its own file: all of it, and what a model may see of it.

Pieces are kept verbatim and in order, so that the text runs as the file would; line breaks are
made ``\\n``, which Python does itself, and relative imports are made absolute, because the text
stands in no package.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from assay_engine.reading.imports import absolute_imports
from assay_engine.reading.pieces import Piece, Pieces, read_pieces
from assay_engine.reading.units import Cut, Function, cut_units, cuts_by_path
from assay_engine.syntax.parsing import LINE_BREAK, split_lines
from assay_engine.syntax.scopes import local_names, names_of
from assay_engine.syntax.source import Source
from assay_engine.types import Edit, Span

_MAKING = frozenset({"__init__", "__new__", "__post_init__"})
_TO_COLON = re.compile(r"(?:[^#:]|#[^\r\n]*)*:")


@dataclass(frozen=True, slots=True)
class Surrounding:
    """`context` is without the function (or with its stub, where it cannot be taken out), and
    without the bodies of its class's other methods.

    `nodes` are the trees of the statements that `program` consists of. `definition` is the place
    of the function among those of its name in `program`, from 0 on.
    """

    context: str
    program: str
    entry: str
    nodes: tuple[ast.stmt, ...]
    definition: int = 0


def surround(source: Source, cut: Cut, *, wanted: frozenset[str], package: str) -> Surrounding:
    """What is around a function, with all that the names in `wanted` need besides.

    `entry` has ``<locals>`` in it if the function is a closure.
    """
    pieces = read_pieces(source)
    home = pieces.index_at(cut.unit.name_span.start)
    entry = cut.unit.path
    imports = absolute_imports(source, package)
    if any(not isinstance(outer, ast.ClassDef) for outer in cut.enclosing):
        lifted = _lift(source, cut, pieces, home, wanted, imports)
        if lifted is not None:
            return lifted
    own = cut.enclosing[0].name if cut.enclosing else cut.node.name
    providers = set(pieces.providers.get(own, ()))
    # `f = cache(f)` is part of what `f` is; another `def f` is not.
    rivals = {
        index
        for index in providers - {home}
        if own in pieces.pieces[index].names.binds and own not in pieces.pieces[index].names.reads
    }
    program = pieces.closure({own, *wanted}, without=rivals) | {home}
    stands_alone = pieces.pieces[home].nodes == (cut.node,)
    if stands_alone:
        needed = pieces.pieces[home].names.reads | wanted
        context = pieces.closure(needed, without=providers | {home})
        stub = ()
    else:
        siblings = _siblings(source, cut)
        shown = ast.parse(_slice(source, pieces.pieces[home].span, siblings)).body
        needed = names_of(shown).reads | {own, *wanted}
        context = pieces.closure(needed, without=rivals | {home}) | {home}
        stub = (_stub(source, cut.node, cut.unit.span.end), *siblings)
    return Surrounding(
        context=_render(source, pieces, context, (*imports, *stub)),
        program=_render(source, pieces, program, imports),
        entry=entry,
        nodes=_nodes(pieces, program),
        definition=sum(
            other.unit.span.start < cut.unit.span.start
            and pieces.index_at(other.unit.name_span.start) in program
            for other in cuts_by_path(source).get(entry, ())
        ),
    )


def _lift(
    source: Source,
    cut: Cut,
    pieces: Pieces,
    home: int,
    wanted: frozenset[str],
    imports: tuple[Edit, ...],
) -> Surrounding | None:
    """A nested function as one of the module, unless it uses what the functions around it bind.

    Nor if what it needs leads back to the definition it stands in, of index `home`: its own body
    would be in the context.
    """
    name = cut.node.name
    needed = names_of([cut.node]).reads - {name}
    captured: set[str] = {"super", "__class__"}
    for outer in cut.enclosing:
        if isinstance(outer, ast.ClassDef):
            captured.add(outer.name)
        else:
            captured |= local_names(outer)
    if isinstance(cut.enclosing[-1], ast.ClassDef) or needed & captured:
        return None
    context = pieces.closure(needed | (wanted - {name}))
    if home in context or any(name in pieces.pieces[index].names.binds for index in context):
        return None
    rendered = _render(source, pieces, context, imports)
    text = _slice(source, cut.unit.span, imports)
    lifted = _dedented(source, cut, text)
    program = f"{rendered}\n\n{lifted}\n" if rendered else f"{lifted}\n"
    return Surrounding(rendered, program, name, (*_nodes(pieces, context), cut.node))


def _siblings(source: Source, cut: Cut) -> tuple[Edit, ...]:
    """The edits that leave other definitions of the function, and the other methods of its class,
    their headers and docstrings.

    What makes an object stays whole: without it nobody could tell what its state means.
    """
    in_class = bool(cut.enclosing) and isinstance(cut.enclosing[0], ast.ClassDef)
    return tuple(
        _stub(source, other.node, other.unit.span.end)
        for other in cut_units(source)
        if other.node is not cut.node
        and (
            other.unit.path == cut.unit.path
            or (
                in_class
                and other.enclosing[:1] == cut.enclosing[:1]
                and other.node.name not in _MAKING
            )
        )
    )


def _nodes(pieces: Pieces, taken: Iterable[int]) -> tuple[ast.stmt, ...]:
    return tuple(node for index in sorted(taken) for node in pieces.pieces[index].nodes)


def _dedented(source: Source, cut: Cut, text: str) -> str:
    """The function's text at the left margin, with the inside of its strings untouched."""
    first_line = _line_of(source, cut.unit.span.start)
    margin = source.sound[source.starts[first_line - 1] : cut.unit.span.start]
    in_strings = {
        line - first_line
        for node in ast.walk(cut.node)
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for line in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
    }
    lines = split_lines(text)
    return "".join(
        line if number in in_strings else line.removeprefix(margin)
        for number, line in enumerate(lines)
    )


def _stub(source: Source, node: Function, end: int) -> Edit:
    """The edit that leaves a function, which ends there, nothing but its header and docstring."""
    header = _header_end(source, node)
    first = node.body[0]
    line_start = source.starts[first.lineno - 1]
    indentation = source.text[line_start : source.span(first).start]
    if indentation.strip():
        own_line = source.starts[node.lineno - 1]
        indentation = source.text[own_line : source.span(node).start] + "    "
    documented = ast.get_docstring(node) is not None
    body = [source.segment(first)] if documented else []
    new_text = "".join(f"\n{indentation}{each}" for each in [*body, "..."])
    return Edit(Span(header, _comments_end(source, end, node.col_offset)), new_text)


def _header_end(source: Source, node: Function) -> int:
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
    """The end of the comments after a body that are indented like a part of it."""
    line = _line_of(source, end) + 1
    while line < len(source.starts):
        text = source.text[source.starts[line - 1] : source.line_end(source.starts[line - 1])]
        code = text.lstrip(" \t\f")
        if code and (code[0] != "#" or len(text) - len(code) <= column):
            break
        if code:
            end = source.starts[line - 1] + len(text)
        line += 1
    return end


def _line_of(source: Source, offset: int) -> int:
    """The 1-based line that an offset is on."""
    return max(1, bisect_right(source.starts, offset))


def _render(source: Source, pieces: Pieces, taken: Iterable[int], edits: tuple[Edit, ...]) -> str:
    text = ""
    previous: Piece | None = None
    for index in sorted(taken):
        piece = pieces.pieces[index]
        if previous is not None:
            is_apart = piece.is_definition or previous.is_definition
            text += "\n\n\n" if is_apart else "\n"
        text += _slice(source, piece.span, edits)
        previous = piece
    return f"{text}\n" if text else ""


def _slice(source: Source, span: Span, edits: Iterable[Edit]) -> str:
    """A part of the text with the edits that fall into it."""
    text, place = "", span.start
    for edit in sorted(edits, key=lambda each: each.span.start):
        if place <= edit.span.start and edit.span.end <= span.end:
            text += source.sound[place : edit.span.start] + edit.new_text
            place = edit.span.end
    return LINE_BREAK.sub("\n", text + source.sound[place : span.end])
