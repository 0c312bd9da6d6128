"""Tells what a program seems to need besides its arguments, by the names in its syntax tree.

Finds the code that a call of a program's entry may come through, by names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache

from msgspec import Struct

from assay_engine.dependencies.needed import is_main_guard
from assay_engine.specification.specification import cut_in_program
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.input_output import among, dotted, imported_in, root_of
from assay_engine.syntax.scopes import names_of, nodes_in
from assay_engine.syntax.text import Definition, Source, read_source
from assay_engine.syntax.units import Cut, cut_units
from assay_engine.types import Specification

_STDIN = ("input", "sys.stdin", "fileinput")
_CHANCE = ("time", "datetime", "random", "secrets", "uuid")
_CLOCKS = frozenset(
    (
        "time.time",
        "time.time_ns",
        "time.localtime",
        "time.gmtime",
        "time.strftime",
        "time.asctime",
        "time.ctime",
        "datetime.date.today",
        "datetime.datetime.now",
        "datetime.datetime.today",
        "datetime.datetime.utcnow",
    )
)
_ENVIRONMENT = ("os.environ", "os.getenv", "getpass")


class Needs(Struct, frozen=True):
    """What a program needs, as dotted names: each name once in a field, and sorted.

    The first four fields are calls that reach outside (files, network, environment), what reads
    standard input, clocks and chance, and the exceptions that are raised.

    The other fields are only about what runs when the function is called. `files`, `clocks`,
    `environment` and `network` are those needs that a scene can provide. `replaceable` are all
    calls that a mock could answer: of imported names, and of functions of the program other than
    the one that is called.
    """

    outside: tuple[str, ...]
    stdin: tuple[str, ...]
    chance: tuple[str, ...]
    raised: tuple[str, ...]
    files: tuple[str, ...] = ()
    clocks: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    network: tuple[str, ...] = ()
    replaceable: tuple[str, ...] = ()


# A memo of a pure function: a check asks about its function again and again.
@lru_cache(maxsize=16)
def needs_of(specification: Specification) -> Needs:
    """The needs of the whole program: the function and what it refers to.

    There are none if the program does not parse.
    """
    source = read_source(specification.program)
    if source.problems:
        return Needs((), (), (), ())
    nodes = nodes_in(source.tree)
    imported = imported_in(source.tree)
    defined = frozenset(node.name for node in nodes if isinstance(node, Definition))
    used = _used(nodes, imported, defined)
    reached = [each.name for each in among(nodes, imported, defined)]
    called = [node for root in _called(specification, source) for node in ast.walk(root)]
    near = _used(called, imported, defined)
    reaching = list(among(called, imported, defined))
    return Needs(
        outside=_sorted([*reached, *_beneath(used, _ENVIRONMENT)]),
        stdin=_sorted(_beneath(used, _STDIN)),
        chance=_sorted(name for name in _beneath(used, _CHANCE) if name in imported.values()),
        raised=_sorted(_raised(nodes, imported)),
        files=_sorted(each.name for each in reaching if each.staged),
        clocks=_sorted(name for name in near if name in _CLOCKS),
        environment=_sorted(_beneath(near, _ENVIRONMENT[:2])),
        network=_sorted(each.name for each in reaching if each.answered),
        replaceable=_sorted(
            _replaceable(called, imported, defined - {specification.entry.split(".", 1)[0]})
        ),
    )


def _called(specification: Specification, source: Source) -> list[ast.AST]:
    """The code that runs when the function is called, as far as names tell.

    Scenes are set for no other code.
    """
    entry = cut_in_program(specification, source)
    if entry is None:
        return []
    return [node for each in reached_code(source, entry) if each.qualname for node in each.nodes]


def _replaceable(
    called: list[ast.AST], imported: Mapping[str, str], defined: frozenset[str]
) -> Iterator[str]:
    for node in called:
        if isinstance(node, ast.Call):
            name = dotted(node.func, imported)
            if name in defined or ("." in name and root_of(node.func) in imported):
                yield name


def _used(
    nodes: Sequence[ast.AST], imported: Mapping[str, str], defined: frozenset[str]
) -> list[str]:
    used = [dotted(node, imported) for node in nodes if isinstance(node, ast.Attribute | ast.Name)]
    return [name for name in used if name and name not in defined]


def _beneath(names: list[str], roots: tuple[str, ...]) -> Iterator[str]:
    """The names that are one of the roots, or an attribute of one."""
    for name in names:
        if any(name == root or name.startswith(f"{root}.") for root in roots):
            yield name


def _raised(nodes: Sequence[ast.AST], imported: Mapping[str, str]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            yield dotted(raised, imported)


def _sorted(names: Iterator[str] | list[str]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))


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
            named = _named(_Written(cut.unit.span.of(source.text), cut.node))
            left.meet(named.reads, named.attributes)
        fresh = left.taken()
    return (*(_reached(cut) for cut in taken), *_loaded(source))


class _Named(Struct, frozen=True):
    reads: frozenset[str]
    attributes: frozenset[str]


class _Written:
    """A function, which is the same in all texts that have it."""

    def __init__(self, text: str, node: FunctionNode) -> None:
        self.text, self.node = text, node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Written) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


# A memo of a pure function: what the functions of a file reach is in the programs of them all.
@lru_cache(maxsize=4096)
def _named(written: _Written) -> _Named:
    node = written.node
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
    for node in source.tree.body:
        if not isinstance(node, Definition) and not is_main_guard(node):
            yield Reached("", tuple(_executed(node)), 1)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """What is executed with a statement: everything in it but the bodies of functions."""
    if not any(isinstance(each, FunctionNode) for each in ast.walk(node)):
        yield node
    elif isinstance(node, FunctionNode):
        yield from (node.args, *node.decorator_list)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _executed(child)
