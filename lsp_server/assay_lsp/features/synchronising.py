"""The session's texts are the editor's: documents, and notebooks, whose cells are documents, and of
which a save checks all cells; and files that the client reports as moved or deleted.

The client is not asked to watch files: an editor that polls folders one by one would do so with the
whole workspace, and `watching` sees the changes that matter.
"""

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
    server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(notebook_did_open)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(notebook_did_change)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)(notebook_did_save)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(notebook_did_close)
    # Folders, too: they may contain files of which findings are shown.
    anything = types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")
    options = types.FileOperationRegistrationOptions([anything])
    server.feature(types.WORKSPACE_DID_RENAME_FILES, options)(did_rename)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, options)(did_delete)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched)


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
    document = session.documents.mentioned(uri)
    if document is None:
        return
    session.watching.opened(document)
    # Taken now: the next save may be announced while this one waits.
    unattended = session.checks.has_saved(uri)
    await session.ready()
    if session.documents.get(uri) is not None:
        session.checks.save(document, unattended=unattended)
    if document.is_python:
        session.watching.file_changed()


async def did_close(ls: AssayServer, params: types.DidCloseTextDocumentParams) -> None:
    ls.session.close(params.text_document.uri)


async def notebook_did_open(ls: AssayServer, params: types.DidOpenNotebookDocumentParams) -> None:
    session, notebook = ls.session, params.notebook_document
    for item in params.cell_text_documents:
        session.report_index.open(session.documents.open(item, notebook.uri))
    session.notebooks.open(notebook.uri, (cell.document for cell in notebook.cells))
    await session.ready()
    await session.opened(session.notebooks.whole(notebook.uri))


async def notebook_did_change(
    ls: AssayServer, params: types.DidChangeNotebookDocumentParams
) -> None:
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


async def notebook_did_save(ls: AssayServer, params: types.DidSaveNotebookDocumentParams) -> None:
    session, uri = ls.session, params.notebook_document.uri
    await session.ready()
    if session.notebooks.cells(uri):
        session.checks.save(session.notebooks.whole(uri))


async def notebook_did_close(ls: AssayServer, params: types.DidCloseNotebookDocumentParams) -> None:
    session = ls.session
    for cell in params.cell_text_documents:
        session.forget(cell.uri)
    session.notebooks.close(params.notebook_document.uri)
    session.forget(params.notebook_document.uri)


async def did_rename(ls: AssayServer, params: types.RenameFilesParams) -> None:
    ls.session.watching.told(uri for file in params.files for uri in (file.old_uri, file.new_uri))


async def did_delete(ls: AssayServer, params: types.DeleteFilesParams) -> None:
    ls.session.watching.told(file.uri for file in params.files)


async def did_change_watched(ls: AssayServer, params: types.DidChangeWatchedFilesParams) -> None:
    ls.session.watching.told(change.uri for change in params.changes)
