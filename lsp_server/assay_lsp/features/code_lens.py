"""Code lenses: over each function what is known about it, from memory."""

from __future__ import annotations

from lsprotocol import types

from assay_engine.messages.at_a_glance import NO_DOCSTRING, verdict_line
from assay_engine.types import Tier
from assay_engine.words import count
from assay_lsp.documents import TextDocument
from assay_lsp.features import names
from assay_lsp.notices import is_stopped
from assay_lsp.report_index import FunctionRow
from assay_lsp.server import AssayServer
from assay_lsp.session import Session

# A lens without a command is not resolved; one with an empty name is shown, and does nothing.
_NOTHING = ""


def register(server: AssayServer) -> None:
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(code_lens)


async def code_lens(ls: AssayServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    session = ls.session
    document = session.documents.mentioned(params.text_document.uri)
    if document is None:
        return []
    settings = session.folders.settings_of(document.path)
    if not settings.code_lens:
        return []
    return [
        types.CodeLens(
            document.text.range(row.place.name_span, session.client.encoding),
            _command(session, document, row),
        )
        for row in session.report_index.rows(document.uri)
        # What may not be checked is not offered to be.
        if settings.may_run or row.known is not None
    ]


def _command(session: Session, document: TextDocument, row: FunctionRow) -> types.Command:
    place = row.place
    start = document.text.position(place.name_span.start, session.client.encoding)
    position = {"line": start.line, "character": start.character}
    may_run = session.folders.settings_of(document.path).may_run
    # Nothing was found out, or not yet.
    is_open = row.known is None or is_stopped(row.known.report)
    is_ongoing = session.ongoing.covers(document.notebook or document.uri, place.qualname)
    if is_open and place.has_docstring and is_ongoing:
        return types.Command("checking …", _NOTHING)
    if row.known is not None and is_open and may_run:
        # Another attempt says what helps.
        arguments = [document.uri, position, True, place.qualname]
        title = f"{verdict_line(row.known.report)} · Check"
        return types.Command(title, names.CHECK_FUNCTION, arguments=arguments)
    if row.known is not None:
        title = f"{verdict_line(row.known.report)}{' · has a test' if row.is_covered else ''}"
        return types.Command(title, names.SHOW_EVIDENCE, arguments=[document.uri, place.qualname])
    if not place.has_docstring:
        return types.Command(NO_DOCSTRING, _NOTHING)
    # What it uses is another by now.
    former = "not checked" if row.former is None else f"was {row.former}, not checked since"
    title = f"{'cancelled' if row.was_cancelled else former} · Check"
    arguments = [document.uri, position, False, place.qualname]
    # Unknown until the engine is open.
    most = session.folders.engine_of(document.path).costs.get(Tier.STANDARD)
    cost = None if most is None else f"About {count(most, 'request')} to the model"
    return types.Command(title, names.CHECK_FUNCTION, cost, arguments)
