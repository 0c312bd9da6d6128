"""Finds which modules a text may import by names that it makes up when it runs.

``import_module(f"shop.formats.{name}")`` may mean any module of ``shop.formats``.

Tells whether code finds definitions by names that stand nowhere in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import Struct

from assay_engine.source.pieces import read_pieces
from assay_engine.source.text import Source

_IMPORTERS = frozenset({"import_module", "__import__"})


class MadeUp(Struct, frozen=True):
    """A module that may be imported, by its dotted name and its level.

    The level is as in imports: 0 is absolute, 1 is ``.``, 2 is ``..``. With `is_any_within`, the
    name is that of a package, and any module directly in the package may be meant.
    """

    name: str
    level: int
    is_any_within: bool


def imported_by_name(text: str, nodes: Iterable[ast.AST]) -> Iterator[MadeUp]:
    """What the calls in a text may import. `nodes` are the parsed text."""
    if not any(each in text for each in _IMPORTERS):
        return
    for node in (each for root in nodes for each in ast.walk(root)):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[asked, *_]) if (
                name in _IMPORTERS
            ):
                yield _made_up(asked)
            case _:
                pass


def _made_up(asked: ast.expr) -> MadeUp:
    match asked:
        case ast.Constant(value=str(whole)):
            dotted, is_any = whole, False
        case (
            ast.JoinedStr(values=[ast.Constant(value=str(start)), *_])
            | ast.BinOp(left=ast.Constant(value=str(start)), op=ast.Add() | ast.Mod())
        ):
            dotted, is_any = start.partition("%")[0], True
        case _:
            # Nothing is known of the name. Assume one near: in the package that the text is in.
            dotted, is_any = ".", True
    name = dotted.lstrip(".")
    level = len(dotted) - len(name)
    return MadeUp(name.rpartition(".")[0] if is_any else name, level, is_any)


_WORDS = re.compile(r"globals|vars|__subclasses__|modules|__init_subclass__|metaclass")
# Metaclasses that keep no record of the classes that they make.
_PLAIN_METACLASSES = frozenset({"ABCMeta", "EnumMeta", "EnumType", "type"})


# A memo, like that of `read_source`: every function of a file asks about the same module.
@lru_cache(maxsize=4)
def looking_around(source: Source) -> frozenset[int]:
    """The indices of the pieces that may find anything that the module defines by its name.

    They may if they look into their own module, or learn of classes as they are made.
    """
    if _WORDS.search(source.text) is None:
        return frozenset()
    pieces = enumerate(read_pieces(source).pieces)
    return frozenset(index for index, piece in pieces if looks_around(piece.nodes))


def looks_around(nodes: Iterable[ast.AST]) -> bool:
    """Whether some code itself may find definitions by name."""
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
