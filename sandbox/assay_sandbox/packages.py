"""Finds the large packages a program imports first, so that a zygote can import them before."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .programs import Call, Program, Surroundings

# Packages that take long to import, and those among them that they import themselves.
_LARGE: Final[dict[str, tuple[str, ...]]] = {
    "networkx": (),
    "numpy": (),
    "pandas": ("numpy",),
    "scipy": ("numpy",),
}
# Packages whose parts are imported on demand: each part counts as a package of its own.
_IN_PARTS: Final = frozenset({"scipy"})
# Beyond these lengths there is no import that a person writes; searching there would take time.
_HEAD_MAX: Final = 20_000
_LINE_MAX: Final = 200
# The lines are untrusted: no pattern here gives back what it has matched.
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
    """The packages that a program imports before anything else.

    `at_once`: the program imports nothing but modules that every worker has loaded at its start.
    """

    first: tuple[str, ...] = ()
    at_once: bool = False


def imports_of(program: Program) -> Imports:
    """A program's imports, by its text alone. Imports written in an unusual way are not recognised,
    which only costs time."""
    found: set[str] = set()
    for path in _leading(program.source):
        name = _top(path)
        if name not in _HARMLESS:
            # It is unknown what this import does before the others.
            break
        if name in _LARGE:
            found.add(path if name in _IN_PARTS else name)
    implied = {other for path in found for other in _LARGE[_top(path)]}
    return Imports(tuple(sorted(found - implied)))


def can_be_imported_first(calls: Sequence[Call], surroundings: Surroundings) -> bool:
    """Not where clocks stand still: packages take references to the clock when imported."""
    return surroundings.frozen_time is None and all(call.scene is None for call in calls)


def _leading(source: str) -> Iterator[str]:
    """The paths imported before any other statement but a docstring: modules, or names from
    them."""
    head = source[:_HEAD_MAX].replace("\r\n", "\n")
    if "\r" in head:
        # A lone carriage return ends a line for Python, but not for these patterns.
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
