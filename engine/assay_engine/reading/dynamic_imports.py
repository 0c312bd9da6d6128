"""Finds which modules a text may import by names that it makes up when it runs.

``import_module(f"shop.formats.{name}")`` may mean any module of ``shop.formats``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from msgspec import Struct

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
