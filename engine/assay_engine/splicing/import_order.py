"""The names that imports bind, and the order in which formatters sort imports."""

from __future__ import annotations

import ast
import sys

from msgspec import Struct

from assay_engine.syntax.needed import ImportNode


class Imported(Struct, frozen=True):
    """One name that an import binds. `name` is None for ``import module``."""

    level: int
    module: str
    name: str | None
    alias: str | None

    @property
    def bound(self) -> str:
        return self.alias or self.name or self.module.partition(".")[0]

    @property
    def target(self) -> tuple[int, str, str | None]:
        """The thing that the bound name stands for."""
        if self.name is None and self.alias is None:
            return (0, self.bound, None)
        return (self.level, self.module, self.name)

    def statement(self) -> ImportNode:
        if self.name is None:
            return ast.Import(names=[ast.alias(self.module, self.alias)])
        names = [ast.alias(self.name, self.alias)]
        return ast.ImportFrom(module=self.module or None, names=names, level=self.level)


def imported_by(statement: ImportNode) -> tuple[Imported, ...]:
    if isinstance(statement, ast.Import):
        return tuple(Imported(0, each.name, None, each.asname) for each in statement.names)
    module = statement.module or ""
    return tuple(
        Imported(statement.level, module, each.name, each.asname) for each in statement.names
    )


def order(line: ImportNode) -> tuple[bool, bool, str, int]:
    """The sort key for plain imports before from-imports, each by module."""
    is_late, module, level = order_by_module(line)
    return (is_late, isinstance(line, ast.ImportFrom), module, level)


def order_by_module(line: ImportNode) -> tuple[bool, str, int]:
    return (section(line) > 0, _module_of(line).lower(), getattr(line, "level", 0))


def section(line: ImportNode) -> int:
    """The number of an import's group in a sorted block: future, library, others, relative."""
    if isinstance(line, ast.ImportFrom) and line.level:
        return 3
    root = _module_of(line).partition(".")[0]
    if root == "__future__":
        return 0
    return 1 if root in sys.stdlib_module_names else 2


def _module_of(line: ImportNode) -> str:
    return line.names[0].name if isinstance(line, ast.Import) else line.module or ""


def order_of_names(wanted: Imported) -> tuple[tuple[bool, bool, str, int], tuple[int, str]]:
    return order(wanted.statement()), by_kind(wanted.name or "")


def by_kind(name: str) -> tuple[int, str]:
    """The sort key by which isort and ruff order a line's names: constants, classes, the rest."""
    if name.isupper() and len(name) > 1:
        return (0, name)
    return (1 if name[:1].isupper() else 2, name)
