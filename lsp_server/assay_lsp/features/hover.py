"""Hover: what is known about the function whose name or finding is pointed at."""

from __future__ import annotations

from lsprotocol import types

from assay_engine.pages.hover import hover_markdown, hover_text
from assay_engine.types import Report, Span
from assay_lsp.client import Client
from assay_lsp.server import AssayServer


def register(server: AssayServer) -> None:
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: AssayServer, params: types.HoverParams) -> types.Hover | None:
    session = ls.session
    document = session.documents.spoken_of(params.text_document.uri)
    if document is None:
        return None
    offset = document.text.offset(params.position, session.client.encoding)
    here = Span(offset, offset)
    for placed in session.report_index.at(document.uri, here):
        span = next(own for own in placed.spans() if own.start <= offset <= own.end)
        return types.Hover(
            _contents(placed.report, session.client),
            document.text.range(span, session.client.encoding),
        )
    return None


def _contents(report: Report, client: Client) -> types.MarkupContent:
    beside = client.diagnostics_in_hover
    if client.markdown_hover:
        return types.MarkupContent(types.MarkupKind.Markdown, hover_markdown(report, beside=beside))
    return types.MarkupContent(types.MarkupKind.PlainText, hover_text(report, beside=beside))
