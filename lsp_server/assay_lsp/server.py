"""The server object: pygls's, with a session, and with errors that go to the log."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from msgspec.structs import replace
from pygls.exceptions import JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer
from typing_extensions import override

from assay_engine.types import EditorOffer
from assay_engine.version import own_version
from assay_engine.words import text_alone
from assay_lsp.client import Client
from assay_lsp.folders import OpenEngine
from assay_lsp.protocol import Protocol
from assay_lsp.session import Session
from assay_lsp.settings import ServerSettings

if TYPE_CHECKING:
    from assay_engine.engine import Engine

log = logging.getLogger(__name__)

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithCells([types.NotebookCellLanguage("python")])], save=True
)

# A check this long after a model server was started finds it, even if the editor was already open.
LOOK_AGAIN_SECONDS = 10.0


def open_engine(
    settings: ServerSettings, root: str | None, models: tuple[EditorOffer, ...]
) -> Engine:
    """The real engine. Called on its own thread, where its slow imports do not block the server."""
    from assay_engine.config.configuration import options_from
    from assay_engine.engine import Engine as RealEngine

    return RealEngine.open(
        replace(
            options_from(os.environ),
            interpreter=settings.interpreter,
            replay=settings.replay,
            offline=settings.offline,
            judge=settings.judge,
            limits={
                name: table
                for name, table in (("budget", settings.budget), ("sampling", settings.sampling))
                if table is not None
            },
            root=root,
            trusted=settings.trusted is True,
            beside_commit=settings.may_run,
            look_again_seconds=LOOK_AGAIN_SECONDS,
            editor_models=models,
        )
    )


class AssayServer(LanguageServer):
    """pygls's server. Its knowledge of the client and the documents is its `session`.

    `leave` ends the server with an exit status; it may be called from any thread.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        open_engine: OpenEngine,
        leave: Callable[[int], None],
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "assay",
            own_version(),
            protocol_cls=Protocol,
            notebook_document_sync=NOTEBOOKS,
        )
        self.leave = leave
        self._environment = environment
        self._open_engine = open_engine
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The session; before `initialize`, when there is none, the protocol refuses requests."""
        assert self._session is not None
        return self._session

    def start_session(self, client: Client, *, options: object, folders: list[str]) -> None:
        self._session = Session(
            self,
            client,
            options=options,
            folders=folders,
            environment=self._environment,
            open_engine=self._open_engine,
        )

    @override
    def window_show_message(self, params: types.ShowMessageParams) -> None:
        worded = types.ShowMessageParams(params.type, text_alone(params.message))
        super().window_show_message(worded)

    @override
    async def window_show_message_request_async(
        self, params: types.ShowMessageRequestParams
    ) -> types.MessageActionItem | None:
        message = text_alone(params.message)
        worded = types.ShowMessageRequestParams(params.type, message, params.actions)
        return await super().window_show_message_request_async(worded)

    def stop_session(self, seconds: float) -> None:
        """End the session's work, if there is a session; blocks at most `seconds`."""
        if self._session is not None:
            self._session.stop(seconds)

    def lose(self, params: object) -> None:
        """Lose the document of a `didChange` with these parameters, which could not be read."""
        match params:
            case {"textDocument": {"uri": str(uri)}}:
                self.session.lose(uri)
            case _:
                pass

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Called by pygls after it has answered the request, and logged a line if it is unknown."""
        if not isinstance(error, JsonRpcMethodNotFound):
            log.error("%s: %s", getattr(source, "__name__", source), error, exc_info=error)

    def receive(self, message: object) -> None:
        """Handle one value off the wire. Called on the server's loop."""
        try:
            cast("Protocol", self.protocol).receive(message)
        except SystemExit as ending:
            self.leave(ending.code if isinstance(ending.code, int) else 1)
        except Exception:
            # Handlers' errors are caught elsewhere; these are errors of pygls around them.
            log.exception("a message could not be handled")
