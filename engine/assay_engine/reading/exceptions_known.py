"""The names of exceptions: by what they are called, or by what a text does with them."""

from __future__ import annotations

import ast
import builtins
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from assay_engine.syntax.names import last_name
from assay_engine.syntax.source import Source


def is_called_exception(name: str) -> bool:
    """Whether a name, dotted or not, is one of Python's exceptions or ends as exceptions do."""
    last = name.rsplit(".", 1)[-1]
    known = getattr(builtins, last, None)
    if isinstance(known, type):
        return issubclass(known, BaseException)
    return last[:1].isupper() and last.endswith(("Error", "Exception", "Warning"))


# As `read_source`: the functions of a file ask for the same.
@lru_cache(maxsize=4)
def exceptions_known(source: Source) -> frozenset[str]:
    """Classes that derive from an exception, and what is raised or caught by name."""
    classes: list[ast.ClassDef] = []
    used: set[str] = set()
    for node in ast.walk(source.tree):
        match node:
            case ast.ClassDef():
                classes.append(node)
            case ast.Raise(exc=ast.expr() as raised):
                used.add(_name(raised.func if isinstance(raised, ast.Call) else raised))
            case ast.ExceptHandler(type=ast.expr() as caught):
                kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
                used.update(map(_name, kinds))
            case _:
                pass
    # Neither a variable that holds one nor a constant is a name that a docstring speaks of.
    named = (name for name in used if name[:1].isupper() and not name.isupper())
    return frozenset([*_derived(classes), *named])


def _derived(classes: Iterable[ast.ClassDef]) -> Iterator[str]:
    """The names of classes, each of which, if there are several, derives from an exception."""
    missing = Counter(node.name for node in classes)
    derived: dict[str, list[ast.ClassDef]] = defaultdict(list)
    waiting: list[ast.ClassDef] = []
    for node in classes:
        bases = set(map(last_name, node.bases))
        # Of the text's own classes it is known what they are, whatever they are called. A class
        # may have the name of the one that it derives from.
        own = {base for base in bases if base in missing and base != node.name}
        for base in own:
            derived[base].append(node)
        if any(map(is_called_exception, bases - own)):
            waiting.append(node)
    seen: set[ast.ClassDef] = set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        missing[node.name] -= 1
        if missing[node.name] == 0:
            yield node.name
            waiting += derived[node.name]


def _name(raised: ast.expr) -> str:
    """What is raised or caught by name: not what is looked up, nor ``of`` of ``Fault.of(3)``."""
    return last_name(raised) if isinstance(raised, ast.Name | ast.Attribute) else ""
