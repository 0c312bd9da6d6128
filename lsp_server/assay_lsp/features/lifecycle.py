"""The session begins, asks for its settings, and ends.

Settings are requested by `workspace/configuration`, or pushed, while the server runs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import cast

from lsprotocol import types

from assay_lsp.client import SETTINGS_SECONDS, Client, Sections
from assay_lsp.convert import folder_of, is_path
from assay_lsp.features import diagnostics
from assay_lsp.lifetime import spawn, watch_process
from assay_lsp.server import AssayServer
from assay_lsp.settings import SECTION, names_settings


def register(server: AssayServer) -> None:
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.SHUTDOWN)(shutdown)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)


async def initialize(ls: AssayServer, params: types.InitializeParams) -> None:
    encoding = ls.workspace.position_encoding
    name = params.client_info.name if params.client_info else ""
    encoding = encoding.value if isinstance(encoding, Enum) else encoding
    # The workspace's folders on disk, from the newest of the three ways to name them.
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    folders = [path for uri in uris if (path := folder_of(uri))]
    if not folders and params.root_path and is_path(params.root_path):
        folders = [params.root_path]
    ls.start_session(
        Client.of(params.capabilities, encoding, name),
        options=params.initialization_options,
        folders=folders,
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
    spawn(ls.session.checks.cancel_all())


async def did_change_folders(
    ls: AssayServer, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    removed = {path for folder in params.event.removed if (path := folder_of(folder.uri))}
    added = [path for folder in params.event.added if (path := folder_of(folder.uri))]
    ls.session.change_folders(removed, added)
    # Folders may have settings of their own, but only if there are several.
    await read_configuration(ls)


log = logging.getLogger(__name__)


async def register_for_changes(ls: AssayServer) -> None:
    """Register for changes of the section, which VS Code does not report otherwise."""
    if not ls.session.client.registers_configuration:
        return
    registration = types.Registration(
        id="assay-configuration",
        method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
        register_options=types.DidChangeConfigurationRegistrationOptions(section=SECTION),
    )
    try:
        async with asyncio.timeout(SETTINGS_SECONDS):
            await ls.client_register_capability_async(types.RegistrationParams([registration]))
    except Exception as refusal:
        log.info("the client does not register for changes of settings: %s", refusal)


async def read_configuration(ls: AssayServer) -> None:
    """Ask the client for the section; a client that cannot be asked has none."""
    await ls.session.client_settings.find_out(lambda: _answer(ls))


async def _answer(ls: AssayServer) -> Sections:
    """The section, or that of each folder if there are several. Raises `LookupError` if the client
    does not answer."""
    if not ls.session.client.answers_configuration:
        raise LookupError
    folders = ls.session.folders.paths
    scopes = folders if len(folders) > 1 else [None]
    items = [
        types.ConfigurationItem(None if folder is None else Path(folder).as_uri(), SECTION)
        for folder in scopes
    ]
    try:
        answer = await ls.workspace_configuration_async(types.ConfigurationParams(items))
    except Exception as refusal:
        log.warning("the client does not answer workspace/configuration: %s", refusal)
        raise LookupError from refusal
    return dict(zip(scopes, answer, strict=False))


async def did_change_configuration(
    ls: AssayServer, params: types.DidChangeConfigurationParams
) -> None:
    if ls.session.client.answers_configuration:
        await read_configuration(ls)
    elif isinstance(params.settings, Mapping):
        pushed = cast("Mapping[str, object]", params.settings)

        async def section() -> Sections:
            # eglot and others push everything by section. Some push the section itself, and some
            # only the changed settings, which may not be ours.
            if SECTION in pushed:
                return {None: pushed[SECTION]}
            if names_settings(pushed):
                return {None: pushed}
            raise LookupError

        await ls.session.client_settings.find_out(section)
