"""Replaces the body of one function by that of another."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from assay_engine.splicing.place import (
    DEFAULT_STEP,
    Place,
    colon_before,
    indentation_step,
)
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.indenting import leading_space, reindent
from assay_engine.syntax.source import Source
from assay_engine.syntax.statements import (
    docstring_statement,
    first_line,
    line_start,
    line_text,
    statements_after_docstring,
    with_newlines,
)
from assay_engine.types import Edit, Span


def body_edits(
    place: Place, candidate: Source, function: FunctionNode, local_imports: Sequence[ast.stmt]
) -> tuple[Edit, ...] | None:
    """The edits that replace the body after the docstring; None if the body cannot be tokenized."""
    step = indentation_step(place)
    indent = place.margin + step
    body = reindent(
        _body_text(candidate, function),
        old_step=body_step(candidate, function),
        indent=indent,
        step=step,
    )
    if body is None:
        return None
    lines = [*(indent + ast.unparse(each) for each in local_imports), body]
    return _edits(place, with_newlines("\n".join(lines), place.newline), indent)


def _edits(place: Place, body: str, indent: str) -> tuple[Edit, ...]:
    source, function, newline = place.source, place.function, place.newline
    colon = colon_before(source, function)
    docstring = docstring_statement(function)
    end = source.line_end(source.span(function).end)
    if docstring is None:
        if colon is not None:
            return (Edit(Span(colon, end), newline + body),)
        line = _first_line_with_comments(source, function.body[0], function.lineno)
        return (Edit(Span(line_start(source, line), end), body),)
    text = source.span(docstring)
    # A docstring behind the colon moves to a line of its own, so that a block can follow it.
    moved = () if colon is None else (Edit(Span(colon, text.start), newline + indent),)
    rest = statements_after_docstring(function)
    if rest and first_line(rest[0]) > (docstring.end_lineno or 0):
        line = _first_line_with_comments(source, rest[0], docstring.end_lineno or 0)
        return (*moved, Edit(Span(line_start(source, line), end), body))
    start = text.end if rest else end
    return (*moved, Edit(Span(start, end), newline + body))


def _body_text(source: Source, function: FunctionNode) -> str:
    """The text of the statements after the docstring, with their comments."""
    first = statements_after_docstring(function)[0]
    end = source.line_end(source.span(function).end)
    docstring = docstring_statement(function)
    above = (docstring.end_lineno or 0) if docstring else function.lineno
    start = source.offset(first.lineno, first.col_offset)
    if not source.text[line_start(source, first.lineno) : start].strip():
        start = line_start(source, _first_line_with_comments(source, first, above))
    return with_newlines(source.text[start:end], "\n")


def _first_line_with_comments(source: Source, statement: ast.stmt, above: int) -> int:
    """The line on which a body begins: the first comment before `statement`, or the statement.

    Comments at or above the line `above` do not count. Blank lines between the comments belong to
    them, blank lines before them do not.
    """
    line = first_line(statement)
    while line - 1 > above and _is_comment_or_blank(line_text(source, line - 1)):
        line -= 1
    while not line_text(source, line).strip():
        line += 1
    return line


def _is_comment_or_blank(line: str) -> bool:
    content = line.strip(" \t\f")
    return not content or content.startswith("#")


def body_step(source: Source, function: FunctionNode) -> str:
    first = statements_after_docstring(function)[0]
    return leading_space(line_text(source, first_line(first))) or DEFAULT_STEP
