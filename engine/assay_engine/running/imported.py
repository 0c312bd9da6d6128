"""Writes values with the names that the function's module has for their classes and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from assay_engine.reading.input_output import dotted, imported_names
from assay_engine.syntax.parsing import parse_expression, statements_in
from assay_engine.syntax.source import read_source

# Longer texts stay as they are: reading takes time, and nobody looks at more.
CHARACTERS_MAX = 20_000


def as_imported(text: str, program: str) -> str:
    """``date(2024, 1, 2)`` for ``datetime.date(2024, 1, 2)`` in a program that imports the class.

    In such a program, `datetime` may be another class, or nothing. Names that the program does not
    import stay as they are. So does text that is no expression or is very long.
    """
    names = _names(program)
    expression = parse_expression(text) if names and len(text) <= CHARACTERS_MAX else None
    if expression is None:
        return text
    # Positions count bytes, in the text without the white space around it.
    written = text.strip().encode()
    # Replace from the end on, so that the positions still to come stay right.
    for start, end, name in sorted(_named(expression, names), reverse=True):
        written = written[:start] + name.encode() + written[end:]
    return written.decode()


def _named(expression: ast.expr, names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where an expression has parts with another name in `names`, and that name; none overlap."""
    pending: list[ast.AST] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Attribute | ast.Name) and node.lineno == node.end_lineno == 1:
            name = names.get(dotted(node, {}))
            if name is not None and node.end_col_offset is not None:
                yield node.col_offset, node.end_col_offset, name
                continue
        pending.extend(ast.iter_child_nodes(node))


@lru_cache(maxsize=4)
def _names(program: str) -> Mapping[str, str]:
    """The program's own names for what it imports, by dotted name, where the two differ."""
    imported = imported_names(statements_in(read_source(program).tree.body))
    bound = imported.items()
    return {path: name for name, path in bound if name != path and path not in imported}
