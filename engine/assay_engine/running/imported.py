"""Values written with the names that their function's module has for what they are made with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from assay_engine.reading.input_output import dotted, imported_names
from assay_engine.syntax.parsing import parse_expression, statements_in
from assay_engine.syntax.source import read_source

# Reading takes time, and nobody looks at more.
CHARACTERS_MAX = 20_000


def as_imported(text: str, program: str) -> str:
    """``date(2024, 1, 2)`` for ``datetime.date(2024, 1, 2)`` in a program that imports the class.

    There, `datetime` may be another class, or nothing. Text that is no expression stays, as does
    what the program does not import, and what is very long.
    """
    names = _names(program)
    expression = parse_expression(text) if names and len(text) <= CHARACTERS_MAX else None
    if expression is None:
        return text
    # Positions are in bytes, and in what is left of it once white space around it is gone.
    written = text.strip().encode()
    # From the end on, so that what is to come stays where it is.
    for start, end, name in sorted(_named(expression, names), reverse=True):
        written = written[:start] + name.encode() + written[end:]
    return written.decode()


def _named(expression: ast.expr, names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where something has another name here, and that name; not within each other."""
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
    """What is called otherwise in this program than by its dotted name, and how."""
    imported = imported_names(statements_in(read_source(program).tree.body))
    bound = imported.items()
    return {path: name for name, path in bound if name != path and path not in imported}
