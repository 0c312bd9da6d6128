"""The client: its abilities, read once from its capabilities, and its settings, and how long the
server waits for these.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from lsprotocol import types
from msgspec import Struct
from pygls.capabilities import get_capability as lookup
from pygls.exceptions import JsonRpcException

from assay_engine.types import EditorOffer, EditorRefused, Prompt, Refusal, Usage
from assay_lsp.convert import Encoding
from assay_lsp.lifetime import spawn


class Client(Struct, frozen=True):
    """The capabilities that make a difference here. The defaults are the least able client's."""

    encoding: Encoding = Encoding.UTF_16
    related_information: bool = False
    diagnostic_data: bool = False
    markdown_hover: bool = False
    # The client runs commands that links of a page of evidence name.
    command_links: bool = False
    resolves_edits: bool = False
    knows_generated_tag: bool = False
    versioned_edits: bool = False
    creates_files: bool = False
    pulls_diagnostics: bool = False
    code_descriptions: bool = False
    refreshes_lenses: bool = False
    wants_status: bool = False
    wants_outcomes: bool = False
    # The client shows diagnostics in its hover, too.
    diagnostics_in_hover: bool = False
    # Identifiers and names of the models that it asks for the server.
    models: tuple[tuple[str, str], ...] = ()
    # The answers to `assay/ask` that the client acts upon; None if it does not know the request.
    asks: frozenset[str] | None = None
    takes_system_messages: bool = False
    shows_progress: bool = False
    shows_documents: bool = False
    answers_configuration: bool = False
    registers_configuration: bool = False

    @staticmethod
    def of(capabilities: types.ClientCapabilities, encoding: str | None, name: str = "") -> Client:
        """`encoding` is the one that pygls has agreed upon: the client's first that both know."""

        def announced(name: str) -> Any:
            return cast("Any", lookup(capabilities, name, None))

        action = "text_document.code_action"
        published = "text_document.publish_diagnostics"
        configuration = "workspace.did_change_configuration.dynamic_registration"
        formats = announced("text_document.hover.content_format") or ()
        properties = announced(f"{action}.resolve_support.properties") or ()
        tags = announced(f"{action}.tag_support.value_set") or ()
        # Neovim 0.12, told to ask anew, asks only about files that it has not open.
        refreshes = announced("workspace.diagnostics.refresh_support") and name != "Neovim"
        own: Mapping[str, object] = {}
        match capabilities.experimental:
            case {"assay": dict()}:
                # What the client announces for this server alone: docs/protocol.md.
                own = cast("dict[str, dict[str, object]]", capabilities.experimental)["assay"]
            case _:
                pass
        listed = own.get("asks")
        asks = cast("list[object]", listed) if isinstance(listed, list) else None
        models, takes_system = _models(own.get("complete"))
        return Client(
            encoding=Encoding(encoding or Encoding.UTF_16),
            related_information=bool(announced(f"{published}.related_information")),
            diagnostic_data=bool(announced(f"{published}.data_support")),
            markdown_hover=types.MarkupKind.Markdown in formats,
            resolves_edits="edit" in properties and bool(announced(f"{action}.data_support")),
            knows_generated_tag=types.CodeActionTag.LlmGenerated in tags,
            # A client that cannot be told to ask anew would never see what a check finds.
            pulls_diagnostics=bool(refreshes and announced("text_document.diagnostic")),
            code_descriptions=bool(announced(f"{published}.code_description_support")),
            refreshes_lenses=bool(announced("workspace.code_lens.refresh_support")),
            command_links=own.get("commandLinks") is True,
            wants_status=own.get("status") is True,
            wants_outcomes=own.get("outcomes") is True,
            diagnostics_in_hover=own.get("diagnosticsInHover") is True,
            models=models,
            asks=None if asks is None else frozenset(a for a in asks if isinstance(a, str)),
            takes_system_messages=takes_system,
            creates_files=types.ResourceOperationKind.Create
            in (announced("workspace.workspace_edit.resource_operations") or ()),
            versioned_edits=bool(announced("workspace.workspace_edit.document_changes")),
            shows_progress=bool(announced("window.work_done_progress")),
            shows_documents=bool(announced("window.show_document.support")),
            answers_configuration=bool(announced("workspace.configuration")),
            registers_configuration=bool(announced(configuration)),
        )


def _models(complete: object) -> tuple[tuple[tuple[str, str], ...], bool]:
    """The models that the client asks for the server, and whether they take system messages."""
    told = cast("dict[str, object]", complete) if isinstance(complete, dict) else {}
    listed = told.get("models")
    found: dict[str, str] = {}
    for each in cast("list[object]", listed)[:MODELS_MAX] if isinstance(listed, list) else ():
        match each:
            case {"id": str(identifier), "name": str(name)} if identifier and name:
                found[identifier] = name
            case {"id": str(identifier)} if identifier:
                found[identifier] = identifier
            case _:
                log.warning("the client announces a model without an id, which is not asked")
    return tuple(found.items()), told.get("system") is True


log = logging.getLogger(__name__)

# All of them are asked in turn.
MODELS_MAX = 8

# With few exceptions, clients answer `workspace/configuration` at once or never.
SETTINGS_SECONDS = 2.0
# The check of a save waits for longer: the answer may be that nothing is to be sent.
PATIENCE_SECONDS = 15.0


# The section of each folder that the client was asked about; under None, that of all others.
Sections = Mapping[str | None, object]


class ClientSettings:
    """The client's sections of settings. Touched on the server's loop only.

    `changing` is held while settings change: a save meanwhile is checked with the new ones. While
    it is held, `take_in` is called when a section may have changed.
    """

    def __init__(self, take_in: Callable[[], Awaitable[None]]) -> None:
        self.changing = asyncio.Lock()
        self._take_in = take_in
        self._sections: Sections = {}
        # The function that asks for the sections, until its turn comes, and its future answer.
        self._ask: Callable[[], Awaitable[Sections]] | None = None
        self._answer: asyncio.Future[Sections] | None = None
        # Ends with the answer, or earlier if that takes too long.
        self._patience: asyncio.Task[Any] | None = None
        self._settled = asyncio.Event()

    @property
    def patience(self) -> asyncio.Task[Any] | None:
        """The task that ends when the client has answered or has taken too long; None if it has
        ended."""
        return None if self._patience is None or self._patience.done() else self._patience

    def section_of(self, folder: str | None) -> object:
        return self._sections.get(folder, self._sections.get(None))

    async def known(self) -> None:
        """Wait for the client's settings, so that the engine is not opened twice at the start, and
        for a change of them that is under way."""
        try:
            await asyncio.wait_for(self._settled.wait(), SETTINGS_SECONDS)
        except TimeoutError:
            self._settled.set()
        async with self.changing:
            return

    async def find_out(self, ask: Callable[[], Awaitable[Sections]]) -> None:
        """Take in the sections that `ask` returns; if that takes long, as soon as they are known.

        `ask` raises `LookupError` if the client has none. A save before the client has
        answered should wait for the answer, too.
        """
        waits, self._ask = self._ask is not None, ask
        if waits:
            # The previous request is still waiting for its turn; this one takes that turn.
            return
        async with self.changing:
            ask, self._ask = self._ask, None
            # Never cancelled, or nothing would await the client's answer.
            answer = self._answer = asyncio.ensure_future(ask())
            self._patience = spawn(asyncio.wait([answer], timeout=PATIENCE_SECONDS))
            await asyncio.wait([answer], timeout=SETTINGS_SECONDS)
            if answer.done():
                with suppress(LookupError):
                    self._sections = answer.result()
            else:
                log.warning("the client does not send its settings; they apply once it does")
                answer.add_done_callback(self._answered_late)
            await self._take_in()
            self._settled.set()

    def _answered_late(self, answer: asyncio.Future[Sections]) -> None:
        refused = answer.cancelled() or answer.exception() is not None
        # A request made since, or about to be made, takes precedence.
        if not refused and answer is self._answer and self._ask is None:
            spawn(self.find_out(lambda: answer))


COMPLETE = "assay/complete"
# A larger number is a mistake, and would use up the day's budget at once.
TOKENS_MAX = 10_000_000

# Sends a request, and withdraws it if it is cancelled. Raises `JsonRpcException`.
Send = Callable[[str, object], Awaitable[object]]


def offers(client: Client, send: Send) -> tuple[EditorOffer, ...]:
    """The models that the client has announced, to be asked from any thread's loop."""
    here = asyncio.get_running_loop()

    def offer(identifier: str, name: str) -> EditorOffer:
        async def request(prompt: Prompt) -> object:
            if client.takes_system_messages and prompt.system:
                texts = {"system": prompt.system, "user": prompt.user}
            else:
                texts = {"user": "\n\n".join(filter(None, (prompt.system, prompt.user)))}
            messages = [{"role": role, "content": text} for role, text in texts.items()]
            about = {"model": identifier, "messages": messages, "maxTokens": prompt.max_tokens}
            return await send(COMPLETE, about)

        async def ask(prompt: Prompt) -> tuple[str, Usage]:
            sent = asyncio.run_coroutine_threadsafe(request(prompt), here)
            try:
                # Its members arrive as attributes.
                result = await asyncio.wrap_future(sent)
            except JsonRpcException as error:
                match cast("object", error.data):
                    case {"reason": str(reason)} if reason in tuple(Refusal):
                        raise EditorRefused(Refusal(reason), str(error.message)) from None
                    case _:
                        raise EditorRefused(None, str(error.message)) from None
            text, usage = getattr(result, "text", None), getattr(result, "usage", None)
            if not isinstance(text, str):
                raise ValueError
            return text, Usage(1, _count(usage, "promptTokens"), _count(usage, "completionTokens"))

        return EditorOffer(identifier, name, ask)

    return tuple(offer(identifier, name) for identifier, name in client.models)


def _count(usage: object, name: str) -> int:
    value = cast("object", getattr(usage, name, 0))
    return value if type(value) is int and 0 <= value <= TOKENS_MAX else 0
