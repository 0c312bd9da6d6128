"""Finds the place of a function in a text, and its surroundings."""

from __future__ import annotations

import ast
from bisect import bisect_right
from unicodedata import normalize

from msgspec import Struct

from assay_engine.source.identifiers import FunctionNode, type_parameters
from assay_engine.source.layout import leading_space
from assay_engine.source.scopes import names_living_in
from assay_engine.source.text import (
    Definition,
    Source,
    first_line,
    last_line,
    line_start,
    line_text,
)
from assay_engine.source.units import child_statements
from assay_engine.types import Unit
from assay_engine.words import LINE_BREAK

DEFAULT_STEP = "    "


class Place(Struct, frozen=True):
    """A function in a text.

    `enclosing` are the definitions around it, outermost first. `top` is the index of the top-level
    statement that contains the function or is the function itself.
    """

    source: Source
    function: FunctionNode
    enclosing: tuple[Definition, ...]
    top: int

    @property
    def top_statement(self) -> ast.stmt:
        return self.source.tree.body[self.top]

    @property
    def is_in_class(self) -> bool:
        return any(isinstance(each, ast.ClassDef) for each in self.enclosing)

    @property
    def margin(self) -> str:
        """The indentation of the header."""
        return leading_space(line_text(self.source, self.function.lineno))

    @property
    def newline(self) -> str:
        """The line break in use at the function's place."""
        start = line_start(self.source, first_line(self.function))
        found = LINE_BREAK.search(self.source.text, start) or LINE_BREAK.search(self.source.text)
        return found[0] if found else "\n"


def locate(source: Source, unit: Unit) -> Place | None:
    """The place of a unit in the text it was cut from; None if the text has changed since."""
    at = unit.name_span.start
    # Names are compared as Python reads them: `ﬁnd` with a ligature is `find`.
    if normalize("NFKC", source.text[at : unit.name_span.end]) != unit.name:
        return None
    line = bisect_right(source.starts, at)
    path: list[Definition] = []
    tops = [
        index
        for index, statement in enumerate(source.tree.body)
        if first_line(statement) <= line <= last_line(statement)
    ]
    pending: list[ast.AST] = [source.tree.body[index] for index in tops]
    while pending:
        node = pending.pop()
        # `except` and `case` clauses are no statements. `case` clauses do not even have lines.
        if isinstance(node, ast.stmt) and not first_line(node) <= line <= last_line(node):
            continue
        if isinstance(node, Definition):
            path.append(node)
        pending.extend(child_statements(node))
    function = path[-1] if path else None
    if not isinstance(function, FunctionNode) or function.name != unit.name:
        return None
    header_end = source.span(function.body[0]).start
    if not source.span(function).start < at < header_end:
        return None
    return Place(source, function, tuple(path[:-1]), tops[0])


def names_around(place: Place) -> frozenset[str]:
    """The names that hide names of the module from the function's body.

    They are the names of the functions around it, and type parameters.
    """
    functions = [each for each in place.enclosing if isinstance(each, FunctionNode)]
    declared = [
        getattr(each, "name", "")
        for definition in (*place.enclosing, place.function)
        for each in type_parameters(definition)
    ]
    return frozenset(declared).union(*map(names_living_in, functions))


def indentation_step(place: Place) -> str:
    """One level of indentation as the code around the function has it."""
    own = _step_into(place.source, place.function)
    if own:
        return own
    outer = next((each for each in reversed(place.enclosing)), None)
    if outer is not None:
        return _step_into(place.source, outer) or DEFAULT_STEP
    steps = (
        _step_into(place.source, each)
        for each in place.source.tree.body
        if isinstance(each, Definition)
    )
    return next((each for each in steps if each), DEFAULT_STEP)


def _step_into(source: Source, definition: Definition) -> str:
    """The indentation that a body adds to its header's; empty for a body on the header's line."""
    before = line_text(source, definition.body[0].lineno)
    inside = leading_space(before)
    margin = leading_space(line_text(source, definition.lineno))
    return inside.removeprefix(margin) if colon_before(source, definition) is None else ""


def colon_before(source: Source, definition: Definition) -> int | None:
    """The offset after the header's colon, if the body starts on the header's (logical) line."""
    text = source.text
    at = source.span(definition.body[0]).start
    if isinstance(first := definition.body[0], Definition) and first.decorator_list:
        return None
    while at > 0:
        before = text[at - 1]
        if before in " \t\f":
            at -= 1
        elif before in "\r\n":
            at -= 2 if text[at - 2 : at] == "\r\n" else 1
            if text[at - 1 : at] != "\\":
                return None
            at -= 1
        else:
            return at if before == ":" else None
    return None
