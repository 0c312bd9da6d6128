"""Finds what parts of a module do to its objects when they run, besides binding names.

A table is not made by its assignment alone. Updates of the table belong to it, and so do functions
that a decorator registers in it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.scopes import Names
from assay_engine.syntax.statements import Definition

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
