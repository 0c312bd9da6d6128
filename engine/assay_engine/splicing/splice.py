"""Puts a candidate's body in the place of the user's, and leaves all other code as it was.

Checks edits before anybody sees them: does the text that they make say what was meant?
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.splicing.body import body_edits, body_step, with_annotations_as_meant
from assay_engine.splicing.edits import apply_edits, in_order, moved
from assay_engine.splicing.imports import first_free_line, import_edits
from assay_engine.splicing.place import Place, indentation_step, locate
from assay_engine.splicing.planning import Luggage, luggage_of, plan, renamed
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.layout import reindent
from assay_engine.syntax.parsing import last_name
from assay_engine.syntax.scopes import is_generator, own_nodes
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
    own = renamed(candidate, planned.names)
    function = own and last_function(own.tree.body, unit.name)
    if own is None or function is None:
        return "names that the candidate defines are already used in this file"
    own = with_annotations_as_meant(own, function, source)
    function = last_function(own.tree.body, unit.name) or function
    local = [each.statement() for each in planned.local_imports]
    body = body_edits(place, own, function, local)
    above = source.tree.body[: place.top]
    imports = import_edits(source, above, place.newline, planned.module_imports)
    helpers = _helper_edits(place, own, function, luggage, imports)
    if body is None or helpers is None:
        return "the candidate cannot be moved to another indentation"
    edits = in_order([*imports, *helpers, *body])
    if not is_as_meant(place, unit, edits, function, len(local)):
        return "the file with the candidate in it would not parse as intended"
    return edits


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
        if unit.is_generator:
            return "it is a generator, and the candidate does not return an iterator"
        return "the candidate is a generator, and it does not return an iterator"
    wanted, found = (
        [each.arg for each in arguments_of(one.args)] for one in (place.function, function)
    )
    if wanted != found:
        return "the candidate calls its parameters differently"
    classless: list[ast.AST] = [candidate.tree.body[index] for index in luggage.places]
    classless += [] if place.is_in_class else [function]
    while classless:
        match classless.pop():
            case ast.Name(id="__class__") | ast.Call(func=ast.Name(id="super"), args=[]):
                return "the candidate uses `super()` or `__class__` outside a class"
            case ast.ClassDef():
                pass
            case node:
                classless.extend(ast.iter_child_nodes(node))
    return None


def _helper_edits(
    place: Place,
    candidate: Source,
    function: FunctionNode,
    luggage: Luggage,
    imports: Sequence[Edit],
) -> tuple[Edit, ...] | None:
    """The edit that puts helpers above the function's top-level statement and its comments.

    Neighbouring simple statements are joined. None if a helper cannot be moved to another
    indentation.
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
        if is_simple and was_simple:
            texts[-1] += f"\n{text}"
        else:
            texts.append(text)
        was_simple = is_simple
    if not texts:
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
    text = "\n" * max(0, lacking) + "\n\n\n".join(texts) + "\n\n\n"
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
    if found is None:
        return False
    around, around_before = (
        [(type(each), each.name) for each in one.enclosing] for one in (found, place)
    )
    body = statements_after_docstring(found.function)[local_imports:]
    return (
        around == around_before
        and _header(found.function) == _header(place.function)
        and [*map(ast.dump, body)] == [*map(ast.dump, statements_after_docstring(candidate))]
    )


def _header(function: FunctionNode) -> tuple[str, ...]:
    docstring = docstring_statement(function)
    return (
        type(function).__name__,
        function.name,
        ast.dump(function.args),
        *map(ast.dump, function.decorator_list),
        ast.dump(function.returns) if function.returns else "",
        ast.dump(docstring) if docstring else "",
    )


_ANNOTATIONS = frozenset({"Generator", "Iterator"})
_BUILTIN = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})
# A user's function with such a name may return something else; this shows when it is run.
_FROM_ITERTOOLS = frozenset({*vars(itertools), "batched", "from_iterable"} - {"tee"})


def gives_iterator(
    function: FunctionNode, module: list[ast.stmt], asked: frozenset[str] = frozenset()
) -> bool:
    """Whether a function is a generator, or returns nothing but iterators, and is not async.

    `module` are the statements that the function stands among. They tell what other functions
    there return. Nothing is known of those `asked` about before.
    """
    if isinstance(function, ast.AsyncFunctionDef) or function.name in asked:
        return False
    if is_generator(function):
        return True
    if function.returns is not None and last_name(function.returns) in _ANNOTATIONS:
        return True
    nodes = tuple(own_nodes(function))
    asked = asked | {function.name}

    def iterates(value: ast.expr | None, names: frozenset[str] = frozenset()) -> bool:
        match value:
            case ast.GeneratorExp():
                return True
            case ast.IfExp():
                return iterates(value.body, names) and iterates(value.orelse, names)
            case ast.Name(id=name) if name not in names:
                given = [
                    node.value
                    for node in nodes
                    if isinstance(node, ast.Assign)
                    for target in node.targets
                    if isinstance(target, ast.Name) and target.id == name
                ]
                return bool(given) and all(iterates(each, names | {name}) for each in given)
            case ast.Call(func=ast.Name() | ast.Attribute() as what):
                name = last_name(what)
                if name in _FROM_ITERTOOLS:
                    return True
                if not isinstance(what, ast.Name):
                    return False
                called = last_function(function.body, name) or last_function(module, name)
                return name in _BUILTIN if called is None else gives_iterator(called, module, asked)
            case _:
                return False

    found = [each.value for each in nodes if isinstance(each, ast.Return)]
    return bool(found) and all(map(iterates, found))
