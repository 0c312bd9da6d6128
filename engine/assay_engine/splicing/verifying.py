"""Checks edits before anybody sees them: does the text that they make say what was meant?"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.splicing.edits import apply_edits, moved
from assay_engine.splicing.place import Place, locate
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.source import read_source
from assay_engine.syntax.statements import docstring_statement, statements_after_docstring
from assay_engine.types import Edit, Span, Unit


def is_as_meant(
    place: Place, unit: Unit, edits: Sequence[Edit], candidate: FunctionNode, local_imports: int
) -> bool:
    """Whether the edits make the text that was meant.

    The new text must parse. The function must be in the same place under the same header, and have
    the candidate's body, strings and all.
    """
    result = read_source(apply_edits(place.source.text, edits))
    if result.problems:
        return False
    name = Span(moved(unit.name_span.start, edits), moved(unit.name_span.end, edits))
    found = locate(result, replace(unit, name_span=name))
    if found is None or _names(found) != _names(place):
        return False
    body = statements_after_docstring(found.function)[local_imports:]
    return _header(found.function) == _header(place.function) and [
        ast.dump(each) for each in body
    ] == [ast.dump(each) for each in statements_after_docstring(candidate)]


def _names(place: Place) -> list[tuple[type[ast.AST], str]]:
    return [(type(each), each.name) for each in (*place.enclosing, place.function)]


def _header(function: FunctionNode) -> tuple[str, ...]:
    docstring = docstring_statement(function)
    return (
        type(function).__name__,
        ast.dump(function.args),
        *map(ast.dump, function.decorator_list),
        ast.dump(function.returns) if function.returns else "",
        ast.dump(docstring) if docstring else "",
    )
