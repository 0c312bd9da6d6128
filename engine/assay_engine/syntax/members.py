"""Finds the public methods and properties by which others see what an object has become.

Finds the fields of its object that a method uses, as far as its text tells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from assay_engine.syntax.classes import Classes
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import SyntaxFault, parse
from assay_engine.syntax.scopes import own_nodes

_PROTOCOLS = frozenset(
    f"__{name}__" for name in ("bool", "contains", "getitem", "iter", "len", "repr", "str")
)
_PROPERTIES = frozenset(("property", "cached_property"))


class PublicMember(Struct, frozen=True):
    """A public method or property.

    `required` is the number of arguments that it cannot do without. `gives` tells whether it
    returns anything.
    """

    name: str
    required: int
    gives: bool


def public_members(program: str, class_path: str) -> tuple[PublicMember, ...]:
    """The public members of a class and its bases, as far as it is plain how to call them."""
    tree = parse(program)
    node = None if isinstance(tree, SyntaxFault) else _class(tree, class_path)
    if isinstance(tree, SyntaxFault) or node is None:
        return ()
    found: dict[str, PublicMember | None] = {}
    for each in reversed(Classes(tree.body).lineage(node)):
        for method in each.body:
            if isinstance(method, FunctionNode):
                found.setdefault(method.name, _member(method))
    return tuple(each for each in found.values() if each is not None)


def _class(tree: ast.Module, path: str) -> ast.ClassDef | None:
    body: list[ast.stmt] = tree.body
    node = None
    for name in path.split("."):
        classes = (each for each in body if isinstance(each, ast.ClassDef) and each.name == name)
        node = next(classes, None)
        if node is None:
            return None
        body = node.body
    return node


def _member(function: FunctionNode) -> PublicMember | None:
    name, given = function.name, function.args
    decorators = {ast.unparse(each).rpartition(".")[2] for each in function.decorator_list}
    if isinstance(function, ast.AsyncFunctionDef) or not decorators <= _PROPERTIES:
        return None
    if (name.startswith("_") and name not in _PROTOCOLS) or None in given.kw_defaults:
        return None
    required = len(given.posonlyargs) + len(given.args) - len(given.defaults) - 1
    return PublicMember(name, max(0, required), any(map(_gives, own_nodes(function))))


def _gives(node: ast.AST) -> bool:
    match node:
        case ast.Return(value=None | ast.Constant(value=None)):
            return False
        case ast.Return() | ast.Yield() | ast.YieldFrom():
            return True
        case _:
            return False


# Adding to a list or set by one of these has the same effect, whatever else is in there.
_ADDING = frozenset(("add", "append", "appendleft", "extend"))


def fields_used(program: str, method: str) -> frozenset[str] | None:
    """The names, those of attributes among them, that the methods of one name use.

    Names in all functions of the program that these methods lead to by name count, too. Attributes
    that something is only added to do not count. None if a function hands on its object as a whole:
    then any field may be used.
    """
    tree = parse(program)
    if isinstance(tree, SyntaxFault):
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
