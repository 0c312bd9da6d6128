"""pygls's protocol with its gaps closed: every request is answered, and no message ends it."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, cast
from typing import Protocol as Structure

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import RPCResponse

from assay_lsp.wire import Garbage, Unreadable, known_params

log = logging.getLogger(__name__)


# `_answer_malformed` logs messages that cannot be parsed. The others are usual for any client, such
# as cancelling a request that has been answered meanwhile, or answering one that was withdrawn.
_UNSAID = (
    "Unable to deserialize message",
    "Cancel notification for unknown message id",
    "Ignoring notification for unknown method",
    "Received response to unknown message id",
)

logging.getLogger("pygls.protocol.json_rpc").addFilter(
    lambda record: not str(record.msg).startswith(_UNSAID)
)


class _Losing(Structure):
    """A server that is told which change of a document could not be read."""

    def lose(self, params: object) -> None: ...


def _own_handler_of(method: str) -> Any:
    """A built-in method that only calls the server's own handler."""

    @lsp_method(method)
    def handle(self: Protocol, params: Any) -> Generator[Any, Any, None]:
        yield self.handler(method), (params,), None

    return handle


class Protocol(LanguageServerProtocol):
    """Closes these gaps of pygls 2.1, in the methods named:

    * parts that come from a newer client or another server are not understood (`_structured`);
    * a request whose parameters do not parse gets no answer (`receive`), nor does one whose answer
      cannot be written as JSON (`_send_data`);
    * nothing is refused before `initialize` or after `shutdown` (`receive`);
    * a client's mistakes are logged with tracebacks (`_send_handler_result`, `_UNSAID`);
    * a command goes on after its request was cancelled (`lsp_workspace__execute_command`);
    * finished notifications stay in a dictionary for ever (`_execute_handler`);
    * `shutdown` changes the dictionary over which it iterates, and `exit` can overtake it
      (`lsp_shutdown`);
    * a request of the server's own cannot be withdrawn (`ask`);
    * documents are split into lines at form feeds (`lsp_*_document__did_*`).
    """

    def receive(self, message: object) -> None:
        """Handle one JSON value off the wire.

        Raises SystemExit, with the status that the protocol demands, when the client sends `exit`.
        """
        if isinstance(message, Garbage):
            log.warning("skipped bytes that are not a message: %s", message.reason)
            return
        unreadable = message.reason if isinstance(message, Unreadable) else None
        if isinstance(message, Unreadable):
            message = message.rest
        raw = cast("dict[str, Any]", message) if isinstance(message, dict) else {}
        identifier, method = raw.get("id"), raw.get("method")
        if raw.get("jsonrpc") != self.VERSION or not isinstance(identifier, int | str | None):
            log.warning("skipped a value that is not a JSON-RPC message")
            return
        if isinstance(method, str):
            refusal = self._out_of_turn(method)
            if refusal:
                self._refuse(identifier, *refusal)
                return
        if unreadable is not None:
            self._answer_malformed(identifier, method, raw.get("params"), unreadable)
            return
        try:
            structured = self._structured(raw)
        except Exception as error:
            self._answer_malformed(identifier, method, raw.get("params"), str(error))
            return
        self.handle_message(structured)

    async def ask(self, method: str, params: object) -> Any:
        """The client's answer to a request, which is withdrawn if the caller is cancelled.

        Raises `JsonRpcException` for an error.
        """
        identifier = str(uuid.uuid4())
        try:
            return await asyncio.wrap_future(self.send_request(method, params, msg_id=identifier))
        except asyncio.CancelledError:
            # Its late answer has nobody to go to.
            self._request_futures.pop(identifier, None)
            self.notify(types.CANCEL_REQUEST, types.CancelParams(identifier))
            raise

    def _structured(self, raw: dict[str, Any]) -> Any:
        """The parsed message, if need be without unknown parts. Raises what the parser raises."""
        try:
            return self.structure_message(raw)
        except Exception:
            method, params = str(raw.get("method")), raw.get("params")
            known = known_params(method, params, self._converter.structure)
            if known is None:
                raise
            return self.structure_message({**raw, "params": known})

    def _out_of_turn(self, method: str) -> tuple[int, str] | None:
        """Why a method cannot be served in the present state, if so."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return types.ErrorCodes.InvalidRequest, "the server has been shut down"
        if self._workspace is None and method != types.INITIALIZE:
            return types.ErrorCodes.ServerNotInitialized, "the server is not initialized"
        if self._workspace is not None and method == types.INITIALIZE:
            return types.ErrorCodes.InvalidRequest, "the server is initialized already"
        return None

    def _answer_malformed(self, identifier: Any, method: Any, params: Any, why: str) -> None:
        log.warning("cannot parse the message %r: %s", method, why)
        if isinstance(method, str):
            self._refuse(identifier, types.ErrorCodes.InvalidParams, f"invalid {method} message")
            if method == types.TEXT_DOCUMENT_DID_CHANGE:
                cast("_Losing", self._server).lose(params)
        elif identifier is not None:
            # The answer to a request of ours: the code that awaits it has to get a result.
            problem = types.ResponseError(types.ErrorCodes.InvalidRequest, "unreadable answer")
            self._handle_response(identifier, error=problem)

    def _refuse(self, identifier: Any, code: int, reason: str) -> None:
        """Answer with an error. A notification, which has no id, gets no answer."""
        log.warning("refused: %s", reason)
        if identifier is not None:
            self._send_response(identifier, error=types.ResponseError(code, reason))

    def _send_data(self, data: Any) -> None:
        try:
            # NaN, which is not JSON, is accepted when read, and would otherwise be written.
            text = json.dumps(data, default=self._serialize_message, allow_nan=False)
        except Exception as error:
            # A client may send data, to be returned to it, that is too deeply nested to be written.
            log.error("%s cannot be written: %s", type(data).__name__, type(error).__name__)
            if isinstance(data, RPCResponse):
                code = types.ErrorCodes.InternalError
                self._refuse(data.id, code, "the answer cannot be written as JSON")
            return
        assert self.writer is not None
        body = text.encode("ascii")
        self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Any,
        callback: Any,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        def forget_and_call_back(future: Future[Any]) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, forget_and_call_back, args, kwargs)

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException):
            self._refuse(msg_id, error.code, error.message)
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def _check_handler_result(self, future: Any) -> None:
        """Called when a notification has been handled; pygls logs no traceback here."""
        if not future.cancelled() and (error := future.exception()) is not None:
            log.error("a notification's handler failed", exc_info=error)

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, *args: Any
    ) -> None:
        # All in one step: `exit` may be the next message, and closes the stream.
        self._shutdown = True
        for future in list(self._request_futures.values()):
            future.cancel()
        self.handler(types.SHUTDOWN)(*args)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        # A coroutine, unlike pygls's, is cancelled with all that it awaits.
        commands = cast("dict[str, Any]", self.fm.commands)  # pyright: ignore[reportUnknownMemberType]
        if params.command not in commands:
            raise JsonRpcInvalidParams(f"there is no command {params.command!r}")
        return await commands[params.command](*params.arguments or ())

    lsp_text_document__did_open = _own_handler_of(types.TEXT_DOCUMENT_DID_OPEN)
    lsp_text_document__did_change = _own_handler_of(types.TEXT_DOCUMENT_DID_CHANGE)
    lsp_text_document__did_close = _own_handler_of(types.TEXT_DOCUMENT_DID_CLOSE)
    lsp_notebook_document__did_open = _own_handler_of(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    lsp_notebook_document__did_change = _own_handler_of(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    lsp_notebook_document__did_close = _own_handler_of(types.NOTEBOOK_DOCUMENT_DID_CLOSE)

    def handler(self, method: str) -> Any:
        return cast("dict[str, Any]", self.fm.features)[method]  # pyright: ignore[reportUnknownMemberType]
