"""Classes of a text by name: what each derives from, in the order that Python follows, and what
their objects are made of.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from typing_extensions import override

from assay_engine.syntax.identifiers import defaults_of
from assay_engine.syntax.parsing import last_name, names_in
from assay_engine.syntax.text import Source

ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_WITH_FIELDS = frozenset({"dataclass", "define", "frozen", "attrs"})


def is_enumeration(node: ast.ClassDef) -> bool:
    return not ENUMERATIONS.isdisjoint(map(last_name, node.bases))


def typed_dict_classes(node: ast.ClassDef, classes: Classes) -> list[ast.ClassDef]:
    """The classes that a typed dict has its keys from, its own last; none for any other class."""
    found = classes.lineage(node)
    derives = any("TypedDict" in map(last_name, each.bases) for each in found)
    return found if derives else []


def member_names(node: ast.ClassDef) -> list[str]:
    """The names of an enumeration's members."""
    return [
        target.id
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    ]


def constructor_of(node: ast.ClassDef, classes: Classes) -> dict[str, ast.expr]:
    """The parameters of a class's constructor with their annotations; none if it needs others.

    The constructor may be that of a base class. In a class made of fields, the fields of its base
    classes come first.
    """
    for each in reversed(classes.lineage(node)):
        if _is_made_of_fields(each):
            return fields_of(filter(_is_made_of_fields, classes.lineage(each)))
        made = _makers(each)
        if made:
            return _parameters(made.get("__init__") or made["__new__"])
    return {}


def _makers(node: ast.ClassDef) -> dict[str, ast.arguments]:
    return {
        statement.name: statement.args
        for statement in node.body
        if isinstance(statement, ast.FunctionDef) and statement.name in ("__init__", "__new__")
    }


def made_of(node: ast.ClassDef, classes: Classes) -> Iterable[ast.expr]:
    """The annotations of what an object of a class is made of: keys, or constructor parameters."""
    keys = typed_dict_classes(node, classes)
    return (fields_of(keys) if keys else constructor_of(node, classes)).values()


def _is_made_of_fields(node: ast.ClassDef) -> bool:
    decorators = {last_name(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list}
    return "NamedTuple" in map(last_name, node.bases) or not _WITH_FIELDS.isdisjoint(decorators)


def _parameters(arguments: ast.arguments) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    defaults = defaults_of(arguments)
    after_object = [*arguments.posonlyargs, *arguments.args][1:]
    for argument in (*after_object, *arguments.kwonlyargs):
        if argument.annotation is not None and argument not in arguments.posonlyargs:
            found[argument.arg] = argument.annotation
        elif argument not in defaults:
            return {}
    return found


def fields_of(classes: Iterable[ast.ClassDef]) -> dict[str, ast.expr]:
    """The annotations of the fields, or keys, that a constructor takes from some classes.

    A field of a later class replaces the same field of an earlier one.
    """
    return dict(chain.from_iterable(map(_own_fields, classes)))


def required_keys(classes: Iterable[ast.ClassDef]) -> set[str]:
    """The keys from some classes that every dict of a typed dict has.

    An annotation may not be fully readable, as when it is a text. So a key is not required if its
    annotation mentions `NotRequired` at all.
    """
    required: set[str] = set()
    for each in classes:
        is_total = all(
            isinstance(keyword.value, ast.Constant) and keyword.value.value is True
            for keyword in each.keywords
            if keyword.arg == "total"
        )
        for name, annotation in _own_fields(each):
            required.discard(name)
            may_lack = not is_total or "NotRequired" in names_in(annotation)
            if last_name(annotation) == "Required" or not may_lack:
                required.add(name)
    return required


def _own_fields(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """All annotated fields of a class except those with `field(init=False)`."""
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                is_no_field = last_name(annotation) in ("ClassVar", "KW_ONLY")
                if not (is_no_field or _is_left_out(value)):
                    yield name, annotation
            case _:
                pass


def _is_left_out(default: ast.expr | None) -> bool:
    return isinstance(default, ast.Call) and any(
        each.arg == "init" and isinstance(each.value, ast.Constant) and each.value.value is False
        for each in default.keywords
    )


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
