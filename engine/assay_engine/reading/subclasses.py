"""Finds classes that stand in for classes that a function names.

Nothing that the function refers to leads to them. ``def total(shapes: list[Shape])`` mentions
`Shape` alone, but its callers give it objects of derived classes, and so do inputs.
"""

from __future__ import annotations

import ast
from collections import deque
from functools import lru_cache
from itertools import chain

from assay_engine.reading.units import Cut
from assay_engine.syntax.aliases import aliases_of
from assay_engine.syntax.classes import made_of
from assay_engine.syntax.families import family
from assay_engine.syntax.identifiers import arguments_of
from assay_engine.syntax.lineage import classes_of
from assay_engine.syntax.names import names_in
from assay_engine.syntax.source import Source

# Each class costs tokens in every request. These are the most that are taken in the place of a
# class, beside a class, and in all.
FAMILY_MAX = 8
BESIDE_MAX = 3
DERIVED_MAX = 12


def derived_classes(source: Source, cut: Cut) -> frozenset[str]:
    """The names of classes of the same text whose objects a call may be given, or be made on.

    A call may be given them as objects of classes that annotations name. It may be made on them if
    no object of the method's own class can be made. Of each class, the first few are taken.
    """
    given = (each.annotation for each in arguments_of(cut.node.args))
    annotations = [each for each in given if each is not None]
    classes = classes_of(source)
    for owner in cut.enclosing[:1]:
        if isinstance(owner, ast.ClassDef):
            annotations += [each.annotation for each in made_of(owner, classes).values()]
            if owner not in family(owner, classes):
                annotations.append(ast.Name(owner.name))
    names = chain.from_iterable(map(names_in, annotations))
    return _standing_in(source, tuple(dict.fromkeys(names)))


# A memo of a pure function: the functions of a text are given objects of the same classes.
@lru_cache(maxsize=512)
def _standing_in(source: Source, names: tuple[str, ...]) -> frozenset[str]:
    """The stand-ins for some classes and aliases, and for what is given to make their objects."""
    classes, aliases = classes_of(source), aliases_of(source)
    found: dict[str, None] = {}
    waiting, seen = deque(names), set[str]()
    while waiting and len(found) < DERIVED_MAX:
        name = waiting.popleft()
        if name in seen:
            continue
        seen.add(name)
        if name in aliases:
            waiting += names_in(aliases[name])
        node = classes.get(name)
        if node is None:
            continue
        members = family(node, classes)
        others = [each for each in members if each is not node]
        others = others[: BESIDE_MAX if node in members else FAMILY_MAX]
        found.update((each.name, None) for each in others)
        for each in (node, *others):
            for field in made_of(each, classes).values():
                waiting += names_in(field.annotation)
    return frozenset(list(found)[:DERIVED_MAX])
