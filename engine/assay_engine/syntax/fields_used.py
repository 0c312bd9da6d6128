"""Which fields of its object a method has to do with, as far as its text tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import Fault, parse

# What is put into a list or set so leaves the same behind, whatever is in there.
_ADDING = frozenset(("add", "append", "appendleft", "extend"))


def fields_used(program: str, method: str) -> frozenset[str] | None:
    """The names of attributes in the methods of this name, and in all functions of the program that
    these lead to by name, but for those that something is only added to. None if they hand on the
    object as a whole: then it may be any."""
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
    """Whether its first parameter is used otherwise than for an attribute."""
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
