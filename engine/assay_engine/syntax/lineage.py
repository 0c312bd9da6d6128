"""Lists a text's classes by name, and what each derives from, in the order that Python follows."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from typing_extensions import override

from assay_engine.syntax.names import last_name
from assay_engine.syntax.source import Source

# Nobody derives classes from each other more often than this; a hostile text may do so thousands of
# times.
LINEAGE_MAX = 60


class Classes(Mapping[str, ast.ClassDef]):
    """The classes of a text by name; of several with one name, the last.

    Bases that are not defined in the text are left out.
    """

    def __init__(self, body: Iterable[ast.stmt]) -> None:
        self._nodes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
        self._orders: dict[str, list[str]] = {}
        self._derived: dict[str, list[str]] = {}
        for name in self._nodes:
            self._order(name)
        for name in self._nodes:
            for base in self._orders[name][1:]:
                self._derived.setdefault(base, []).append(name)

    @override
    def __getitem__(self, name: str) -> ast.ClassDef:
        return self._nodes[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    @override
    def __len__(self) -> int:
        return len(self._nodes)

    def lineage(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """The classes that a class derives from, and the class, `LINEAGE_MAX` of them at most.

        The class that Python looks into first, which is the class itself, stands last.
        """
        order = self._orders[node.name] if self._is_own(node) else self._merged(node)
        return [*(self._nodes[name] for name in reversed(order[1:])), node]

    def derived(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """The classes that derive from a class, in the order of the text."""
        names = self._derived.get(node.name, ()) if self._is_own(node) else ()
        return [self._nodes[name] for name in names]

    def _is_own(self, node: ast.ClassDef) -> bool:
        return self._nodes.get(node.name) is node

    def _order(self, name: str) -> None:
        """Work out the order of a class and, first, of its bases.

        The stack is kept by hand: a text may derive more classes from each other than calls can be
        nested.
        """
        waiting = [(name, False)]
        begun: set[str] = set()
        while waiting:
            each, are_bases_done = waiting.pop()
            if are_bases_done:
                self._orders[each] = self._merged(self._nodes[each])
            elif each not in self._orders and each not in begun:
                begun.add(each)
                bases = [(base, False) for base in self._bases(self._nodes[each])]
                waiting += [(each, True), *bases]

    def _merged(self, node: ast.ClassDef) -> list[str]:
        # A text may well derive a class from itself: then the class's own order is not there yet.
        bases = [base for base in self._bases(node) if base in self._orders]
        orders = [*(self._orders[base] for base in bases), bases]
        return [node.name, *(name for name in _in_one_order(orders) if name != node.name)][
            :LINEAGE_MAX
        ]

    def _bases(self, node: ast.ClassDef) -> list[str]:
        return [name for name in map(last_name, node.bases) if name in self._nodes]


# A memo, like that of `read_source`: each line that may be a call of a program asks for its
# classes.
@lru_cache(maxsize=4)
def classes_of(source: Source) -> Classes:
    """The classes of a text, at its top level."""
    return Classes(source.tree.body)


def _in_one_order(orders: Sequence[Sequence[str]]) -> list[str]:
    """One order that keeps to all given orders (C3, as in Python).

    Where there is none, the first name of the first order goes before the others.
    """
    found: list[str] = []
    left = [list(order) for order in orders if order]
    while left:
        behind = {name for order in left for name in order[1:]}
        heads = [order[0] for order in left]
        chosen = next((name for name in heads if name not in behind), heads[0])
        found.append(chosen)
        left = [rest for order in left if (rest := [name for name in order if name != chosen])]
    return found
