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


# What may be asked of a module besides a name: to be there, all of it, or all modules in it.
PRESENCE, ALL, ALL_WITHIN = "", "*", "**"


class ImportAsked(Struct, frozen=True):
    """What an import asks of a module: a name, or `ALL` or `ALL_WITHIN` of it.

    The level is as in imports: 0 is absolute, 1 is ``.``, 2 is ``..``. `attributes` are those that
    are used of the imported object; None if they are not known to be all that is done with it.
    """

    module: str
    level: int
    name: str
    attributes: tuple[str, ...] | None = None


def imported_by_name(text: str, nodes: Iterable[ast.AST]) -> Iterator[ImportAsked]:
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


def _made_up(asked: ast.expr) -> ImportAsked:
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
    module = name.rpartition(".")[0] if is_any else name
    return ImportAsked(module, level, ALL_WITHIN if is_any else ALL)


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
