"""Tells what a program seems to need besides its arguments, by the names in its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from assay_engine.reading.input_output import dotted, imported_names, input_output, root_of
from assay_engine.reading.reachable import reached_code
from assay_engine.reading.specification import cut_in_program
from assay_engine.syntax.parsing import Fault, parse
from assay_engine.syntax.source import read_source
from assay_engine.syntax.statements import Definition
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
    tree = parse(specification.program)
    if isinstance(tree, Fault):
        return Needs((), (), (), ())
    nodes = list(ast.walk(tree))
    imported = imported_names(nodes)
    defined = frozenset(node.name for node in nodes if isinstance(node, Definition))
    used = _used(nodes, imported, defined)
    reached = [each.name for each in input_output(tree.body, imported, defined)]
    called = _called(specification)
    near = _used([node for root in called for node in ast.walk(root)], imported, defined)
    reaching = list(input_output(called, imported, defined))
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


def _called(specification: Specification) -> list[ast.AST]:
    """The code that runs when the function is called, as far as names tell.

    Scenes are set for no other code.
    """
    source = read_source(specification.program)
    entry = cut_in_program(specification, source)
    if entry is None:
        return []
    return [node for each in reached_code(source, entry) if each.qualname for node in each.nodes]


def _replaceable(
    called: list[ast.AST], imported: dict[str, str], defined: frozenset[str]
) -> Iterator[str]:
    for root in called:
        for node in ast.walk(root):
            if isinstance(node, ast.Call):
                name = dotted(node.func, imported)
                if name in defined or ("." in name and root_of(node.func) in imported):
                    yield name


def _used(nodes: list[ast.AST], imported: dict[str, str], defined: frozenset[str]) -> list[str]:
    used = [dotted(node, imported) for node in nodes if isinstance(node, ast.Attribute | ast.Name)]
    return [name for name in used if name and name not in defined]


def _beneath(names: list[str], roots: tuple[str, ...]) -> Iterator[str]:
    """The names that are one of the roots, or an attribute of one."""
    for name in names:
        if any(name == root or name.startswith(f"{root}.") for root in roots):
            yield name


def _raised(nodes: list[ast.AST], imported: dict[str, str]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            yield dotted(raised, imported)


def _sorted(names: Iterator[str] | list[str]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name}))
