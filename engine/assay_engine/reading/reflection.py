"""Whether code finds definitions by names that stand nowhere in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from assay_engine.syntax.source import Source, read_source

_WORDS = re.compile(r"globals|vars|__subclasses__|modules|__init_subclass__|metaclass")
# What makes classes and notes nothing of those that it has made.
_PLAIN_METACLASSES = frozenset({"ABCMeta", "EnumMeta", "EnumType", "type"})


def finds_by_name(program: str, module: Source) -> bool:
    """Whether a program, which is a part of the module, looks into its own module, or learns of
    classes as they are made: then all that the module defines may be found."""
    # What the whole does not do no part does, and parsing the part takes its time.
    return _does(module) and _does(read_source(program))


# As `read_source`: every function of a file asks for the same.
@lru_cache(maxsize=4)
def _does(source: Source) -> bool:
    return looks_around(source.text, [source.tree])


def looks_around(text: str, nodes: Iterable[ast.AST]) -> bool:
    """Whether code, which the text has at least, does so itself."""
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
