"""A real server process with a scripted engine, and a real client's capabilities."""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

SERVER = Path(__file__).parents[1] / "support" / "scripted_engine.py"
CLIENTS = ("visual_studio_code", "neovim@0.11.0", "neovim@0.7.0", "emacs")
# A generous deadline for what takes milliseconds on an idle machine.
PATIENCE_SECONDS = 20.0


@dataclass
class Editor:
    """A client with one file open, spoken to in few words."""

    client: LanguageClient
    folder: Path
    journal: Path
    versions: dict[str, Any] = field(default_factory=dict[str, Any])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    published: list[types.PublishDiagnosticsParams] = field(
        default_factory=list[types.PublishDiagnosticsParams]
    )

    @property
    def uri(self) -> str:
        return (self.folder / "module.py").as_uri()

    @property
    def encoding(self) -> str:
        return str(getattr(self.client, "encoding", "utf-16"))

    async def open(self, text: str, uri: str | None = None, language: str = "python") -> str:
        uri = uri or self.uri
        self.versions[uri] = itertools.count(2)
        self.texts[uri] = text
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )
        return uri

    async def change(
        self, *changes: tuple[tuple[int, int, int, int], str] | str, uri: str | None = None
    ) -> None:
        """Changes are ((line, character, line, character), text), or a whole text."""
        uri = uri or self.uri
        events: list[Any] = []
        for change in changes:
            if isinstance(change, str):
                events.append(types.TextDocumentContentChangeWholeDocument(change))
                continue
            (a, b, c, d), text = change
            range_ = types.Range(types.Position(a, b), types.Position(c, d))
            events.append(types.TextDocumentContentChangePartial(range_, text))
        identifier = types.VersionedTextDocumentIdentifier(next(self.versions[uri]), uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, events))

    async def save(self, uri: str | None = None) -> None:
        identifier = types.TextDocumentIdentifier(uri or self.uri)
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))

    async def close(self, uri: str | None = None) -> None:
        identifier = types.TextDocumentIdentifier(uri or self.uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))

    async def command(self, name: str, *arguments: Any) -> Any:
        return await asyncio.wait_for(
            self.client.workspace_execute_command_async(
                types.ExecuteCommandParams(f"assay.server.{name}", list(arguments))
            ),
            PATIENCE_SECONDS,
        )

    async def hover(self, line: int, character: int) -> types.Hover | None:
        return await self.client.text_document_hover_async(
            types.HoverParams(
                types.TextDocumentIdentifier(self.uri), types.Position(line, character)
            )
        )

    async def actions(
        self, line: int, character: int, *, only: list[str] | None = None
    ) -> list[types.CodeAction]:
        here = types.Range(types.Position(line, character), types.Position(line, character))
        near = [each for each in self.diagnostics() if each.range.start.line == line]
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri), here, types.CodeActionContext(near, only)
            )
        )
        return list(found or [])

    def diagnostics(self, uri: str | None = None) -> list[types.Diagnostic]:
        return list(self.client.diagnostics.get(uri or self.uri, ()))

    def codes(self, uri: str | None = None) -> list[str]:
        return [str(each.code) for each in self.diagnostics(uri)]

    def history(self) -> list[str]:
        """What the engine has been asked and told."""
        return self.journal.read_text().splitlines() if self.journal.exists() else []

    def messages(self) -> list[str]:
        return [each.message for each in self.client.messages]

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, (
                f"waited in vain{f' for {what}' if what else ''}; "
                f"history {self.history()}, messages {self.messages()}"
            )
            await asyncio.sleep(0.01)

    async def settled(self) -> None:
        """After everything that the server has to do for what it has been sent so far."""
        await self.command("status")
        await asyncio.sleep(0.6)
        await self.command("status")


Start = Callable[..., Awaitable[Editor]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts servers; each is shut down in the end as the protocol has it."""
    editors: list[Editor] = []

    async def start(
        capabilities: str | types.ClientCapabilities = "visual_studio_code",
        *,
        options: Any = None,
        section: Any = None,
        environment: Mapping[str, str] | None = None,
    ) -> Editor:
        folder = tmp_path / "workspace"
        folder.mkdir(exist_ok=True)
        journal = tmp_path / "journal"
        client = make_test_lsp_client()
        _implement(client, section)
        import os

        variables = {**os.environ, "ASSAY_TEST_JOURNAL": str(journal), **(environment or {})}
        await client.start_io(sys.executable, str(SERVER), env=variables)
        if isinstance(capabilities, str):
            capabilities = client_capabilities(capabilities)
        editor = Editor(client, folder, journal)
        result = await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                root_uri=folder.as_uri(),
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "workspace")],
                initialization_options=options,
            )
        )
        client.encoding = result.capabilities.position_encoding  # pyright: ignore
        editors.append(editor)
        return editor

    yield start
    for editor in editors:
        await asyncio.wait_for(editor.client.shutdown_session(), PATIENCE_SECONDS)
        await asyncio.wait_for(editor.client.stop(), PATIENCE_SECONDS)


@pytest.fixture(params=CLIENTS)
async def editor(start: Start, request: pytest.FixtureRequest) -> Editor:
    """An editor of each kind."""
    return await start(request.param)


def _implement(client: LanguageClient, section: Any) -> None:
    """What editors answer and pytest-lsp's client does not."""
    client.set_configuration({"assay": section})

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_: LanguageClient, params: types.RegistrationParams) -> None:
        pass

    @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
    async def ask(
        _: LanguageClient, params: types.ShowMessageRequestParams
    ) -> types.MessageActionItem | None:
        client.questions = [*getattr(client, "questions", []), params.message]
        answer = getattr(client, "answer", None)
        return types.MessageActionItem(answer) if answer else None
