"""Finds each identifier of a statement and the scope it lives in, as renaming by position needs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from msgspec import Struct

from assay_engine.syntax.identifiers import (
    FunctionNode,
    Identifiers,
    Scope,
    ScopeKind,
    type_parameters,
)


class Occurrence(Struct, frozen=True):
    """One identifier: its node, the scope it is written in, and the scope in which it lives.

    `binds` tells whether it binds the name. `evaluated` is False in a local variable's annotation,
    which Python never looks up.
    """

    name: str
    node: ast.AST
    scope: Scope
    home: Scope
    binds: bool
    evaluated: bool

    @property
    def written_in_module(self) -> bool:
        return self.scope.kind is ScopeKind.MODULE

    @property
    def in_module(self) -> bool:
        return self.home.kind is ScopeKind.MODULE

    @property
    def looks_in_module(self) -> bool:
        """Whether the name is looked up in the module."""
        if self.binds:
            return self.in_module and isinstance(self.node, ast.Global)
        return self.reaches_module

    @property
    def reaches_module(self) -> bool:
        """Whether the name is the module's, or may be.

        A name that a class body binds as well is the module's until the body binds it
        (``class A: limit = limit``).
        """
        around = self.home.parent if self.home.kind is ScopeKind.CLASS else None
        return self.in_module or (
            around is not None and around.home(self.name).kind is ScopeKind.MODULE
        )


def occurrences(nodes: Iterable[ast.AST], *, quoted: bool = False) -> tuple[Occurrence, ...]:
    """Every identifier of some code that stands directly in a module.

    If `quoted`, identifiers in annotations that are strings count, too; their nodes stand nowhere
    in the text.
    """
    found = Identifiers(nodes, quoted=quoted)
    return tuple(
        Occurrence(
            each.name,
            each.node,
            each.scope,
            each.scope.home(each.name),
            each.binds,
            each.node not in found.not_evaluated,
        )
        for each in found.seen
    )


def bound_in_module(found: Iterable[Occurrence]) -> frozenset[str]:
    return frozenset(each.name for each in found if each.in_module and each.binds)


def used_from_module(found: Iterable[Occurrence]) -> frozenset[str]:
    """The names that are looked up in the module, including those declared ``global``."""
    return frozenset(each.name for each in found if each.looks_in_module)


def bound_in_classes(found: Iterable[Occurrence]) -> frozenset[str]:
    return frozenset(
        each.name for each in found if each.binds and each.home.kind is ScopeKind.CLASS
    )


def own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those inside of the functions in it."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FunctionNode | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def is_generator(function: FunctionNode) -> bool:
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in own_nodes(function))


def names_living_in(function: FunctionNode) -> frozenset[str]:
    """The names of a function's own scope: parameters, type parameters, and what its body binds."""
    scope = Identifiers([function]).functions[function]
    own = scope.bound - scope.declared_global - scope.declared_nonlocal
    return frozenset(own | {getattr(each, "name", "") for each in type_parameters(function)})
