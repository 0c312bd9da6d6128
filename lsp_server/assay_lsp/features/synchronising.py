"""`didOpen`, `didChange`, `didSave`, `didClose`: the session's texts are the editor's."""

from __future__ import annotations

from lsprotocol import types

from assay_lsp.server import AssayServer


def register(server: AssayServer) -> None:
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    save = types.SaveOptions(include_text=False)
    server.feature(types.TEXT_DOCUMENT_WILL_SAVE)(will_save)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, save)(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)


async def did_open(ls: AssayServer, params: types.DidOpenTextDocumentParams) -> None:
    session = ls.session
    document = session.documents.open(params.text_document)
    session.report_index.open(document)
    session.watching.forget(document.uri)
    session.watching.opened(document)
    await session.ready()
    await session.opened(document)


async def did_change(ls: AssayServer, params: types.DidChangeTextDocumentParams) -> None:
    session = ls.session
    changed = session.documents.change(
        params.text_document, params.content_changes, session.client.encoding
    )
    if changed is not None:
        document, changes = changed
        if session.report_index.document(document.uri) is None:
            # The document had been lost.
            session.report_index.open(document)
        session.report_index.change(document, changes)
        session.watching.changed(document)


async def will_save(ls: AssayServer, params: types.WillSaveTextDocumentParams) -> None:
    by_itself = params.reason is not types.TextDocumentSaveReason.Manual
    ls.session.checks.will_save(params.text_document.uri, unattended=by_itself)


async def did_save(ls: AssayServer, params: types.DidSaveTextDocumentParams) -> None:
    session = ls.session
    uri = params.text_document.uri
    document = session.documents.spoken_of(uri)
    if document is None:
        return
    session.watching.opened(document)
    await session.ready()
    if session.documents.get(uri) is not None:
        session.checks.has_saved(document)
    if document.is_python:
        session.reviewing.file_changed()


async def did_close(ls: AssayServer, params: types.DidCloseTextDocumentParams) -> None:
    ls.session.close(params.text_document.uri)
