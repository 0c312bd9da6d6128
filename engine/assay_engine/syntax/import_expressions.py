"""Writes modules as expressions: the modules used in inputs need not be bound in the program."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable

from assay_engine.syntax.names import bound_name
from assay_engine.syntax.parsing import parse

_WRITTEN = re.compile(
    r"__import__\('importlib'\)\.import_module\('(?P<inner>[\w.]+)'\)"
    r"|__import__\('(?P<top>\w+)'\)(?=\.)"
)


def import_expression(module: str) -> str:
    """An expression that gives the module of this dotted name."""
    if "." not in module:
        return f"__import__('{module}')"
    return f"__import__('importlib').import_module('{module}')"


def as_if_imported(text: str) -> str:
    """The text with modules by their names, as one would write it below imports of them."""
    return _WRITTEN.sub(lambda found: found["inner"] or found["top"], text)


def imports_as_expressions(statements: Iterable[str], without: Collection[str]) -> dict[str, str]:
    """Expressions for the names that imports among some statements bind, except for `without`."""
    found: dict[str, str] = {}
    for text in statements:
        tree = parse(text)
        for statement in tree.body if isinstance(tree, ast.Module) else ():
            match statement:
                case ast.Import(names=names):
                    for each in names:
                        # Without ``as``, the import binds the topmost module.
                        whole = f"__import__('{each.name}')"
                        made = import_expression(each.name) if each.asname else whole
                        found[bound_name(each)] = made
                case ast.ImportFrom(module=str() as module, names=names, level=0):
                    for each in names:
                        found[bound_name(each)] = f"{import_expression(module)}.{each.name}"
                case _:
                    pass
    # Nobody knows what a star import brings along.
    return {name: source for name, source in found.items() if name not in {*without, "*"}}
