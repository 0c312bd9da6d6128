"""Finds the fields of its object that a method uses, as far as its text tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import Fault, parse

# Adding to a list or set by one of these has the same effect, whatever else is in there.
_ADDING = frozenset(("add", "append", "appendleft", "extend"))


def fields_used(program: str, method: str) -> frozenset[str] | None:
    """The names, those of attributes among them, that the methods of one name use.

    Names in all functions of the program that these methods lead to by name count, too. Attributes
    that something is only added to do not count. None if a function hands on its object as a whole:
    then any field may be used.
    """
    tree = parse(program)
    if isinstance(tree, Fault):
        return None
    functions: dict[str, list[FunctionNode]] = {}
    for node in ast.walk(tree):
        if isinstance(node, FunctionNode):
            functions.setdefault(node.name, []).append(node)
    used: set[str] = set()
    known = {method}
    pending = [method]
    while pending:
        for function in functions.get(pending.pop(), ()):
            if _is_handed_on(function):
                return None
            names = set(_names_in(function))
            used |= names
            pending += sorted(names & functions.keys() - known)
            known |= names
    return frozenset(used)


def _names_in(function: FunctionNode) -> Iterator[str]:
    added_to: set[int] = set()
    for node in ast.walk(function):
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Attribute() as field, adding))):
                if adding in _ADDING:
                    added_to.add(id(field))
            case ast.Attribute(attr=name) | ast.Name(id=name) if id(node) not in added_to:
                yield name
            case _:
                pass


def _is_handed_on(function: FunctionNode) -> bool:
    """Whether a function uses its first parameter for anything but an attribute of it."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    if not parameters:
        return False
    name = parameters[0].arg
    for_attributes = {
        id(node.value) for node in ast.walk(function) if isinstance(node, ast.Attribute)
    }
    return any(
        isinstance(node, ast.Name) and node.id == name and id(node) not in for_attributes
        for node in ast.walk(function)
    )
