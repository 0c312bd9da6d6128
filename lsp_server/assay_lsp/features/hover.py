"""Hover: what is known about the function whose name or finding is pointed at."""

from __future__ import annotations

from lsprotocol import types

from assay_engine.pages.hover import hover_markdown, hover_text
from assay_engine.types import Span
from assay_lsp.server import AssayServer


def register(server: AssayServer) -> None:
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: AssayServer, params: types.HoverParams) -> types.Hover | None:
    session = ls.session
    document = session.documents.mentioned(params.text_document.uri)
    if document is None:
        return None
    offset = document.text.offset(params.position, session.client.encoding)
    here = Span(offset, offset)
    for placed in session.report_index.at(document.uri, here):
        span = next(own for own in placed.spans() if own.start <= offset <= own.end)
        beside, as_markdown = session.client.diagnostics_in_hover, session.client.markdown_hover
        kind = types.MarkupKind.Markdown if as_markdown else types.MarkupKind.PlainText
        shown = (hover_markdown if as_markdown else hover_text)(placed.report, beside=beside)
        where = document.text.range(span, session.client.encoding)
        return types.Hover(types.MarkupContent(kind, shown), where)
    return None
