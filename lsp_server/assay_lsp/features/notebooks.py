"""Notebooks are opened, changed, saved and closed: cells are documents, a save checks them all."""

from __future__ import annotations

from lsprotocol import types

from assay_lsp.server import AssayServer


def register(server: AssayServer) -> None:
    server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(did_close)


async def did_open(ls: AssayServer, params: types.DidOpenNotebookDocumentParams) -> None:
    session, notebook = ls.session, params.notebook_document
    for item in params.cell_text_documents:
        session.report_index.open(session.documents.open(item, notebook.uri))
    session.notebooks.open(notebook.uri, (cell.document for cell in notebook.cells))
    await session.ready()
    await session.opened(session.notebooks.whole(notebook.uri))


async def did_change(ls: AssayServer, params: types.DidChangeNotebookDocumentParams) -> None:
    session, uri, cells = ls.session, params.notebook_document.uri, params.change.cells
    structure = cells.structure if cells else None
    if structure is not None:
        for item in structure.did_open or ():
            session.report_index.open(session.documents.open(item, uri))
        for closed in structure.did_close or ():
            session.forget(closed.uri)
        array = structure.array
        added = (cell.document for cell in array.cells or ())
        session.notebooks.splice(uri, array.start, array.delete_count, added)
    for text in (cells.text_content if cells else None) or ():
        changed = session.documents.change(text.document, text.changes, session.client.encoding)
        if changed is not None:
            session.report_index.change(*changed)


async def did_save(ls: AssayServer, params: types.DidSaveNotebookDocumentParams) -> None:
    session, uri = ls.session, params.notebook_document.uri
    await session.ready()
    if session.notebooks.cells(uri):
        session.checks.save(session.notebooks.whole(uri))


async def did_close(ls: AssayServer, params: types.DidCloseNotebookDocumentParams) -> None:
    session = ls.session
    for cell in params.cell_text_documents:
        session.forget(cell.uri)
    session.notebooks.close(params.notebook_document.uri)
    session.forget(params.notebook_document.uri)
