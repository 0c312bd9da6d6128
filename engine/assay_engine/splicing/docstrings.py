"""Adds an example to a docstring, as the docstring's author would have written it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay_engine.splicing.place import Place, indentation_step
from assay_engine.syntax.indenting import leading_space
from assay_engine.syntax.parsing import split_lines
from assay_engine.syntax.statements import docstring_statement
from assay_engine.types import Edit, Span

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
