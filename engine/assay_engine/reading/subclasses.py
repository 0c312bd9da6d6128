"""Classes that stand in for those that a function names: nothing that it refers to leads to them.

``def total(shapes: list[Shape])`` knows `Shape` alone. Who calls it gives it what is derived from
that, and so do inputs.
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

# Each costs tokens in every request: so many in the place of a class, beside it, and in all.
FAMILY_MAX = 8
BESIDE_MAX = 3
DERIVED_MAX = 12


def derived_classes(source: Source, cut: Cut) -> frozenset[str]:
    """The names of the classes of the same text whose objects a call may be given as those of
    classes that annotations name, or made on if its own cannot be made; of each the first few."""
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
    """For classes and aliases, and for all that is given to what makes objects of them."""
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
