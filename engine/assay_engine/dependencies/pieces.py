"""Cuts a module into pieces that are taken whole, and tells which of them a name needs."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from assay_engine.bounds import CHAIN_MAX
from assay_engine.dependencies.needed import (
    Changes,
    Executed,
    ImportNode,
    effects_of,
    imports_in,
    is_main_guard,
)
from assay_engine.syntax.scopes import BUILTINS, names_of
from assay_engine.syntax.text import Source, is_star_import
from assay_engine.types import Span

_SETTING = re.compile(r"set|seed|register|add|filterwarnings|simplefilter")
_DYNAMIC = frozenset({"exec", "globals", "locals", "setattr", "vars"})


class Piece(Executed, frozen=True):
    """A top-level statement, or several that share a line, with the comments right above."""

    span: Span
    imports: tuple[ImportNode, ...]
    is_always_kept: bool
    is_main_guard: bool


class Pieces(Struct, frozen=True):
    """All pieces of a module in order, and the names that each reads.

    `providers` gives, for a name, the indices of the pieces that bind or change it. `binds` are the
    names that any piece binds. `always` are the indices of the pieces that are kept whether or not
    anything needs them.
    """

    pieces: tuple[Piece, ...]
    reads: tuple[frozenset[str], ...]
    providers: Mapping[str, Sequence[int]]
    binds: frozenset[str]
    always: frozenset[int]

    def closure(self, names: Iterable[str], *, without: Iterable[int] = ()) -> frozenset[int]:
        """The indices of the pieces that some names need, directly or through other pieces.

        If these are more than `CHAIN_MAX`, only some of them.
        """
        left_out = set(without)
        taken = set(self.always) - left_out
        seen: set[str] = set()
        pending = set(names).union(*(self.reads[index] for index in taken))
        while pending:
            name = pending.pop()
            seen.add(name)
            for index in self.providers.get(name, ()):
                if len(taken) > CHAIN_MAX:
                    return frozenset(taken)
                if index not in taken and index not in left_out:
                    taken.add(index)
                    pending |= self.reads[index] - seen
        return frozenset(taken)

    def index_at(self, offset: int) -> int:
        """The index of the piece that an offset lies in."""
        index = bisect_right(self.pieces, offset, key=lambda piece: piece.span.start) - 1
        if index < 0 or offset >= self.pieces[index].span.end:
            raise LookupError(offset)
        return index


# A memo of a pure function, like `read_source`.
@lru_cache(maxsize=4)
def read_pieces(source: Source) -> Pieces:
    """Cut a text into pieces."""
    pieces = tuple(_piece(source, group) for group in _groups(source.tree.body))
    imported = frozenset[str]().union(*map(_imported, pieces))
    effects = effects_of(pieces)
    providers: dict[str, list[int]] = {}
    for index, piece in enumerate(pieces):
        if not piece.is_main_guard:
            for name in sorted(_provided(piece, imported, effects)):
                providers.setdefault(name, []).append(index)
    binds = frozenset[str]().union(*(piece.names.binds for piece in pieces))
    dynamic = tuple(_binding_dynamically(pieces))
    reads = tuple(piece.names.reads for piece in pieces)
    for name in frozenset[str]().union(*reads) - binds - BUILTINS:
        providers.setdefault(name, []).extend(dynamic)
    always = frozenset(index for index, piece in enumerate(pieces) if piece.is_always_kept)
    return Pieces(pieces, reads, providers, binds, always)


def _imported(piece: Piece) -> frozenset[str]:
    """The names that a piece binds if it consists of imports alone; else none."""
    is_import = all(isinstance(node, ImportNode) for node in piece.nodes)
    return piece.names.binds if is_import else frozenset()


def _provided(
    piece: Piece, imported: frozenset[str], effects: Mapping[str, Changes]
) -> frozenset[str]:
    """The names that a piece binds when it runs, and those whose objects it changes."""
    of_called = (effects.get(name, frozenset()) for name in piece.called)
    changes = (piece.changes | piece.registers_with).union(*of_called)
    # `logging.info(...)` does not affect what `logging` is; `random.seed(0)` does affect `random`.
    changed = {
        name
        for name, method in changes
        if not method or name not in imported or _SETTING.match(method)
    }
    return piece.names.binds | changed


def _binding_dynamically(pieces: Sequence[Piece]) -> Iterator[int]:
    """The indices of the pieces that may bind names written nowhere when they are executed.

    ``globals()[name] = value`` does so.
    """
    ways = set(_DYNAMIC)
    for piece in pieces:
        if piece.is_definition and not piece.names.reads.isdisjoint(_DYNAMIC):
            ways |= piece.names.binds
    for index, piece in enumerate(pieces):
        if not (piece.is_definition or piece.is_main_guard or piece.names.reads.isdisjoint(ways)):
            yield index


def _groups(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    groups: list[list[ast.stmt]] = []
    for node in body:
        if groups and groups[-1][-1].end_lineno == node.lineno:
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups


def _piece(source: Source, nodes: list[ast.stmt]) -> Piece:
    first = nodes[0]
    start = source.starts[_first_line(source, first) - 1]
    end = source.line_end(source.span(nodes[-1]).end)
    imports = imports_in(nodes)
    return Piece(
        span=Span(start, end),
        nodes=tuple(nodes),
        imports=imports,
        names=names_of(nodes),
        is_always_kept=any(map(_is_always_kept, imports)),
        is_main_guard=is_main_guard(first),
    )


def _first_line(source: Source, node: ast.stmt) -> int:
    """The line on which a statement begins, with its decorators and the comments right above."""
    above = line = source.line_at(source.begin(node))
    while above > 1 and source.sound.startswith("#", source.starts[above - 2]):
        above -= 1
    # Comments that begin on the first line are about the file: its licence, its interpreter.
    return line if above == 1 else above


def _is_always_kept(node: ImportNode) -> bool:
    return is_star_import(node) or (
        isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.level == 0
    )
