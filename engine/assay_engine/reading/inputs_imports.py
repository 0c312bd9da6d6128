"""Imports that a program needs for its inputs alone, and does not have."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from assay_engine.reading.pieces import read_pieces
from assay_engine.syntax.parsing import parse
from assay_engine.syntax.source import read_source

_FOR_FILES = "import io\n"


def imports_for_inputs(program: str, shown: str, *, takes_files: bool) -> str:
    """Of the imports that the docstring's examples show those of the standard library, and what
    files in memory are made with; as far as the program has nothing of these names."""
    tree = parse(shown + _FOR_FILES * takes_files)
    taken = set(read_pieces(read_source(program)).binds)
    lines: list[str] = []
    for statement in tree.body if isinstance(tree, ast.Module) else ():
        binds = dict(_bound(statement))
        if binds and taken.isdisjoint(binds) and sys.stdlib_module_names.issuperset(binds.values()):
            taken.update(binds)
            lines.append(f"{ast.unparse(statement)}\n")
    return "".join(lines)


def _bound(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with the top of the module that it comes from."""
    match statement:
        case ast.Import(names=names):
            for each in names:
                top = each.name.partition(".")[0]
                yield each.asname or top, top
        case ast.ImportFrom(module=str() as module, names=names, level=0):
            for each in names:
                yield each.asname or each.name, module.partition(".")[0]
        case _:
            pass
