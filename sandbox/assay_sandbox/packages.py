"""Which large packages a program imports first of all, so that a zygote can have done it before."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .programs import Call, Program, Surroundings

# Those that take long to import, and the ones among them that they import themselves.
_LARGE: Final[dict[str, tuple[str, ...]]] = {
    "networkx": (),
    "numpy": (),
    "pandas": ("numpy",),
    "scipy": ("numpy",),
}
# Whose parts are imported as they are asked for: each part is one of its own.
_IN_PARTS: Final = frozenset({"scipy"})
# What goes beyond is no import that a person writes; looking through it would take its time.
_HEAD_MAX: Final = 20_000
_LINE_MAX: Final = 200
# A line is written by whom nobody knows: nothing here gives back what it has matched.
_HARMLESS: Final = frozenset({*sys.stdlib_module_names, *_LARGE})
_NOTHING: Final = re.compile(r"\s*(?:#.*)?\Z")
_DOCSTRING: Final = re.compile(
    r"""[rR]?(\"{3}|'{3})(?:(?!\1)[^\\]|\\.)*+\1[ \t]*(?:#[^\n]*)?(?=\n|\Z)""", re.DOTALL
)
_IMPORT: Final = re.compile(r"import[ \t]++(?P<names>[\w., \t]++)(?:#.*)?\Z")
_FROM: Final = re.compile(
    r"from[ \t]++(?P<name>\w[\w.]*+)[ \t]++import[ \t]++"
    r"(?P<parts>[\w, \t*]++|\([\w, \t]*+\)[ \t]*+)(?:#.*)?\Z"
)


@dataclass(frozen=True, slots=True)
class Imports:
    """What a program imports before it does anything else, and modules of its own.

    Where one of these has been looked for by a package, the package found another, or none.
    `at_once`: it imports nothing but what every worker has loaded as it starts.
    """

    first: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    at_once: bool = False


def imports_of(program: Program) -> Imports:
    """By the program's text alone. Imports written in an unusual way are not recognised, which only
    costs time."""
    own = frozenset(_top(name) for name, _source in program.modules)
    found: set[str] = set()
    for path in _leading(program.source):
        name = _top(path)
        if name in own or name not in _HARMLESS:
            # Who knows what that does before the others are imported.
            break
        if name in _LARGE:
            found.add(path if name in _IN_PARTS else name)
    implied = {other for path in found for other in _LARGE[_top(path)]}
    return Imports(tuple(sorted(found - implied)), own)


def can_be_imported_first(calls: Sequence[Call], surroundings: Surroundings) -> bool:
    """Not where clocks stand still: packages take what they want of a clock on being imported."""
    return surroundings.frozen_time is None and all(call.scene is None for call in calls)


def _leading(source: str) -> Iterator[str]:
    """The paths that are imported before there is any other statement but a docstring: modules, or
    what is taken from them."""
    head = source[:_HEAD_MAX].replace("\r\n", "\n")
    if "\r" in head:
        # Ends a line for Python, and for nothing that is said here.
        return
    docstring = _DOCSTRING.match(head)
    for line in head[docstring.end() if docstring else 0 :].split("\n"):
        if len(line) > _LINE_MAX:
            return
        if _NOTHING.match(line):
            continue
        several, one = _IMPORT.match(line), _FROM.match(line)
        if several:
            yield from (each.split()[0] for each in several["names"].split(",") if each.split())
        elif one and one["name"] in _IN_PARTS:
            parts = one["parts"].strip("() \t").split(",")
            yield from (f"{one['name']}.{each.split()[0]}" for each in parts if each.split())
        elif one:
            yield one["name"]
        else:
            return


def _top(name: str) -> str:
    return name.partition(".")[0].strip()
