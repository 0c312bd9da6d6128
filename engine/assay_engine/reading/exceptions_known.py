"""Recognises names of exceptions by what they are called, or by what a text does with them."""

from __future__ import annotations

import ast
import builtins
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from assay_engine.syntax.names import last_name
from assay_engine.syntax.source import Source


def is_called_exception(name: str) -> bool:
    """Whether a name, dotted or not, is one of Python's exceptions or has such a name's ending."""
    last = name.rsplit(".", 1)[-1]
    known = getattr(builtins, last, None)
    if isinstance(known, type):
        return issubclass(known, BaseException)
    return last[:1].isupper() and last.endswith(("Error", "Exception", "Warning"))


# A memo, like that of `read_source`: all functions of a file ask for the same names.
@lru_cache(maxsize=4)
def exceptions_known(source: Source) -> frozenset[str]:
    """The names of classes that derive from an exception, and all names raised or caught."""
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
    # A docstring does not name an exception by a variable or a constant that holds it, nor by the
    # ``of`` in ``Fault.of(3)``.
    named = (name for name in used if name[:1].isupper() and not name.isupper())
    return frozenset([*_derived(classes), *named])


def _derived(classes: Iterable[ast.ClassDef]) -> Iterator[str]:
    """The names of classes that derive from an exception: all of them, where several share one."""
    missing = Counter(node.name for node in classes)
    derived: dict[str, list[ast.ClassDef]] = defaultdict(list)
    waiting: list[ast.ClassDef] = []
    for node in classes:
        bases = set(map(last_name, node.bases))
        # Whether one of the text's own classes is an exception is known, whatever its name. A class
        # may have the same name as the class that it derives from.
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
    """The last name of what is raised or caught; empty for a look-up, such as ``ERRORS[k]``."""
    return last_name(raised) if isinstance(raised, ast.Name | ast.Attribute) else ""
