"""Finds the statements of a module that a function cannot do without.

Finds what parts of a module do to its objects when they run, besides binding names.

A table is not made by its assignment alone. Updates of the table belong to it, and so do functions
that a decorator registers in it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import bound_name, statements_in
from assay_engine.syntax.scopes import CHANGERS, Names, names_of, occurrences, used_from_module
from assay_engine.syntax.text import Definition

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
    left = [*_parts(statements, target)]
    names = set(roots)
    kept: set[int] = set()
    while True:
        fresh = [part for part, needed_for in left if needed_for & names]
        if not fresh:
            break
        left = [each for each in left if not each[1] & names]
        kept.update(part.place for part in fresh)
        names.update(*(part.uses for part in fresh))
    return Needed(tuple(statements[place] for place in sorted(kept)), frozenset(names))


def imports_in(nodes: Iterable[ast.AST]) -> tuple[ImportNode, ...]:
    """The imports among some statements and within them."""
    return tuple(each for each in statements_in(nodes) if isinstance(each, ImportNode))


def is_type_checking(test: ast.expr) -> bool:
    """Whether the code under a condition is there for type checkers alone."""
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
        case _:
            return False


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


def _parts(statements: Sequence[ast.stmt], target: str) -> Iterator[tuple[_Part, frozenset[str]]]:
    """The statements that can be needed, last first, with the names that each is needed for."""
    parts = [
        _Part((each,), names_of([each]), place, used_from_module(occurrences([each])))
        for place, each in enumerate(statements)
        # Neither of these is there for the sake of a definition.
        if not (is_main_guard(each) or isinstance(each, ast.Assert))
    ]
    changed = _changed_by_each(parts, target)
    defined_below: set[str] = set()
    for part, names in reversed([*zip(parts, changed, strict=True)]):
        (statement,) = part.nodes
        binds = part.names.binds
        if isinstance(statement, Definition):
            # Of several definitions of a name, the last is the one that counts.
            binds -= defined_below
            defined_below.add(statement.name)
        if binds or names:
            yield part, binds | names


def _changed_by_each(parts: Sequence[_Part], target: str) -> list[frozenset[str]]:
    """For each statement, the names of objects that it changes and that the statements define.

    A statement that changes something imported, or somebody else's, sets it up for everybody, which
    is no function's business. A statement that uses the target itself only shows how the target is
    used. So both count as changing nothing.
    """
    definitions = [each for each in parts if each.is_definition]
    constants = _bound_by(each for each in parts if _is_constant(each))
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


def _bound_by(parts: Iterable[_Part]) -> frozenset[str]:
    return frozenset[str]().union(*(each.names.binds for each in parts))


def _is_constant(part: _Part) -> bool:
    return isinstance(part.nodes[0], ast.Assign | ast.AnnAssign | ast.AugAssign)
