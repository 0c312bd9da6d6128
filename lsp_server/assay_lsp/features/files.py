"""Takes note of files that the client reports as moved or deleted, by itself or by others.

The client is not asked to watch files: an editor that polls folders one by one would do so with the
whole workspace, and `watching` sees the changes that matter.
"""

from __future__ import annotations

from lsprotocol import types

from assay_lsp.server import AssayServer


def register(server: AssayServer) -> None:
    # Folders, too: they may contain files of which findings are shown.
    anything = types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")
    options = types.FileOperationRegistrationOptions([anything])
    server.feature(types.WORKSPACE_DID_RENAME_FILES, options)(did_rename)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, options)(did_delete)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched)


async def did_rename(ls: AssayServer, params: types.RenameFilesParams) -> None:
    ls.session.watching.told(uri for file in params.files for uri in (file.old_uri, file.new_uri))


async def did_delete(ls: AssayServer, params: types.DeleteFilesParams) -> None:
    ls.session.watching.told(file.uri for file in params.files)


async def did_change_watched(ls: AssayServer, params: types.DidChangeWatchedFilesParams) -> None:
    ls.session.watching.told(change.uri for change in params.changes)
