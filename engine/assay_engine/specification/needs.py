"""Tells what a program seems to need besides its arguments, by the names in its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import compress

from msgspec import Struct

from assay_engine.specification.specification import cut_in_program
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
    raised = (
        each.exc.func if isinstance(each.exc, ast.Call) else each.exc
        for each in nodes
        if isinstance(each, ast.Raise) and each.exc is not None
    )
    # Scenes are set for no other code than what runs when the function is called.
    entry = cut_in_program(specification, source)
    reached = () if entry is None else _reached(source, entry)
    called = [node for cut in reached for each in cut.node.body for node in ast.walk(each)]
    near = _used(called, imported, defined)
    reaching = list(among(called, imported, defined))
    mockable = defined - {specification.entry.split(".", 1)[0]}
    replaceable = (
        name
        for node in called
        if isinstance(node, ast.Call)
        and (name := dotted(node.func, imported))
        and (name in mockable or ("." in name and root_of(node.func) in imported))
    )
    return Needs(
        outside=_sorted(
            [each.name for each in among(nodes, imported, defined)] + _beneath(used, _ENVIRONMENT)
        ),
        stdin=_sorted(_beneath(used, _STDIN)),
        chance=_sorted(name for name in _beneath(used, _CHANCE) if name in imported.values()),
        raised=_sorted(dotted(each, imported) for each in raised),
        files=_sorted(each.name for each in reaching if each.staged),
        clocks=_sorted(name for name in near if name in _CLOCKS),
        environment=_sorted(_beneath(near, _ENVIRONMENT[:2])),
        network=_sorted(each.name for each in reaching if each.answered),
        replaceable=_sorted(replaceable),
    )


def _used(
    nodes: Sequence[ast.AST], imported: Mapping[str, str], defined: frozenset[str]
) -> list[str]:
    used = [dotted(node, imported) for node in nodes if isinstance(node, ast.Attribute | ast.Name)]
    return [name for name in used if name and name not in defined]


def _beneath(names: list[str], roots: tuple[str, ...]) -> list[str]:
    """The names that are one of the roots, or an attribute of one."""
    return [each for each in names if any(f"{each}.".startswith(f"{root}.") for root in roots)]


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))


_CONSTRUCTION = ("__new__", "__init__", "__post_init__", "__init_subclass__")


def _reached(source: Source, entry: Cut) -> list[Cut]:
    """The entry, and what it may call of the same text.

    A method is reached by its bare name once its class is reached, because nothing is known of
    types here.
    """
    left = [
        each
        for each in cut_units(source)
        if each != entry and all(isinstance(outer, ast.ClassDef) for outer in each.enclosing)
    ]
    reads = {outer.name for outer in entry.enclosing}
    attributes = set(_CONSTRUCTION)
    found: list[Cut] = []
    fresh = [entry]
    while fresh:
        found += fresh
        for cut in fresh:
            reads |= names_of([cut.node]).reads
            nodes = ast.walk(cut.node)
            attributes |= {each.attr for each in nodes if isinstance(each, ast.Attribute)}
        met = [
            (cut.enclosing[0].name in reads and cut.node.name in attributes)
            if cut.enclosing
            else cut.node.name in reads
            for cut in left
        ]
        fresh = list(compress(left, met))
        left = [cut for cut, is_met in zip(left, met, strict=True) if not is_met]
    return found
