"""What parts of a module do to its names when they run: bind them, or change their objects.

A table is not made by its assignment alone. Updates of it belong to it, and so do functions that a
decorator registers there, and a module that is given a seed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.scopes import Names
from assay_engine.syntax.statements import Definition

_SETTING = re.compile(r"set|seed|register|add|filterwarnings|simplefilter")
_Changes = frozenset[tuple[str, str]]


class Executed(Struct, frozen=True):
    """Statements that are executed together, in a module, and the names in them."""

    nodes: tuple[ast.stmt, ...]
    names: Names

    @property
    def is_definition(self) -> bool:
        return isinstance(self.nodes[0], Definition)


def provided_by_each(parts: Sequence[Executed]) -> list[frozenset[str]]:
    """For every part of a module, the names that it binds or whose objects it changes."""
    imported = frozenset[str]().union(
        *(
            part.names.binds
            for part in parts
            if all(isinstance(node, ast.Import | ast.ImportFrom) for node in part.nodes)
        )
    )
    effects = {
        node.name: part.names.changes
        for part in parts
        for node in part.nodes
        if isinstance(node, FunctionNode)
    }
    return [
        part.names.binds | frozenset(_set_up(_changed(part, effects), imported)) for part in parts
    ]


def _set_up(changes: Iterable[tuple[str, str]], imported: frozenset[str]) -> Iterator[str]:
    """`logging.info(...)` does not make up what `logging` is; `random.seed(0)` does."""
    for name, method in changes:
        if not method or name not in imported or _SETTING.match(method):
            yield name


def _changed(part: Executed, effects: Mapping[str, _Changes]) -> Iterator[tuple[str, str]]:
    """As `Names.changes`, of what runs when the part does: decorators and called functions, too,
    and no bodies of definitions."""
    if not part.is_definition:
        yield from part.names.changes
    for node in part.nodes:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        for decorator in decorators:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(called, ast.Name):
                yield from effects.get(called.id, ())
            elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
                yield called.value.id, called.attr
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
                yield from effects.get(name, ())
            case _:
                pass
