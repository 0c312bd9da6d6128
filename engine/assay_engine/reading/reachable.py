"""The code that a call of a program's entry may come through, by names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from assay_engine.reading.pieces import read_pieces
from assay_engine.reading.units import Cut, cut_units
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.scopes import names_of
from assay_engine.syntax.source import Source

_CONSTRUCTION = ("__new__", "__init__", "__post_init__", "__init_subclass__")


class Reached(Struct, frozen=True):
    """Some code, the line its text begins on, and what to call it ("" for the module itself)."""

    qualname: str
    nodes: tuple[ast.AST, ...]
    first_line: int


def reached_code(source: Source, entry: Cut) -> tuple[Reached, ...]:
    """The entry, what it may call of the same text, and what runs when the text is loaded.

    Methods are reached by their bare name, once their class is: nothing is known of types here.
    """
    left = [each for each in cut_units(source) if not _is_local(each) and each != entry]
    taken: list[Cut] = []
    fresh = [entry]
    reads = {outer.name for outer in entry.enclosing}
    attributes: set[str] = set()
    while fresh:
        taken += fresh
        for cut in fresh:
            reads |= names_of([cut.node]).reads
            inner = ast.walk(cut.node)
            attributes |= {node.attr for node in inner if isinstance(node, ast.Attribute)}
        fresh = [each for each in left if _is_met(each, reads, attributes)]
        left = [each for each in left if not _is_met(each, reads, attributes)]
    return (*(_reached(cut) for cut in taken), *_loaded(source))


def _is_local(cut: Cut) -> bool:
    return any(not isinstance(outer, ast.ClassDef) for outer in cut.enclosing)


def _is_met(cut: Cut, reads: set[str], attributes: set[str]) -> bool:
    if not cut.enclosing:
        return cut.node.name in reads
    name = cut.node.name
    return cut.enclosing[0].name in reads and (name in _CONSTRUCTION or name in attributes)


def _reached(cut: Cut) -> Reached:
    return Reached(cut.unit.qualname, tuple(cut.node.body), cut.node.lineno)


def _loaded(source: Source) -> Iterator[Reached]:
    for piece in read_pieces(source).pieces:
        if not piece.is_definition and not piece.is_main_guard:
            nodes = (each for node in piece.nodes for each in _executed(node))
            yield Reached("", tuple(nodes), 1)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """What is executed with a statement: of one that has functions in it, all but their bodies."""
    if not any(isinstance(each, FunctionNode) for each in ast.walk(node)):
        yield node
    elif isinstance(node, FunctionNode):
        yield from (node.args, *node.decorator_list)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _executed(child)
