"""Finds the names that code takes from the module around it, and those of them that it changes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from assay_engine.syntax.identifiers import FunctionNode, Scope
from assay_engine.syntax.occurrences import Occurrence, occurrences

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
    ``TABLE["a"] = 1`` gives ``("TABLE", "")``.
    """

    reads: frozenset[str]
    binds: frozenset[str]
    changes: frozenset[tuple[str, str]]


def names_of(nodes: Iterable[ast.AST]) -> Names:
    """The names of some code that stands directly in a module (or in the scope in question).

    Names in string annotations count.
    """
    given = list(nodes)
    everything = [node for each in given for node in ast.walk(each)]
    found = occurrences(given, quoted=True)
    around = _taken(found, everything)
    nodes_around = {each.node for each in around}
    changed = {
        (root.id, method)
        for node in everything
        for root, method in changed_by(node)
        if root in nodes_around
    }
    declared = {(each.name, "") for each in around if isinstance(each.node, ast.Global)}
    return Names(
        frozenset(each.name for each in around),
        frozenset(each.name for each in found if each.binds and each.written_in_module),
        frozenset(changed | declared),
    )


def reads_by_function(
    nodes: Iterable[ast.AST],
) -> Mapping[tuple[FunctionNode, ...], frozenset[str]]:
    """The reads of `names_of` by the functions in whose bodies they stand, the innermost first.

    Reads that stand in no body are given for no functions, ``()``.
    """
    given = list(nodes)
    everything = [node for each in given for node in ast.walk(each)]
    found: dict[Scope, set[str]] = {}
    for each in _taken(occurrences(given, quoted=True), everything):
        found.setdefault(each.scope, set()).add(each.name)
    reads: dict[tuple[FunctionNode, ...], frozenset[str]] = {}
    for scope, names in found.items():
        within = scope.within()
        reads[within] = reads.get(within, frozenset()) | names
    return reads


def _taken(found: Iterable[Occurrence], everything: Iterable[ast.AST]) -> list[Occurrence]:
    """The occurrences that take a name from around the code. `everything` are the code's nodes."""
    again = {
        node.target
        for node in everything
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }
    return [each for each in found if each.looks_in_module or _takes_again(each, again)]


def _takes_again(each: Occurrence, again: set[ast.Name]) -> bool:
    """Whether an occurrence that binds the module's name has to find the name there.

    It does if it deletes or augments the name, or declares it ``nonlocal``.
    """
    if not (each.binds and each.reaches_module):
        return False
    node = each.node
    deletes = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)
    return deletes or node in again or isinstance(node, ast.Nonlocal)


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
