"""Hover: what is known about the function whose name or finding is pointed at."""

from __future__ import annotations

import re

from lsprotocol import types

from assay_engine.saying.hover import hover_markdown
from assay_engine.types import Report, Span
from assay_lsp.server import AssayServer

_FENCE = re.compile(r"^```.*\n?", re.MULTILINE)
_MARKS = re.compile(r"(?<!\w)(\*\*|__|`)(\S(?:.*?\S)?)\1(?!\w)")
_HEADING = re.compile(r"^#+\s+", re.MULTILINE)
_RULE = re.compile(r"^\|(?:[-: ]+\|)+\n", re.MULTILINE)
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]<>#|!])")


def register(server: AssayServer) -> None:
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: AssayServer, params: types.HoverParams) -> types.Hover | None:
    session = ls.session
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    offset = document.text.offset(params.position, session.client.encoding)
    here = Span(offset, offset)
    for placed in session.board.at(document.uri, here):
        span = next(own for own in placed.spans() if own.start <= offset <= own.end)
        return types.Hover(
            contents(placed.report, markdown=session.client.markdown_hover),
            document.text.range(span, session.client.encoding),
        )
    return None


def contents(report: Report, *, markdown: bool) -> types.MarkupContent:
    text = hover_markdown(report)
    if markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, plain(text))


def plain(markdown: str) -> str:
    """Markdown without its marks, for clients that would show them."""
    text = _RULE.sub("", _HEADING.sub("", _FENCE.sub("", markdown)))
    return _ESCAPE.sub(r"\1", _MARKS.sub(r"\2", text)).strip()
