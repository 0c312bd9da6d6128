"""Classes that other classes stand in for: abstract ones, protocols, and bases that say nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from itertools import chain

from assay_engine.syntax.classes import (
    constructor,
    fields_of,
    is_enumeration,
    keys_of,
    typed_dict_classes,
    with_bases,
)
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.names import last_name
from assay_engine.syntax.statements import is_not_implemented

_WORD = re.compile(r"\w+")
# The first that has all that a protocol asks for: what it is, and the annotation of its values.
_STANDING_IN = ((int, "int"), (str, "str"), (list, "list[int]"), (dict, "dict[str, int]"))


def is_protocol(node: ast.ClassDef) -> bool:
    return "Protocol" in map(last_name, node.bases)


def standing_in(protocol: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> str | None:
    """The annotation of a built-in type that does what the protocol asks for, if that is nothing
    but operations of the language: what other methods and attributes do, their names do not say."""
    asked = _members(protocol, classes)
    if not all(name.startswith("__") for name in asked):
        return None
    return next((text for kind, text in _STANDING_IN if asked <= set(dir(kind))), None)


def family(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """The classes whose objects are given where this one is asked for: itself, unless it is
    abstract, or says nothing and others do, and those derived from it. Of a protocol those that
    have all that it asks for. Empty if it cannot be made and there are no others."""
    is_abstract = _is_abstract(node, classes)
    others = [
        each
        for each in classes.values()
        if each is not node
        and _is_one_of(each, node, classes)
        and not _is_abstract(each, classes)
        and not is_enumeration(each)
    ]
    says_something = bool(_methods(node)) or constructor(node, classes) != {}
    if not is_abstract and says_something:
        return [node, *others]
    return others or ([node] if _can_be_made(node, classes) else [])


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
    parameters = keys_of(keys) if keys else constructor(node, classes) or {}
    return [names_in(each.annotation) for each in parameters.values()]


def names_in(annotation: ast.expr) -> list[str]:
    """The names that an annotation mentions, also in texts."""
    return _WORD.findall(ast.unparse(annotation))


def _can_be_made(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    return not is_protocol(node) and not _lacking(node, classes, _is_marked)


def _is_abstract(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Whether it leaves something to others, as a protocol does: by a mark, or by raising
    NotImplementedError."""
    return is_protocol(node) or bool(_lacking(node, classes, _is_left_to_others))


def _lacking(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef], is_left: Callable[[FunctionNode], bool]
) -> set[str]:
    """The methods that are left to others in the end."""
    lacking: set[str] = set()
    for each in with_bases(node, classes):
        left = {method.name for method in _methods(each) if is_left(method)}
        lacking = (lacking | left) - (_bound(each) - left)
    return lacking


def _is_one_of(
    node: ast.ClassDef, other: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> bool:
    """Whether a class derives from the other, or has all that this, a protocol, asks for."""
    if other in with_bases(node, classes):
        return True
    return is_protocol(other) and _members(other, classes) <= _members(node, classes)


def _members(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> set[str]:
    """The names of methods and attributes, those of what it derives from included."""
    lineage = with_bases(node, classes)
    return set(fields_of(lineage)).union(*map(_bound, lineage))


def _bound(node: ast.ClassDef) -> set[str]:
    """What the body of a class sets: methods, and attributes that have a value there."""
    found = {method.name for method in _methods(node)}
    for statement in node.body:
        match statement:
            case ast.Assign(targets=targets):
                found.update(target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                found.add(name)
            case _:
                pass
    return found


def _is_marked(method: FunctionNode) -> bool:
    marks = set(map(last_name, method.decorator_list))
    return not marks.isdisjoint(("abstractmethod", "abstractproperty"))


def _is_left_to_others(method: FunctionNode) -> bool:
    *before, last = method.body
    raises_alone = is_not_implemented(last) and all(isinstance(each, ast.Expr) for each in before)
    return _is_marked(method) or raises_alone


def _methods(node: ast.ClassDef) -> list[FunctionNode]:
    return [each for each in node.body if isinstance(each, FunctionNode)]
