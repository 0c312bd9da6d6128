"""Replaces the body of one function by that of another.

Keeps a candidate's unevaluated annotations unevaluated in a file that evaluates annotations.

Adds an example to a docstring, as the docstring's author would have written it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from assay_engine.splicing.edits import apply_edits
from assay_engine.splicing.place import DEFAULT_STEP, Place, colon_before, indentation_step
from assay_engine.syntax.identifiers import FunctionNode, arguments_of
from assay_engine.syntax.layout import leading_space, reindent
from assay_engine.syntax.parsing import split_lines
from assay_engine.syntax.text import (
    Source,
    docstring_statement,
    first_line,
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


def with_annotations_as_meant(candidate: Source, target: FunctionNode, file: Source) -> Source:
    """The candidate as it stands, or with its annotations as strings.

    They become strings if only the candidate has ``from __future__ import annotations``, under
    which annotations are strings: a class may name itself in them.
    """
    if not _postpones(candidate.tree) or _postpones(file.tree):
        return candidate
    edits = [
        Edit(candidate.span(each), _as_string(candidate.segment(each), each))
        for each in _evaluated(candidate.tree, target)
        if not (isinstance(each, ast.Constant) and isinstance(each.value, str))
    ]
    return read_source(apply_edits(candidate.text, edits))


def _postpones(tree: ast.Module) -> bool:
    return any(
        isinstance(each, ast.ImportFrom)
        and each.module == "__future__"
        and any(alias.name == "annotations" for alias in each.names)
        for each in tree.body
    )


def _evaluated(tree: ast.Module, target: FunctionNode) -> Iterator[ast.expr]:
    """The annotations that Python evaluates, without those of the target's header.

    That header is not used.
    """
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, is_in_function = pending.pop()
        if isinstance(node, FunctionNode) and node is not target:
            found = [*(each.annotation for each in arguments_of(node.args)), node.returns]
            yield from (each for each in found if each is not None)
        if isinstance(node, ast.AnnAssign) and not is_in_function:
            yield node.annotation
        inside = isinstance(node, FunctionNode) or (
            is_in_function and not isinstance(node, ast.ClassDef)
        )
        pending.extend((each, inside) for each in ast.iter_child_nodes(node))


def _as_string(text: str, annotation: ast.expr) -> str:
    if any(mark in text for mark in '"\\\r\n'):
        return repr(ast.unparse(annotation))
    return f'"{text}"'


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
        lines = [_escaped(line, triple) for line in lines]
    indent = _margin(kept, place)
    # The example continues a session directly; a blank line sets it apart from anything else.
    gap = [] if _ends_in_session(kept) else [""]
    tail = place.newline.join(
        ["", *gap, *(f"{indent}{line}".rstrip() for line in lines), indent],
    )
    if triple == quote:
        start = literal.start("inner") + len(kept)
        return Edit(Span(start, literal.end("inner")), tail)
    return Edit(span, f"{prefix}{triple}{kept}{tail}{triple}")


def _escaped(line: str, quote: str) -> str:
    return line.replace("\\", "\\\\").replace(quote, "\\" + "\\".join(quote))


def _margin(inner: str, place: Place) -> str:
    """The indentation of the docstring's lines; the first line does not count."""
    margins = [leading_space(line) for line in split_lines(inner)[1:] if line.strip()]
    return min(margins, key=len, default=place.margin + indentation_step(place))


def _ends_in_session(inner: str) -> bool:
    return any(line.lstrip().startswith(">>>") for line in _last_paragraph(inner))


def _last_paragraph(inner: str) -> Iterable[str]:
    for line in reversed(split_lines(inner)):
        if not line.strip():
            return
        yield line
