"""Classes that stand in for those that a function names: nothing that it refers to leads to them.

``def total(shapes: list[Shape])`` knows `Shape` alone. Who calls it gives it what is derived from
that, and so do inputs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from assay_engine.reading.units import Cut
from assay_engine.syntax.classes import classes_in, constructor, keys_of, typed_dict_classes
from assay_engine.syntax.families import family, names_in
from assay_engine.syntax.source import Source

# Each costs tokens in every request: so many in the place of a class, and so many beside it.
FAMILY_MAX = 8
BESIDE_MAX = 3


def derived_classes(source: Source, cut: Cut) -> frozenset[str]:
    """The names of the classes of the same text whose objects a call may be given as those of
    classes that annotations name, or made on if its own cannot be made; of each the first few."""
    arguments = cut.node.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg]
    annotations = [each.annotation for each in given if each is not None]
    names = {name for each in annotations if each is not None for name in names_in(each)}
    classes, _ = _named(source)
    own = {each.name for each in cut.enclosing[:1] if isinstance(each, ast.ClassDef)}
    unmade = {name for name in own & classes.keys() if not _is_of_its_own(classes[name], classes)}
    return frozenset[str]().union(*(_standing_in(source, name) for name in names | unmade))


def _is_of_its_own(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    return node in family(node, classes)


# A memo of a pure function: the functions of a text are given objects of the same classes.
@lru_cache(maxsize=512)
def _standing_in(source: Source, name: str) -> frozenset[str]:
    """For a class or an alias, and for all that is given to what makes objects of it."""
    classes, aliases = _named(source)
    found: set[str] = set()
    waiting, seen = [name], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in aliases:
            waiting += names_in(aliases[name])
        node = classes.get(name)
        if node is None:
            continue
        others = [each.name for each in family(node, classes) if each is not node]
        others = others[: BESIDE_MAX if _is_of_its_own(node, classes) else FAMILY_MAX]
        found.update(others)
        keys = typed_dict_classes(node, classes)
        fields = keys_of(keys) if keys else constructor(node, classes) or {}
        waiting += others
        waiting += [each for field in fields.values() for each in names_in(field.annotation)]
    return frozenset(found)


# As `read_source`.
@lru_cache(maxsize=4)
def _named(source: Source) -> tuple[Mapping[str, ast.ClassDef], Mapping[str, ast.expr]]:
    """The classes of a text, and what it assigns to names."""
    aliases: dict[str, ast.expr] = {}
    for node in source.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                aliases[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                aliases[name] = value
            case _:
                pass
    return classes_in(source.tree.body), aliases
