"""Classes that other classes stand in for: abstract ones, protocols, and bases that say nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import chain

from assay_engine.syntax.classes import (
    fields_of,
    is_enumeration,
    made_of,
    typed_dict_classes,
)
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.lineage import Classes
from assay_engine.syntax.names import last_name, names_in
from assay_engine.syntax.statements import is_not_implemented

# Bases that add nothing to objects.
_SAYING_NOTHING = frozenset(("object", "ABC", "Generic", "Protocol"))
# The first that has all that a protocol asks for: what it is, and the annotation of its values.
_STANDING_IN = ((int, "int"), (str, "str"), (list, "list[int]"), (dict, "dict[str, int]"))


def is_protocol(node: ast.ClassDef) -> bool:
    return "Protocol" in map(last_name, node.bases)


def standing_in(protocol: ast.ClassDef, classes: Classes) -> str | None:
    """The annotation of a built-in type that does what the protocol asks for, if that is nothing
    but operations of the language: what other methods and attributes do, their names do not say."""
    asked = _members(protocol, classes)
    if not all(name.startswith("__") for name in asked):
        return None
    return next((text for kind, text in _STANDING_IN if asked <= set(dir(kind))), None)


def family(node: ast.ClassDef, classes: Classes) -> list[ast.ClassDef]:
    """The classes whose objects are given where this one is asked for: itself, unless it is
    abstract, or says nothing and others do, and those derived from it. Of a protocol those that
    have all that it asks for. Empty if it cannot be made and there are no others."""
    if is_enumeration(node) or typed_dict_classes(node, classes):
        return [node]
    is_abstract = _is_abstract(node, classes)
    others = [each for each in _behind(node, classes) if not _is_abstract(each, classes)]
    if not is_abstract and _says_something(node, classes):
        return [node, *others]
    return others or ([node] if _can_be_made(node, classes) else [])


def receivers(owner: ast.ClassDef, method: str, classes: Classes) -> list[ast.ClassDef]:
    """Those of its family that have its method of this name, and none of their own."""
    members = family(owner, classes)
    return [
        each for each in members if each is owner or not overrides(each, method, owner, classes)
    ]


def overrides(node: ast.ClassDef, method: str, owner: ast.ClassDef, classes: Classes) -> bool:
    """Whether objects of the class have another method of this name than the owner's."""
    having = [each for each in classes.lineage(node) if method in _bound(each)]
    return bool(having) and having[-1] is not owner


def _behind(node: ast.ClassDef, classes: Classes) -> list[ast.ClassDef]:
    derived = classes.derived(node)
    if not is_protocol(node):
        return [each for each in derived if not is_enumeration(each)]
    asked = _members(node, classes)
    return [
        each
        for each in classes.values()
        if each is not node
        and (each in derived or asked <= _members(each, classes))
        and not is_enumeration(each)
        and not typed_dict_classes(each, classes)
    ]


def _says_something(node: ast.ClassDef, classes: Classes) -> bool:
    """Whether objects of it have anything, of their own or from a base that is not of the text."""
    bases = {last_name(base) for each in classes.lineage(node) for base in each.bases}
    return bool(_members(node, classes)) or not bases <= {*classes, *_SAYING_NOTHING}


def ways_back(node: ast.ClassDef, classes: Classes) -> int:
    """How many parameters of the constructor lead back to the class itself, over others or not."""
    mentioned = {each.name: _mentioned(each, classes) for each in classes.values()}
    leading, more = set[str](), {each.name for each in classes.lineage(node)}
    while more:
        leading |= more
        more = {
            name
            for name, parameters in mentioned.items()
            if name not in leading and not leading.isdisjoint(chain.from_iterable(parameters))
        }
    return sum(not leading.isdisjoint(names) for names in mentioned[node.name])


def _mentioned(node: ast.ClassDef, classes: Classes) -> list[list[str]]:
    """The names in the annotation of each parameter of the constructor, or of each key."""
    return [names_in(each.annotation) for each in made_of(node, classes).values()]


def _can_be_made(node: ast.ClassDef, classes: Classes) -> bool:
    return not is_protocol(node) and not _lacking(node, classes, _is_marked)


def _is_abstract(node: ast.ClassDef, classes: Classes) -> bool:
    """Whether it leaves something to others, as a protocol does: by a mark, or by raising
    NotImplementedError."""
    return is_protocol(node) or bool(_lacking(node, classes, _is_left_to_others))


def _lacking(
    node: ast.ClassDef, classes: Classes, is_left: Callable[[FunctionNode], bool]
) -> set[str]:
    """The methods that are left to others in the end."""
    lacking: set[str] = set()
    for each in classes.lineage(node):
        # The last definition of a name is the one that counts.
        last = {method.name: method for method in _methods(each)}
        left = {name for name, method in last.items() if is_left(method)}
        lacking = (lacking | left) - (_bound(each) - left)
    return lacking


def _members(node: ast.ClassDef, classes: Classes) -> set[str]:
    """The names of methods and attributes, those of what it derives from included."""
    lineage = classes.lineage(node)
    return set(fields_of(lineage)).union(*map(_bound, lineage), *map(_assigned, lineage))


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


def _assigned(node: ast.ClassDef) -> set[str]:
    """What the constructor sets of an object."""
    return {
        each.attr
        for method in _methods(node)
        if method.name == "__init__"
        for each in ast.walk(method)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }


def _is_marked(method: FunctionNode) -> bool:
    marks = set(map(last_name, method.decorator_list))
    return not marks.isdisjoint(("abstractmethod", "abstractproperty"))


def _is_left_to_others(method: FunctionNode) -> bool:
    *before, last = method.body
    raises_alone = is_not_implemented(last) and all(isinstance(each, ast.Expr) for each in before)
    # Others are registered with it.
    is_default = "singledispatchmethod" in map(last_name, method.decorator_list)
    return _is_marked(method) or (raises_alone and not is_default)


def _methods(node: ast.ClassDef) -> list[FunctionNode]:
    return [each for each in node.body if isinstance(each, FunctionNode)]
