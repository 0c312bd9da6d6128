"""`initialize`, `initialized`, `shutdown`: the session begins, asks for its settings, ends."""

from __future__ import annotations

from enum import Enum

from lsprotocol import types

from assay_lsp.client import Client
from assay_lsp.features import diagnostics
from assay_lsp.features.configuration import read_configuration, register_for_changes
from assay_lsp.lifetime import watch_process
from assay_lsp.paths import folder_of, is_path
from assay_lsp.server import AssayServer


def register(server: AssayServer) -> None:
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.SHUTDOWN)(shutdown)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)


async def initialize(ls: AssayServer, params: types.InitializeParams) -> None:
    encoding = ls.workspace.position_encoding
    name = params.client_info.name if params.client_info else ""
    encoding = encoding.value if isinstance(encoding, Enum) else encoding
    ls.start_session(
        Client.of(params.capabilities, encoding, name),
        options=params.initialization_options,
        folders=_folders(params),
    )
    if ls.session.client.pulls_diagnostics:
        # What the server can do is computed after this. Never both: editors show them twice.
        diagnostics.register(ls)
    if params.process_id is not None:
        # The stream ends with the client, unless another process holds its other end open.
        watch_process(params.process_id, lambda: ls.leave(0))


async def initialized(ls: AssayServer, _params: types.InitializedParams) -> None:
    await register_for_changes(ls)
    await read_configuration(ls)


def shutdown(ls: AssayServer, _params: None) -> None:
    # Not awaited: the client expects its answer, and the process ends all checks soon enough.
    ls.session.spawn(_cancel_checks(ls))


async def did_change_folders(
    ls: AssayServer, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    removed = {path for folder in params.event.removed if (path := folder_of(folder.uri))}
    added = [path for folder in params.event.added if (path := folder_of(folder.uri))]
    ls.session.change_folders(removed, added)
    # Folders may have settings of their own, but only if there are several.
    await read_configuration(ls)


async def _cancel_checks(ls: AssayServer) -> None:
    await ls.session.checks.cancel_all()


def _folders(params: types.InitializeParams) -> list[str]:
    """The workspace's folders on disk, from the newest of the three ways to name them."""
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    paths = [path for uri in uris if (path := folder_of(uri))]
    root = params.root_path
    return paths or ([root] if root and is_path(root) else [])
