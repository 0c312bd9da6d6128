"""Puts a candidate's body in the place of the user's, and leaves all other code as it was.

Checks edits before anybody sees them: does the text that they make say what was meant?
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from assay_engine.splicing.body import body_edits, body_step, with_annotations_as_meant
from assay_engine.splicing.edits import apply_edits, in_order, moved
from assay_engine.splicing.imports import first_free_line, import_edits
from assay_engine.splicing.place import Place, indentation_step, locate
from assay_engine.splicing.planning import Luggage, SplicePlan, luggage_of, plan
from assay_engine.splicing.renaming import renamed
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.layout import reindent
from assay_engine.syntax.returned import gives_iterator
from assay_engine.syntax.scopes import is_generator
from assay_engine.syntax.text import (
    Definition,
    Source,
    comments_above,
    docstring_statement,
    first_line,
    last_function,
    last_line,
    line_start,
    line_text,
    read_source,
    statement_text,
    statements_after_docstring,
    with_newlines,
)
from assay_engine.types import Edit, Problem, ProblemKind, Span, Unit


def splice(text: str, unit: Unit, candidate_source: str) -> tuple[Edit, ...] | Problem:
    """The edits that give a function another body, and the file what this body needs.

    Decorators, header, docstring and the comments above stay as they are. The candidate's imports
    go into the import block. Its helpers go above the function, and are renamed where their names
    are taken. The edits are in order and do not overlap. If there are none, a problem says why.
    Never raises.
    """
    try:
        outcome = _spliced(text, unit, candidate_source)
    except RecursionError:
        outcome = "the code is nested too deeply to be rewritten"
    if isinstance(outcome, str):
        return Problem(ProblemKind.NO_REPLACEMENT, f"`{unit.name}` cannot be replaced: {outcome}.")
    return outcome


def _spliced(text: str, unit: Unit, candidate_source: str) -> tuple[Edit, ...] | str:
    source = read_source(text)
    if source.problems:
        return "the file does not parse; fix its syntax first"
    place = locate(source, unit)
    if place is None:
        return "it is no longer where it was; check the file again"
    candidate = read_source(candidate_source)
    function = last_function(candidate.tree.body, unit.name)
    if candidate.problems or function is None:
        return f"the candidate does not define `{unit.name}`"
    luggage = luggage_of(candidate, function)
    reason = _mismatch(place, candidate, function, luggage, unit)
    if reason:
        return reason
    planned = plan(place, candidate, luggage, unit.name)
    if isinstance(planned, str):
        return planned
    return _edited(place, unit, candidate, luggage, planned)


def _mismatch(
    place: Place, candidate: Source, function: FunctionNode, luggage: Luggage, unit: Unit
) -> str | None:
    """A clause that says why the candidate is another kind of function; None if it is not."""
    if not statements_after_docstring(function):
        return "the candidate has no body"
    if isinstance(function, ast.AsyncFunctionDef) != unit.is_async:
        return "one of the two is async and the other is not"
    if is_generator(function) != unit.is_generator and not (
        gives_iterator(function, candidate.tree.body)
        and gives_iterator(place.function, place.source.tree.body)
    ):
        return _other_than_generator(unit)
    wanted, found = (
        [each.arg for each in arguments_of(one.args)] for one in (place.function, function)
    )
    if wanted != found:
        return "the candidate calls its parameters differently"
    helpers = [candidate.tree.body[index] for index in luggage.places]
    if any(_needs_a_class(helpers)) or (not place.is_in_class and any(_needs_a_class([function]))):
        return "the candidate uses `super()` or `__class__` where there is no class around"
    return None


def _other_than_generator(unit: Unit) -> str:
    if unit.is_generator:
        return "it is a generator, and the candidate returns something else than an iterator"
    return "the candidate is a generator, and it returns something else than an iterator"


def _needs_a_class(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and node.id == "__class__":
            yield node
        if isinstance(node, ast.Call) and not node.args and isinstance(node.func, ast.Name):
            yield from [node] if node.func.id == "super" else []
        if not isinstance(node, ast.ClassDef):
            pending.extend(ast.iter_child_nodes(node))


def _edited(
    place: Place, unit: Unit, candidate: Source, luggage: Luggage, planned: SplicePlan
) -> tuple[Edit, ...] | str:
    own = renamed(candidate, planned.names)
    function = own and last_function(own.tree.body, unit.name)
    if own is None or function is None:
        return "names that the candidate brings along are taken in this file"
    own = with_annotations_as_meant(own, function, place.source)
    function = last_function(own.tree.body, unit.name) or function
    local = [each.statement() for each in planned.local_imports]
    body = body_edits(place, own, function, local)
    helpers = _helper_texts(place, own, function, luggage)
    if body is None or helpers is None:
        return "the candidate cannot be moved to another indentation"
    imports = import_edits(
        place.source, place.source.tree.body[: place.top], place.newline, planned.module_imports
    )
    edits = in_order([*imports, *_helper_edits(place, helpers, imports), *body])
    if not is_as_meant(place, unit, edits, function, len(local)):
        return "the file with the candidate in it would not say what it should"
    return edits


def _helper_texts(
    place: Place, candidate: Source, function: FunctionNode, luggage: Luggage
) -> list[str] | None:
    """The helpers' texts for the file; neighbouring simple statements are joined.

    None if one of them cannot be moved to another indentation.
    """
    statements = candidate.tree.body
    texts: list[str] = []
    was_simple = False
    for index in luggage.places:
        floor = last_line(statements[index - 1]) + 1 if index else 1
        text = reindent(
            statement_text(candidate, statements[index], floor),
            old_step=body_step(candidate, function),
            indent="",
            step=indentation_step(place),
        )
        if text is None:
            return None
        is_simple = not isinstance(statements[index], Definition)
        if texts and is_simple and was_simple:
            texts[-1] += f"\n{text}"
        else:
            texts.append(text)
        was_simple = is_simple
    return texts


def _helper_edits(place: Place, helpers: list[str], imports: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edit that puts helpers above the function's top-level statement and its comments."""
    if not helpers:
        return ()
    source = place.source
    before = last_line(source.tree.body[place.top - 1]) + 1 if place.top else 1
    floor = max(before, first_free_line(source))
    line = comments_above(source, first_line(place.top_statement), floor)
    offset = line_start(source, line)
    above = next((each.new_text for each in imports if each.span.start == offset), None)
    if above is None:
        blank = 0
        while line - blank > 1 and not line_text(source, line - blank - 1).strip():
            blank += 1
        lacking = 2 - blank if line - blank > 1 else 0
    else:
        content = with_newlines(above, "\n")
        lacking = 2 - (len(content) - len(content.rstrip("\n")) - 1)
    text = "\n" * max(0, lacking) + "\n\n\n".join(helpers) + "\n\n\n"
    return (Edit(Span(offset, offset), with_newlines(text, place.newline)),)


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
