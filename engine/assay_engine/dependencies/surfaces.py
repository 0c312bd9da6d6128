"""Tells what a module offers to other modules: its definitions, without the bodies of functions.

Fields, members, constants, and the methods that make an object stand in full. Each definition comes
in three lengths, since a prompt has little room. A module's surface is texts alone: it is kept,
while its tree, which takes far more memory, is not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from assay_engine.dependencies.excerpts import MAKING, Stub, stubs
from assay_engine.dependencies.modules import absolute_imports, absolute_name
from assay_engine.dependencies.needed import Piece, read_pieces
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.input_output import dotted
from assay_engine.syntax.parsing import bound_name, child_statements, statements_in
from assay_engine.syntax.secrets import masks
from assay_engine.syntax.text import Definition, Source, docstring_statement, excerpt, read_source
from assay_engine.syntax.units import cut_units
from assay_engine.types import Edit, Span

# A constant that is longer than this is shown without its value where there is too little room.
CONSTANT_CHARACTERS = 200
# The lengths that a definition is shown in: at the first one whole, at the last one as a header.
LENGTHS = range(4)
_NAMES = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_BLANK = re.compile(r"\n{3,}")


class Part(Struct, frozen=True):
    """A stretch of a definition's text, whole, shorter, and as short as it may be.

    Of a function that is with its docstring, and its header; of a method at last nothing. `name` is
    the function's, or that of the class that a docstring is about; else it is empty.
    """

    name: str
    texts: tuple[str, str, str]


class Offered(Struct, frozen=True):
    """A definition of a module.

    `needs` are the names, dotted or not, of what an object or a call of it needs: those in bases,
    fields, headers, and values. `beside` are those in the headers of other methods than those that
    make an object, in these ones' code, and in decorators. Where methods are left out, a line says
    so, indented by `margin`.
    """

    parts: tuple[Part, ...]
    needs: tuple[str, ...]
    beside: tuple[str, ...]
    margin: str = ""

    def at(self, length: int, used: frozenset[str]) -> str:
        """The text in one of `LENGTHS`. What has its name in `used` is shortened last, and once."""
        shown = [
            part.texts[max(0, length - 2) if part.name in used else min(length, 2)]
            for part in self.parts
        ]
        if all(shown):
            return "".join(shown)
        return _BLANK.sub("\n\n", "".join(shown)).rstrip() + f"\n\n{self.margin}# and more methods"


class Import(Struct, frozen=True):
    """``from module import name as bound``; without a `name`, ``import module as bound``.

    Without `bound`, it is ``import module``, which binds the outermost name.
    """

    module: str
    name: str = ""
    bound: str = ""


class Surface(Struct, frozen=True):
    """What a module offers. `providers` gives the numbers of the definitions of a name.

    `stars` are the modules from which all names are imported.
    """

    module: str
    offered: tuple[Offered, ...]
    providers: Mapping[str, Sequence[int]]
    imports: Mapping[str, Sequence[Import]]
    stars: tuple[str, ...]


# A memo of a pure function: the files of a project use the same modules.
@lru_cache(maxsize=256)
def surface_of(text: str, module: str, package: str) -> Surface:
    """The surface of a module by its text, its name, and the package that it is in."""
    source = read_source(text)
    edits = (*absolute_imports(source, package), *masks(source))
    offered: list[Offered] = []
    providers: dict[str, list[int]] = {}
    kinds = (Definition, ast.Assign, ast.AnnAssign)
    for piece in read_pieces(source).pieces:
        names = piece.names.binds
        if not any(isinstance(each, kinds) for each in statements_in(piece.nodes)):
            # Names that are imported are looked up in the module that they come from. What a piece
            # that also defines something imports is the last that a name is looked up in.
            names -= {bound_name(alias) for each in piece.imports for alias in each.names}
        if names and not piece.is_main_guard:
            for name in names:
                providers.setdefault(name, []).append(len(offered))
            offered.append(_offered(source, piece, min(names), edits))
    imports, stars = imported(outside_definitions(source.tree.body), package)
    return Surface(module, tuple(offered), providers, imports, stars)


def imported(
    statements: Iterable[ast.AST], package: str
) -> tuple[dict[str, list[Import]], tuple[str, ...]]:
    """What each name may be imported as, and the modules from which all names are imported."""
    imports: dict[str, list[Import]] = {}
    stars: list[str] = []
    for node in statements:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found = Import(alias.name, bound=alias.asname or "")
                imports.setdefault(bound_name(alias), []).append(found)
        elif isinstance(node, ast.ImportFrom):
            module = absolute_name(node.module or "", node.level, package)
            for alias in node.names if module is not None else ():
                if alias.name == "*":
                    stars.append(module or "")
                    continue
                bound = alias.asname or alias.name
                # `from . import x` at the top imports the module x itself.
                found = (
                    Import(module, alias.name, bound) if module else Import(alias.name, "", bound)
                )
                imports.setdefault(bound, []).append(found)
    return imports, tuple(stars)


def outside_definitions(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The given statements and all within them, but for definitions and what is in these."""
    pending = [*statements][::-1]
    while pending:
        node = pending.pop()
        if not isinstance(node, Definition):
            yield node
            pending += reversed(child_statements(node))


def names_within(
    nodes: Iterable[ast.AST], *, bodies: bool = True, is_annotation: bool = False
) -> tuple[str, ...]:
    """The names, as far dotted as they are, in some code, in order; also in quoted annotations.

    Without `bodies`, of functions only what their parameters and results say counts.
    """
    found: dict[str, None] = {}
    pending: list[tuple[ast.AST, bool]] = [(each, is_annotation) for each in nodes][::-1]
    while pending:
        node, is_noted = pending.pop()
        if isinstance(node, ast.Attribute | ast.Name) and (name := dotted(node, {})):
            found[name] = None
        elif is_noted and isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= dict.fromkeys(_NAMES.findall(node.value))
        else:
            noted = [getattr(node, "annotation", None), getattr(node, "returns", None)]
            inner = [*ast.iter_child_nodes(node)]
            if isinstance(node, FunctionNode) and not bodies:
                inner = [each for each in (node.args, node.returns) if each is not None]
            pending += [(each, is_noted or each in noted) for each in reversed(inner)]
    return tuple(found)


def names_in_words(text: str) -> tuple[str, ...]:
    """The words of a text, dotted or not, that may be names."""
    return tuple(dict.fromkeys(_NAMES.findall(text)))


def _offered(source: Source, piece: Piece, name: str, edits: tuple[Edit, ...]) -> Offered:
    node = piece.nodes[0]
    if isinstance(node, ast.ClassDef) and len(piece.nodes) == 1:
        return _class(source, piece, node, edits)
    cut_down = [
        stub for each, stub in _cut_down(source) if piece.span.start <= each < piece.span.end
    ]
    full = excerpt(source, piece.span, (*edits, *(each.documented for each in cut_down)))
    short = excerpt(source, piece.span, (*edits, *(each.bare for each in cut_down)))
    if len(short) > CONSTANT_CHARACTERS and isinstance(node, ast.Assign | ast.AnnAssign):
        end = node.annotation if isinstance(node, ast.AnnAssign) else node.targets[-1]
        short = excerpt(source, Span(piece.span.start, source.span(end).end), edits) + " = ..."
    decorating = node.decorator_list if isinstance(node, FunctionNode) else ()
    parts = (Part(name, (full, short, short)),)
    return Offered(parts, names_within(piece.nodes, bodies=False), names_within(decorating))


def _class(source: Source, piece: Piece, node: ast.ClassDef, edits: tuple[Edit, ...]) -> Offered:
    """A class, whose parts are its docstring, its methods, and what stands between these."""
    cut_down = _cut_down(source)
    own = {source.begin(each): each for each in node.body if isinstance(each, FunctionNode)}
    # Those of classes within this one are always shown without their docstrings.
    edits = (*edits, *(stub.bare for start, stub in cut_down if start not in own))
    special: list[tuple[Span, Part]] = []
    if (docstring := docstring_statement(node)) is not None:
        span = source.span(docstring)
        special.append((span, Part(node.name, (excerpt(source, span, edits), "...", "..."))))
    for start, stub in cut_down:
        if start in own:
            span = Span(source.starts[source.line_at(start) - 1], stub.bare.span.end)
            full, short = (excerpt(source, span, (*edits, e)) for e in (stub.documented, stub.bare))
            special.append((span, Part(own[start].name, (full, short, ""))))
    parts: list[Part] = []
    place = piece.span.start
    for span, part in sorted(special, key=lambda each: each[0].start):
        between = excerpt(source, Span(place, span.start), edits)
        parts += [_fixed(between), part]
        place = span.end
    parts.append(_fixed(excerpt(source, Span(place, piece.span.end), edits)))
    makers = [each for each in own.values() if each.name in MAKING]
    fields = [each for each in node.body if not isinstance(each, FunctionNode)]
    needs = names_within((*node.bases, *node.keywords, *fields, *makers), bodies=False)
    beside = names_within(own.values(), bodies=False)
    code = names_within((*node.decorator_list, *makers))
    return Offered(
        tuple(each for each in parts if each.texts[0]),
        needs,
        tuple(dict.fromkeys((*beside, *code))),
        margin=" " * node.body[0].col_offset,
    )


def _fixed(text: str) -> Part:
    return Part("", (text, text, text))


@lru_cache(maxsize=1)
def _cut_down(source: Source) -> tuple[tuple[int, Stub], ...]:
    """Where each function begins that stands in no other and makes no object, with its stub."""
    found = stubs(source)
    return tuple(
        (each.unit.span.start, found[each.node])
        for each in cut_units(source)
        if all(isinstance(outer, ast.ClassDef) for outer in each.enclosing)
        and not (each.enclosing and each.node.name in MAKING)
    )
