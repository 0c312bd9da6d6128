"""Finds the names that code takes from the module around it, and those of them that it changes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache

from msgspec import Struct

from assay_engine.syntax.identifiers import (
    FunctionNode,
    Identifiers,
    Occurrence,
    Scope,
    ScopeKind,
    type_parameters,
)

# The names that code has without anybody having defined them.
BUILTINS = frozenset(dir(builtins))
_CHANGING_METHODS = """
add append appendleft clear discard extend extendleft insert pop popitem popleft register remove
reverse rotate setdefault sort subtract update
"""
CHANGERS = frozenset(_CHANGING_METHODS.split())


class Names(Struct, frozen=True):
    """The names that code takes from what is around it (`reads`) and binds there (`binds`).

    `changes` are names from around the code whose object, or binding, the code alters, each with
    the method that it calls for this: ``TABLE.update(x)`` gives ``("TABLE", "update")``,
    ``TABLE["a"] = 1`` gives ``("TABLE", "")``. `reads_within` are the reads by the functions in
    whose bodies they stand, the innermost first; ``()`` are those that stand in no body.
    """

    reads: frozenset[str]
    binds: frozenset[str]
    changes: frozenset[tuple[str, str]]
    reads_within: Mapping[tuple[FunctionNode, ...], Set[str]]

    def reads_beside(self, functions: frozenset[FunctionNode]) -> frozenset[str]:
        """The reads outside of the bodies of some functions."""
        found = self.reads_within.items()
        return frozenset[str]().union(
            *(names for within, names in found if functions.isdisjoint(within))
        )


def names_of(nodes: Iterable[ast.AST]) -> Names:
    """The names of some code that stands directly in a module (or in the scope in question).

    Names in string annotations count.
    """
    given = list(nodes)
    everything = [node for each in given for node in ast.walk(each)]
    found = occurrences(given, quoted=True)
    augmented = {node.target for node in everything if isinstance(node, ast.AugAssign)}
    # An occurrence that binds the module's name has to find the name there if it deletes or
    # augments the name, or declares it ``nonlocal``.
    around = [
        each
        for each in found
        if each.looks_in_module
        or (
            each.binds
            and (
                isinstance(each.node, ast.Nonlocal)
                or (isinstance(each.node, ast.Name) and isinstance(each.node.ctx, ast.Del))
                or each.node in augmented
            )
            and each.reaches_module
        )
    ]
    nodes_around = {each.node for each in around}
    changed = {
        (root.id, method)
        for node in everything
        for root, method in changed_by(node)
        if root in nodes_around
    }
    declared = {(each.name, "") for each in around if isinstance(each.node, ast.Global)}
    by_scope: dict[Scope, set[str]] = {}
    for each in around:
        by_scope.setdefault(each.scope, set()).add(each.name)
    reads_within: dict[tuple[FunctionNode, ...], set[str]] = {}
    for scope, names in by_scope.items():
        reads_within.setdefault(scope.within(), set()).update(names)
    return Names(
        frozenset(each.name for each in around),
        frozenset(each.name for each in found if each.binds and each.written_in_module),
        frozenset(changed | declared),
        reads_within,
    )


def changed_by(node: ast.AST) -> Iterator[tuple[ast.Name, str]]:
    """The name whose object a node alters, and the method that alters it."""
    match node:
        case (
            ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del())
        ):
            yield from _root(node, "")
        case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
            # Nobody looks at the result, so the method is called for what it does.
            yield from _root(method, method.attr)
        case ast.Call(func=ast.Attribute(attr=attribute) as method) if attribute in CHANGERS:
            yield from _root(method, attribute)
        case _:
            pass


def _root(node: ast.AST, method: str) -> Iterator[tuple[ast.Name, str]]:
    """The name at the root of ``name.attribute[index].method``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        yield node, method


def occurrences(nodes: Iterable[ast.AST], *, quoted: bool = False) -> tuple[Occurrence, ...]:
    """Every identifier of some code that stands directly in a module.

    If `quoted`, identifiers in annotations that are strings count, too; their nodes stand nowhere
    in the text.
    """
    return tuple(Identifiers(nodes, quoted=quoted).seen)


# A file is asked about for each candidate, and about each for several reasons.
@lru_cache(maxsize=4)
def occurrences_in(tree: ast.Module) -> tuple[Occurrence, ...]:
    """Every identifier of a module whose tree stays as it is."""
    return occurrences(tree.body)


@lru_cache(maxsize=4)
def nodes_in(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module whose tree stays as it is."""
    return tuple(ast.walk(tree))


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
