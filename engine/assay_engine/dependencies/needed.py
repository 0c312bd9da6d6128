"""Finds what names need of a module: pieces of a user's file, or statements of a candidate.

A table is not made by its assignment alone. Updates of the table belong to it, and so do functions
that a decorator registers in it.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from assay_engine.bounds import CHAIN_MAX
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import bound_name, statements_in
from assay_engine.syntax.scopes import (
    BUILTINS,
    CHANGERS,
    Names,
    names_of,
    occurrences,
    used_from_module,
)
from assay_engine.syntax.text import Definition, Source, is_star_import
from assay_engine.types import Span

# As in `Names`: the name of the changed object, and the method that changes it. The method is empty
# where something is stored in the object.
Changes = frozenset[tuple[str, str]]


class Executed(Struct, frozen=True):
    """Statements that run together, in a module, and the names in them."""

    nodes: tuple[ast.stmt, ...]
    names: Names

    @property
    def is_definition(self) -> bool:
        return isinstance(self.nodes[0], Definition)

    @property
    def changes(self) -> Changes:
        """The changes that the statements make when they run. Bodies of definitions do not run."""
        return frozenset() if self.is_definition else self.names.changes

    @property
    def registers_with(self) -> Changes:
        """The changes that decorators may make which belong to an object: ``@TABLE.register``."""
        found = (each for each in _decorators(self.nodes) if isinstance(each, ast.Attribute))
        return frozenset(
            (each.value.id, each.attr) for each in found if isinstance(each.value, ast.Name)
        )

    @property
    def called(self) -> frozenset[str]:
        """The functions that are called for their effects: by a statement, or as decorators."""
        by_statements = (
            node.value.func.id
            for node in self.nodes
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name)
        )
        decorators = _decorators(self.nodes)
        as_decorators = (each.id for each in decorators if isinstance(each, ast.Name))
        return frozenset((*by_statements, *as_decorators))


def effects_of(parts: Sequence[Executed]) -> Mapping[str, Changes]:
    """The changes that each function of a module makes when it, or a function in it, is called."""
    return {
        node.name: part.names.changes
        for part in parts
        for node in part.nodes
        if isinstance(node, FunctionNode)
    }


def _decorators(nodes: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    for node in nodes:
        for decorator in getattr(node, "decorator_list", ()):
            yield decorator.func if isinstance(decorator, ast.Call) else decorator


ImportNode = ast.Import | ast.ImportFrom


class Needed(Struct, frozen=True):
    """Statements in the order they stand in, and every module-level name they and the roots use.

    Of an import among the statements, only the aliases that bind one of `names` are needed.
    """

    statements: tuple[ast.stmt, ...]
    names: frozenset[str]

    @property
    def imports(self) -> tuple[ImportNode, ...]:
        return tuple(each for each in self.statements if isinstance(each, ImportNode))

    @property
    def helpers(self) -> tuple[ast.stmt, ...]:
        return tuple(each for each in self.statements if not isinstance(each, ImportNode))


def needed_statements(
    statements: Sequence[ast.stmt], roots: Iterable[str], *, target: str
) -> Needed:
    """The statements that define the names in `roots`, the names that these use, and so on.

    `statements` are those around the function `target`. A statement that changes one of their
    constants (``TABLE["x"] = 1``) belongs to the constant's definition.
    """
    parts = [
        _Part((each,), names_of([each]), place, used_from_module(occurrences([each])))
        for place, each in enumerate(statements)
        # Neither of these is there for the sake of a definition.
        if not (is_main_guard(each) or isinstance(each, ast.Assert))
    ]
    # The statements that can be needed, each with the names that it is needed for.
    left: list[tuple[_Part, frozenset[str]]] = []
    defined_below: set[str] = set()
    changed = _changed_by_each(parts, target)
    for part, names in reversed([*zip(parts, changed, strict=True)]):
        statement = statements[part.place]
        binds = part.names.binds
        if isinstance(statement, Definition):
            # Of several definitions of a name, the last is the one that counts.
            binds -= defined_below
            defined_below.add(statement.name)
        left.append((part, binds | names))
    wanted = set(roots)
    kept: set[int] = set()
    while fresh := [part for part, needed_for in left if needed_for & wanted]:
        left = [each for each in left if not each[1] & wanted]
        kept.update(part.place for part in fresh)
        wanted.update(*(part.uses for part in fresh))
    return Needed(tuple(statements[place] for place in sorted(kept)), frozenset(wanted))


def imports_in(nodes: Iterable[ast.AST]) -> tuple[ImportNode, ...]:
    """The imports among some statements and within them."""
    return tuple(each for each in statements_in(nodes) if isinstance(each, ImportNode))


def kept_aliases(statement: ImportNode, names: Collection[str]) -> list[ast.alias]:
    return [each for each in statement.names if bound_name(each) in names]


def is_main_guard(statement: ast.stmt) -> bool:
    """Whether a statement is ``if __name__ == "__main__":``."""
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(statement.test)
    )


class _Part(Executed, frozen=True):
    place: int
    uses: frozenset[str]


def _changed_by_each(parts: Sequence[_Part], target: str) -> list[frozenset[str]]:
    """For each statement, the names of objects that it changes and that the statements define.

    A statement that changes something imported, or somebody else's, sets it up for everybody, which
    is no function's business. A statement that uses the target itself only shows how the target is
    used. So both count as changing nothing.
    """
    definitions = [each for each in parts if each.is_definition]
    assigning = (ast.Assign, ast.AnnAssign, ast.AugAssign)
    constants = _bound_by(each for each in parts if isinstance(each.nodes[0], assigning))
    own = constants | _bound_by(definitions)
    effects = effects_of(parts)
    using = frozenset((target,))
    while more := _bound_by(each for each in definitions if each.names.reads & using) - using:
        using |= more
    found: list[frozenset[str]] = []
    for part in parts:
        of_called = (effects.get(name, frozenset()) for name in part.called)
        lasting = frozenset[tuple[str, str]]().union(*of_called)
        changed = {name for name, _ in part.changes}
        changed |= {name for name, method in lasting if not method or method in CHANGERS}
        registered = {name for name, _ in part.registers_with}
        names = changed & constants | registered & own
        is_use = not part.is_definition and bool(part.names.reads & using)
        found.append(frozenset() if is_use else frozenset(names))
    return found


def _bound_by(parts: Iterable[Executed]) -> frozenset[str]:
    return frozenset[str]().union(*(each.names.binds for each in parts))


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
    groups: list[list[ast.stmt]] = []
    for node in source.tree.body:
        if groups and groups[-1][-1].end_lineno == node.lineno:
            groups[-1].append(node)
        else:
            groups.append([node])
    pieces = tuple(_piece(source, group) for group in groups)
    effects = effects_of(pieces)
    imported = _bound_by(
        each for each in pieces if all(isinstance(node, ImportNode) for node in each.nodes)
    )
    providers: dict[str, list[int]] = {}
    for index, piece in enumerate(pieces):
        if piece.is_main_guard:
            continue
        of_called = (effects.get(name, frozenset()) for name in piece.called)
        changes = (piece.changes | piece.registers_with).union(*of_called)
        # `logging.info(...)` does not affect what `logging` is; `random.seed(0)` affects `random`.
        changed = (
            name
            for name, method in changes
            if not method or name not in imported or _SETTING.match(method)
        )
        for name in piece.names.binds.union(changed):
            providers.setdefault(name, []).append(index)
    # ``globals()[name] = value`` may bind names written nowhere, and so may a call of what does so.
    ways = _DYNAMIC | _bound_by(
        each for each in pieces if each.is_definition and not each.names.reads.isdisjoint(_DYNAMIC)
    )
    dynamic = [
        index
        for index, piece in enumerate(pieces)
        if not (piece.is_definition or piece.is_main_guard or piece.names.reads.isdisjoint(ways))
    ]
    binds = _bound_by(pieces)
    reads = tuple(piece.names.reads for piece in pieces)
    for name in frozenset[str]().union(*reads) - binds - BUILTINS:
        providers.setdefault(name, []).extend(dynamic)
    always = frozenset(index for index, piece in enumerate(pieces) if piece.is_always_kept)
    return Pieces(pieces, reads, providers, binds, always)


def _piece(source: Source, nodes: list[ast.stmt]) -> Piece:
    above = line = source.line_at(source.begin(nodes[0]))
    while above > 1 and source.sound.startswith("#", source.starts[above - 2]):
        above -= 1
    # Comments that begin on the first line are about the file: its licence, its interpreter.
    start = source.starts[(line if above == 1 else above) - 1]
    imports = imports_in(nodes)
    return Piece(
        span=Span(start, source.line_end(source.span(nodes[-1]).end)),
        nodes=tuple(nodes),
        imports=imports,
        names=names_of(nodes),
        is_always_kept=any(
            isinstance(each, ast.ImportFrom)
            and (is_star_import(each) or (each.module == "__future__" and each.level == 0))
            for each in imports
        ),
        is_main_guard=is_main_guard(nodes[0]),
    )
