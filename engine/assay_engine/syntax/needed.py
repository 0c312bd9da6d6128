"""Which statements of a module a function cannot do without."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from assay_engine.syntax.occurrences import bound_in_module, occurrences, used_from_module
from assay_engine.syntax.parsing import statements_in
from assay_engine.syntax.statements import Definition

ImportNode = ast.Import | ast.ImportFrom


class Needed(Struct, frozen=True):
    """Statements in the order they stand in, and every module-level name they and the roots use.

    Of an import among them, only the aliases that bind one of `names` are needed.
    """

    statements: tuple[ast.stmt, ...]
    names: frozenset[str]

    @property
    def imports(self) -> tuple[ImportNode, ...]:
        return tuple(each for each in self.statements if isinstance(each, ImportNode))

    @property
    def helpers(self) -> tuple[ast.stmt, ...]:
        return tuple(each for each in self.statements if not isinstance(each, ImportNode))


def needed_statements(statements: Sequence[ast.stmt], roots: Iterable[str]) -> Needed:
    """What defines the names in `roots`, and the names that takes, and so on.

    A statement that changes a constant (``TABLE["x"] = 1``) belongs to its definition.
    """
    parts = _parts(statements)
    names = set(roots)
    kept: set[int] = set()
    while True:
        fresh = [part for part in parts if part.place not in kept and part.binds & names]
        if not fresh:
            break
        kept.update(part.place for part in fresh)
        names.update(*(part.uses for part in fresh))
    return Needed(tuple(statements[place] for place in sorted(kept)), frozenset(names))


def imports_in(nodes: Iterable[ast.AST]) -> tuple[ImportNode, ...]:
    """Those among the statements and within them."""
    return tuple(each for each in statements_in(nodes) if isinstance(each, ImportNode))


def is_type_checking(test: ast.expr) -> bool:
    """Whether what stands under this condition is there for type checkers alone."""
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
        case _:
            return False


def bound_name(alias: ast.alias) -> str:
    """The name that an import binds: ``os`` for ``import os.path``."""
    return alias.asname or alias.name.partition(".")[0]


def kept_aliases(statement: ImportNode, names: Collection[str]) -> list[ast.alias]:
    return [each for each in statement.names if bound_name(each) in names]


def is_main_guard(statement: ast.stmt) -> bool:
    """``if __name__ == "__main__":``"""
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(statement.test)
    )


class _Part(Struct, frozen=True):
    place: int
    binds: frozenset[str]
    uses: frozenset[str]


def _parts(statements: Sequence[ast.stmt]) -> list[_Part]:
    found = [occurrences([each]) for each in statements]
    binds = [bound_in_module(each) for each in found]
    constants = frozenset[str]().union(
        *(names for each, names in zip(statements, binds, strict=True) if _is_plain(each))
    )
    parts: list[_Part] = []
    defined_below: set[str] = set()
    for place in reversed(range(len(statements))):
        statement = statements[place]
        if is_main_guard(statement):
            continue
        if isinstance(statement, Definition):
            # Of several definitions of a name, the last is the one that counts.
            if statement.name in defined_below:
                continue
            defined_below.add(statement.name)
        changed = frozenset(_changed(statement)) & constants
        parts.append(_Part(place, binds[place] | changed, used_from_module(found[place])))
    return parts


def _is_plain(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign)


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The names whose objects a statement outside of any definition changes in place."""
    if isinstance(statement, Definition | ast.Assert):
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield from _root(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from _root(node.value.func)


def _root(node: ast.expr) -> Iterator[str]:
    """The name at the left end of ``name.attribute[index]``; none for a name on its own."""
    is_part = False
    while isinstance(node, ast.Attribute | ast.Subscript):
        node, is_part = node.value, True
    if is_part and isinstance(node, ast.Name):
        yield node.id
