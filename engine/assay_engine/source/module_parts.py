"""Reads a workspace module as parts to take one by one, and what each asks of other modules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.source.dynamic import ALL, ImportAsked, imported_by_name, looking_around
from assay_engine.source.needed import ImportNode, is_type_checking
from assay_engine.source.parsing import bound_name, child_statements
from assay_engine.source.pieces import Piece, Pieces, read_pieces
from assay_engine.source.text import excerpt, is_star_import, read_source

# A workspace may have thousands of modules, and the functions of a file need many of the same.
MODULES_KNOWN_MAX = 1000
# Methods that put something into an object; the empty name is an assignment.
_FILLING = frozenset(
    {"", "add", "append", "appendleft", "extend", "insert", "setdefault", "update"}
)


class ModuleParts(Struct, frozen=True):
    """A module's pieces without their trees.

    `texts`, `asked` and `filling` have an item for each piece: its text, what it asks of other
    modules, and the names of the module that the piece, if it is a definition, puts something into
    when it is called. `stars` are the modules of which the module imports everything.
    `looking_around` are the pieces that may use whatever the module has.

    Pieces that set up something imported are always taken.
    """

    pieces: Pieces
    texts: tuple[str, ...]
    asked: tuple[tuple[ImportAsked, ...], ...]
    stars: tuple[ImportAsked, ...]
    looking_around: frozenset[int]
    filling: tuple[frozenset[str], ...]


@lru_cache(maxsize=MODULES_KNOWN_MAX)
def read_parts(text: str) -> ModuleParts:
    source = read_source(text)
    pieces = read_pieces(source)
    parts = [(each, excerpt(source, each.span, ())) for each in pieces.pieces]
    used = _attributes(source.tree)
    bare = tuple(
        replace(each, nodes=(), imports=(), names=replace(each.names, reads_within={}))
        for each in pieces.pieces
    )
    return ModuleParts(
        replace(pieces, pieces=bare, always=pieces.always | _acting(pieces)),
        tuple(part for _, part in parts),
        tuple(tuple(_asked_by(part, piece.nodes, used)) for piece, part in parts),
        tuple(_stars(source.tree.body)),
        looking_around(source),
        tuple(_filled_by(each) for each in pieces.pieces),
    )


def _acting(pieces: Pieces) -> frozenset[int]:
    """The pieces that set something up in what is imported.

    ``decimal.getcontext().prec = 10`` is for everything that is done with decimals.
    """
    imported = frozenset[str]().union(
        *(each.names.binds for each in pieces.pieces if each.imports and not each.is_definition)
    )
    setting_up = {index for name in imported for index in pieces.providers.get(name, ())}
    return frozenset(
        index
        for index in setting_up
        if not (pieces.pieces[index].is_definition or pieces.pieces[index].imports)
    )


def _filled_by(piece: Piece) -> frozenset[str]:
    changes = piece.names.changes if piece.is_definition else ()
    return frozenset(name for name, method in changes if method in _FILLING)


def _attributes(tree: ast.AST) -> Mapping[str, tuple[str, ...]]:
    """The attributes that are used of each name that is used in no other way than before a dot."""
    used: dict[str, set[str]] = {}
    behind_dots: set[ast.expr] = set()
    whole: set[str] = set()
    for node in ast.walk(tree):
        # `ast.walk` gives an attribute before the name in it.
        match node:
            case ast.Attribute(value=ast.Name(id=name) as value, attr=attribute):
                used.setdefault(name, set()).add(attribute)
                behind_dots.add(value)
            case ast.Name(id=name) if node not in behind_dots:
                whole.add(name)
            case _:
                pass
    return {name: tuple(sorted(used[name])) for name in used.keys() - whole}


def _asked_by(
    text: str, nodes: Iterable[ast.AST], used: Mapping[str, tuple[str, ...]]
) -> Iterator[ImportAsked]:
    """What some code asks of other modules, except for what only annotations need."""
    yield from imported_by_name(text, nodes)
    for node in _imports(nodes):
        for alias in node.names:
            bound = used.get(bound_name(alias))
            if isinstance(node, ast.ImportFrom):
                if alias.name != ALL:
                    yield ImportAsked(node.module or "", node.level, alias.name, bound)
            elif alias.asname or "." not in alias.name:
                yield ImportAsked(alias.name, 0, ALL, bound)
            else:
                parts = alias.name.split(".")
                for count in range(1, len(parts) + 1):
                    yield ImportAsked(".".join(parts[:count]), 0, ALL)


def _stars(nodes: Iterable[ast.AST]) -> Iterator[ImportAsked]:
    for node in _imports(nodes):
        if is_star_import(node):
            yield ImportAsked(node.module or "", node.level, ALL)


def _imports(nodes: Iterable[ast.AST]) -> Iterator[ImportNode]:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        match node:
            case ast.Import() | ast.ImportFrom():
                yield node
            case ast.If(test=test) if is_type_checking(test):
                pending += node.orelse
            case _:
                pending += child_statements(node)
