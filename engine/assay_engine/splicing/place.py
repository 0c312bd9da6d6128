"""Finds the place of a function in a text, and its surroundings."""

from __future__ import annotations

import ast
from bisect import bisect_right

from msgspec import Struct

from assay_engine.syntax.identifiers import FunctionNode, type_parameters
from assay_engine.syntax.layout import leading_space
from assay_engine.syntax.scopes import names_living_in
from assay_engine.syntax.text import (
    Definition,
    Source,
    first_line,
    line_start,
    line_text,
)
from assay_engine.syntax.units import Cut, cuts_by_path
from assay_engine.types import Unit
from assay_engine.words import LINE_BREAK

DEFAULT_STEP = "    "


class Place(Struct, frozen=True):
    """A function in a text.

    `top` is the index of the top-level statement that contains the function or is the function
    itself.
    """

    source: Source
    cut: Cut
    top: int

    @property
    def function(self) -> FunctionNode:
        return self.cut.node

    @property
    def enclosing(self) -> tuple[Definition, ...]:
        """The definitions around the function, outermost first."""
        return self.cut.enclosing

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
    cuts = cuts_by_path(source).get(unit.path, ())
    cut = next((each for each in cuts if each.unit.name_span == unit.name_span), None)
    if cut is None:
        return None
    top = bisect_right(source.tree.body, cut.node.lineno, key=lambda each: each.lineno) - 1
    return Place(source, cut, top)


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
    if place.enclosing:
        return _step_into(place.source, place.enclosing[-1]) or DEFAULT_STEP
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
