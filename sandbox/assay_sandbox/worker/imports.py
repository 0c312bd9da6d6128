"""Imports ahead of the confinement: of standard modules alone.

Most are for the tier that forbids opening files, where what a program's text names has to be there.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

# The path while the worker itself is imported. Some standard modules try others that a system need
# not have; what is found of that name among packages may run in confinement only.
_PATH = tuple(sys.path)

# Importing these does something, or brings what cannot work without files anyway.
NEVER = frozenset(("antigravity", "this", "idlelib", "lib2to3", "turtle", "turtledemo", "tkinter"))


def import_standard(name: str) -> None:
    """Import a module of the standard library."""
    path = sys.path[:]
    sys.path[:] = _PATH
    try:
        __import__(name)
    finally:
        sys.path[:] = path


def import_ahead(source: str) -> None:
    """Import standard modules that `source` names; errors are left to the program to meet."""
    for name in _named(source):
        first = name.partition(".")[0]
        if first in NEVER or first not in _standard():
            continue
        try:
            import_standard(name)
        except Exception:
            # The program's own import of it will say so, in its own place.
            continue


def _standard() -> "frozenset[str]":
    names = getattr(sys, "stdlib_module_names", None)
    # Python 3.9 does not know; what it has loaded is a safe part of it.
    return frozenset(sys.modules) if names is None else names


def _named(source: str) -> List[str]:
    # Only this tier needs it, and it takes a while to import.
    import ast

    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: List[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append(node.module)
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found
