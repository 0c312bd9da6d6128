"""Finds the code that a call of a program's entry may come through, by names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

from msgspec import Struct

from assay_engine.reading.pieces import read_pieces
from assay_engine.reading.units import Cut, cut_units
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.scopes import names_of
from assay_engine.syntax.source import Source

_CONSTRUCTION = ("__new__", "__init__", "__post_init__", "__init_subclass__")


class Reached(Struct, frozen=True):
    """Some code, its qualified name ("" for the module itself), and the line its text begins on."""

    qualname: str
    nodes: tuple[ast.AST, ...]
    first_line: int


def reached_code(source: Source, entry: Cut) -> tuple[Reached, ...]:
    """The entry, what it may call of the same text, and what runs when the text is loaded.

    A method is reached by its bare name once its class is reached, because nothing is known of
    types here.
    """
    left = _Left(each for each in cut_units(source) if not _is_local(each) and each != entry)
    taken: list[Cut] = []
    fresh = [entry]
    reads = {outer.name for outer in entry.enclosing}
    left.meet(reads, frozenset())
    while fresh:
        taken += fresh
        for cut in fresh:
            named = _named(cut.node)
            left.meet(named.reads, named.attributes)
        fresh = left.taken()
    return (*(_reached(cut) for cut in taken), *_loaded(source))


class _Named(Struct, frozen=True):
    reads: frozenset[str]
    attributes: frozenset[str]


# A memo of a pure function: the methods of a class, hundreds of them, reach the same code.
@lru_cache(maxsize=4096)
def _named(node: FunctionNode) -> _Named:
    attributes = (each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute))
    return _Named(frozenset(names_of([node]).reads), frozenset(attributes))


class _Left:
    """The functions that were not reached yet, by the names that would reach them."""

    def __init__(self, cuts: Iterable[Cut]) -> None:
        self._cuts = tuple(cuts)
        self._functions: dict[str, list[int]] = {}
        self._methods: dict[str, list[int]] = {}
        self._by_class: dict[str, list[int]] = {}
        self._reads: set[str] = set()
        self._attributes = set(_CONSTRUCTION)
        self._met: set[int] = set()
        for number, cut in enumerate(self._cuts):
            name = cut.node.name
            if cut.enclosing:
                self._methods.setdefault(name, []).append(number)
                self._by_class.setdefault(cut.enclosing[0].name, []).append(number)
            else:
                self._functions.setdefault(name, []).append(number)

    def meet(self, reads: Set[str], attributes: Set[str]) -> None:
        """Take note of names and attributes that reached code uses."""
        names, self._reads = reads - self._reads, self._reads | reads
        for name in names:
            self._met.update(self._functions.pop(name, ()))
            self._met.update(filter(self._is_looked_up, self._by_class.get(name, ())))
        names, self._attributes = attributes - self._attributes, self._attributes | attributes
        for name in names:
            self._met.update(filter(self._is_of_known_class, self._methods.get(name, ())))

    def taken(self) -> list[Cut]:
        """The functions that were met since the last call, in the order of the text."""
        fresh, self._met = sorted(self._met), set()
        return [self._cuts[number] for number in fresh]

    def _is_looked_up(self, method: int) -> bool:
        return self._cuts[method].node.name in self._attributes

    def _is_of_known_class(self, method: int) -> bool:
        return self._cuts[method].enclosing[0].name in self._reads


def _is_local(cut: Cut) -> bool:
    return any(not isinstance(outer, ast.ClassDef) for outer in cut.enclosing)


def _reached(cut: Cut) -> Reached:
    return Reached(cut.unit.qualname, tuple(cut.node.body), cut.node.lineno)


def _loaded(source: Source) -> Iterator[Reached]:
    for piece in read_pieces(source).pieces:
        if not piece.is_definition and not piece.is_main_guard:
            nodes = (each for node in piece.nodes for each in _executed(node))
            yield Reached("", tuple(nodes), 1)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """What is executed with a statement: everything in it but the bodies of functions."""
    if not any(isinstance(each, FunctionNode) for each in ast.walk(node)):
        yield node
    elif isinstance(node, FunctionNode):
        yield from (node.args, *node.decorator_list)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _executed(child)
