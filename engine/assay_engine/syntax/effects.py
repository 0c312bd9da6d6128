"""What parts of a module do to its objects when they run, beside binding names.

A table is not made by its assignment alone. Updates of it belong to it, and so do functions that a
decorator registers there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.scopes import Names
from assay_engine.syntax.statements import Definition

# As in `Names`: whose object, and by which method; without one where something is stored in it.
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
        """What its own code changes when it runs: the bodies of definitions do not."""
        return frozenset() if self.is_definition else self.names.changes

    @property
    def registers_with(self) -> Changes:
        """What its decorators may change that are taken from an object: ``@TABLE.register``."""
        found = (each for each in _decorators(self.nodes) if isinstance(each, ast.Attribute))
        return frozenset(
            (each.value.id, each.attr) for each in found if isinstance(each.value, ast.Name)
        )

    @property
    def called(self) -> frozenset[str]:
        """The functions that it calls for what they do: by a statement, and as decorators."""
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
    """What the functions of a module change, whenever they or what is in them is called."""
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
