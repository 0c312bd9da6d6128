"""Replaces the body of one function by that of another, or adds an example to its docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import takewhile

from assay_engine.splicing.edits import apply_edits
from assay_engine.splicing.place import DEFAULT_STEP, Place, colon_before, indentation_step
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.layout import leading_space, reindent
from assay_engine.syntax.parsing import split_lines
from assay_engine.syntax.text import (
    Source,
    docstring_statement,
    first_line,
    last_line,
    line_start,
    line_text,
    read_source,
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
    first = statements_after_docstring(function)[0]
    start = candidate.span(first).start
    if not candidate.text[line_start(candidate, first.lineno) : start].strip():
        docstring = docstring_statement(function)
        above = last_line(docstring) if docstring else function.lineno
        start = line_start(candidate, _first_line_with_comments(candidate, first, above))
    end = candidate.line_end(candidate.span(function).end)
    body = reindent(
        with_newlines(candidate.text[start:end], "\n"),
        old_step=body_step(candidate, function),
        indent=indent,
        step=step,
    )
    if body is None:
        return None
    lines = [*(indent + ast.unparse(each) for each in local_imports), body]
    text = with_newlines("\n".join(lines), place.newline)

    source, replaced = place.source, place.function
    colon = colon_before(source, replaced)
    docstring = docstring_statement(replaced)
    end = source.line_end(source.span(replaced).end)
    if docstring is None:
        if colon is not None:
            return (Edit(Span(colon, end), place.newline + text),)
        line = _first_line_with_comments(source, replaced.body[0], replaced.lineno)
        return (Edit(Span(line_start(source, line), end), text),)
    shown = source.span(docstring)
    # A docstring behind the colon moves to a line of its own, so that a block can follow it.
    moved = () if colon is None else (Edit(Span(colon, shown.start), place.newline + indent),)
    rest = statements_after_docstring(replaced)
    if rest and first_line(rest[0]) > last_line(docstring):
        line = _first_line_with_comments(source, rest[0], last_line(docstring))
        return (*moved, Edit(Span(line_start(source, line), end), text))
    start = shown.end if rest else end
    return (*moved, Edit(Span(start, end), place.newline + text))


def _first_line_with_comments(source: Source, statement: ast.stmt, above: int) -> int:
    """The line on which a body begins: the first comment before `statement`, or the statement.

    Comments at or above the line `above` do not count. Blank lines between the comments belong to
    them, blank lines before them do not.
    """
    line = first_line(statement)
    while line - 1 > above and line_text(source, line - 1).strip(" \t\f")[:1] in ("", "#"):
        line -= 1
    while not line_text(source, line).strip():
        line += 1
    return line


def body_step(source: Source, function: FunctionNode) -> str:
    first = statements_after_docstring(function)[0]
    return leading_space(line_text(source, first_line(first))) or DEFAULT_STEP


def with_annotations_as_meant(candidate: Source, target: FunctionNode, file: Source) -> Source:
    """The candidate as it stands, or with its annotations as strings.

    They become strings if only the candidate has ``from __future__ import annotations``, under
    which annotations are strings: a class may name itself in them. The target's header is not used.
    """
    if not _postpones(candidate.tree) or _postpones(file.tree):
        return candidate
    evaluated: list[ast.expr | None] = []
    pending: list[tuple[ast.AST, bool]] = [(candidate.tree, False)]
    while pending:
        node, is_in_function = pending.pop()
        is_function = isinstance(node, FunctionNode)
        if is_function and node is not target:
            evaluated += [*(each.annotation for each in arguments_of(node.args)), node.returns]
        if isinstance(node, ast.AnnAssign) and not is_in_function:
            evaluated.append(node.annotation)
        inside = is_function or (is_in_function and not isinstance(node, ast.ClassDef))
        pending.extend((each, inside) for each in ast.iter_child_nodes(node))
    edits: list[Edit] = []
    for each in evaluated:
        if each is None or (isinstance(each, ast.Constant) and isinstance(each.value, str)):
            continue
        text = candidate.segment(each)
        is_plain = not any(mark in text for mark in '"\\\r\n')
        edits.append(
            Edit(candidate.span(each), f'"{text}"' if is_plain else repr(ast.unparse(each)))
        )
    return read_source(apply_edits(candidate.text, edits))


def _postpones(tree: ast.Module) -> bool:
    return any(
        isinstance(each, ast.ImportFrom)
        and each.module == "__future__"
        and any(alias.name == "annotations" for alias in each.names)
        for each in tree.body
    )


# A single literal, and not several adjacent ones that Python joins.
_LITERAL = re.compile(
    r"(?P<prefix>[rRuU]?)(?P<quote>\"\"\"|'''|\"|')(?P<inner>(?:\\.|(?!(?P=quote)).)*)(?P=quote)",
    re.DOTALL,
)
_TRIPLE = '"""'


def with_example(place: Place, example: str) -> Edit | None:
    """The edit that adds the example's lines to the end of the docstring.

    None if the docstring is no plain literal. Whoever carries out the edit has to check that the
    result is as meant.
    """
    statement = docstring_statement(place.function)
    if statement is None:
        return None
    span = place.source.span(statement.value)
    literal = _LITERAL.fullmatch(place.source.text, span.start, span.end)
    if literal is None:
        return None
    prefix, quote, kept = literal["prefix"], literal["quote"], literal["inner"].rstrip()
    triple = quote if len(quote) == len(_TRIPLE) else _TRIPLE
    lines = example.split("\n")
    if prefix not in ("r", "R"):
        escaped = "\\" + "\\".join(triple)
        lines = [line.replace("\\", "\\\\").replace(triple, escaped) for line in lines]
    before = split_lines(kept)
    # The first line of a docstring says nothing about the indentation of the others.
    margins = [leading_space(line) for line in before[1:] if line.strip()]
    indent = min(margins, key=len, default=place.margin + indentation_step(place))
    # The example continues a session directly; a blank line sets it apart from anything else.
    paragraph = takewhile(str.strip, reversed(before))
    gap = [] if any(line.lstrip().startswith(">>>") for line in paragraph) else [""]
    tail = place.newline.join(
        ["", *gap, *(f"{indent}{line}".rstrip() for line in lines), indent],
    )
    if triple == quote:
        start = literal.start("inner") + len(kept)
        return Edit(Span(start, literal.end("inner")), tail)
    return Edit(span, f"{prefix}{triple}{kept}{tail}{triple}")
