"""Finds the public methods and properties by which others see what an object has become."""

from __future__ import annotations

import ast

from msgspec import Struct

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.lineage import Classes
from assay_engine.syntax.occurrences import own_nodes
from assay_engine.syntax.parsing import Fault, parse

_PROTOCOLS = frozenset(
    f"__{name}__" for name in ("bool", "contains", "getitem", "iter", "len", "repr", "str")
)
_PROPERTIES = frozenset(("property", "cached_property"))


class Member(Struct, frozen=True):
    """A public method or property.

    `required` is the number of arguments that it cannot do without. `gives` tells whether it
    returns anything.
    """

    name: str
    required: int
    gives: bool


def public_members(program: str, class_path: str) -> tuple[Member, ...]:
    """The public members of a class and its bases, as far as it is plain how to call them."""
    tree = parse(program)
    node = None if isinstance(tree, Fault) else _class(tree, class_path)
    if isinstance(tree, Fault) or node is None:
        return ()
    found: dict[str, Member | None] = {}
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


def _member(function: FunctionNode) -> Member | None:
    name, given = function.name, function.args
    decorators = {ast.unparse(each).rpartition(".")[2] for each in function.decorator_list}
    if isinstance(function, ast.AsyncFunctionDef) or not decorators <= _PROPERTIES:
        return None
    if (name.startswith("_") and name not in _PROTOCOLS) or None in given.kw_defaults:
        return None
    required = len(given.posonlyargs) + len(given.args) - len(given.defaults) - 1
    return Member(name, max(0, required), any(map(_gives, own_nodes(function))))


def _gives(node: ast.AST) -> bool:
    match node:
        case ast.Return(value=None | ast.Constant(value=None)):
            return False
        case ast.Return() | ast.Yield() | ast.YieldFrom():
            return True
        case _:
            return False
