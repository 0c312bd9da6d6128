"""Settings while the server runs: requested by `workspace/configuration`, or pushed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from lsprotocol import types

from assay_lsp.client import SETTINGS_SECONDS, Sections
from assay_lsp.server import AssayServer
from assay_lsp.settings import SECTION, names_settings

log = logging.getLogger(__name__)


def register(server: AssayServer) -> None:
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)


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
