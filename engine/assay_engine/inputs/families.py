"""Classes that other classes stand in for: abstract ones, protocols, and bases that say nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from itertools import chain

from assay_engine.inputs.classes import (
    constructor,
    fields_of,
    typed_dict_classes,
    with_bases,
)
from assay_engine.syntax.names import last_name

_WORD = re.compile(r"\w+")
# The first that has all that a protocol asks for: what it is, and the annotation of its values.
_STANDING_IN = ((int, "int"), (str, "str"), (list, "list[int]"), (dict, "dict[str, int]"))


def is_protocol(node: ast.ClassDef) -> bool:
    return "Protocol" in map(last_name, node.bases)


def standing_in(protocol: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> str | None:
    """The annotation of a built-in type that does what the protocol asks for, if that is nothing
    but operations of the language: what other methods and attributes do, their names do not say."""
    lineage = with_bases(protocol, classes)
    asked = {method.name for each in lineage for method in _methods(each)}
    if fields_of(lineage) or not all(name.startswith("__") for name in asked):
        return None
    return next((text for kind, text in _STANDING_IN if asked <= set(dir(kind))), None)


def members(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """The classes whose objects are given where this one is asked for: itself, and those derived
    from it if it cannot be made or is made of nothing, in place of it if it says nothing, either.
    Empty if it cannot be made and none is derived."""
    derived = [
        each
        for each in classes.values()
        if each is not node
        and node in with_bases(each, classes)
        and not _is_abstract(each, classes)
    ]
    if _is_abstract(node, classes):
        return derived
    if not derived or constructor(node, classes) != []:
        return [node]
    return [node, *derived] if _methods(node) else derived


def ways_back(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> int:
    """How many parameters of the constructor lead back to the class itself, over others or not."""
    mentioned = {each.name: _mentioned(each, classes) for each in classes.values()}
    leading, more = set[str](), {each.name for each in with_bases(node, classes)}
    while more:
        leading |= more
        more = {
            name
            for name, parameters in mentioned.items()
            if name not in leading and not leading.isdisjoint(chain.from_iterable(parameters))
        }
    return sum(not leading.isdisjoint(names) for names in mentioned[node.name])


def _mentioned(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[list[str]]:
    """The names in the annotation of each parameter of the constructor, or of each key."""
    keys = typed_dict_classes(node, classes)
    parameters = fields_of(keys).items() if keys else constructor(node, classes) or ()
    return [_WORD.findall(ast.unparse(annotation)) for _, annotation in parameters]


def _is_abstract(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    missing: set[str] = set()
    for each in with_bases(node, classes):
        for method in _methods(each):
            marks = set(map(last_name, method.decorator_list))
            if marks.isdisjoint(("abstractmethod", "abstractproperty")):
                missing.discard(method.name)
            else:
                missing.add(method.name)
        missing.difference_update(
            statement.target.id
            for statement in each.body
            if isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.value is not None
        )
    return bool(missing)


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
