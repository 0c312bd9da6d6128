"""Tells whether code finds definitions by names that stand nowhere in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from assay_engine.syntax.source import Source, read_source

_WORDS = re.compile(r"globals|vars|__subclasses__|modules|__init_subclass__|metaclass")
# Metaclasses that keep no record of the classes that they make.
_PLAIN_METACLASSES = frozenset({"ABCMeta", "EnumMeta", "EnumType", "type"})


def finds_by_name(program: str, module: Source) -> bool:
    """Whether a program, a part of the module, may find anything that the module defines.

    It may if it looks into its own module, or learns of classes as they are made.
    """
    # If the whole module does not do so, no part of it does, and parsing the part takes time.
    return _does(module) and _does(read_source(program))


# A memo, like that of `read_source`: every function of a file asks about the same module.
@lru_cache(maxsize=4)
def _does(source: Source) -> bool:
    return looks_around(source.text, [source.tree])


def looks_around(text: str, nodes: Iterable[ast.AST]) -> bool:
    """Whether some code itself may find definitions by name. `text` contains at least the code."""
    if _WORDS.search(text) is None:
        return False
    return any(_finds(each) for node in nodes for each in ast.walk(node))


def _finds(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="globals" | "vars"), args=[]):
            return True
        case ast.Attribute(attr="__subclasses__"):
            return True
        case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
            return True
        case ast.FunctionDef(name="__init_subclass__"):
            return True
        case ast.keyword(arg="metaclass", value=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name not in _PLAIN_METACLASSES
        case _:
            return False
