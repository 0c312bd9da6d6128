"""A server process under an editor's hands: what an editor does, in few words."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

SCRIPTED_SERVER = str(Path(__file__).with_name("scripted_engine.py"))
CLIENTS = ("visual_studio_code", "neovim@0.11.0", "neovim@0.7.0", "emacs")
# A generous deadline for what takes milliseconds on an idle machine.
PATIENCE_SECONDS = 60.0


@dataclass
class Editor:
    """A client with one file open, spoken to in few words."""

    client: LanguageClient
    folder: Path
    journal: Path
    versions: dict[str, Any] = field(default_factory=dict[str, Any])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    encoding: str = "utf-16"
    path: Path = Path("module.py")
    patience: float = PATIENCE_SECONDS

    @property
    def uri(self) -> str:
        return (self.folder / self.path).as_uri()

    @property
    def server(self) -> asyncio.subprocess.Process:
        """Its process, which pygls keeps to itself, or what stands for it if it was forked."""
        return self.client._server

    def text(self) -> str:
        """The open file's text, as far as this editor's user has been told."""
        return self.texts[self.uri]

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

    async def save(
        self,
        uri: str | None = None,
        reason: types.TextDocumentSaveReason = types.TextDocumentSaveReason.Manual,
    ) -> None:
        identifier = types.TextDocumentIdentifier(uri or self.uri)
        self.client.text_document_will_save(types.WillSaveTextDocumentParams(identifier, reason))
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

    async def lenses(self, uri: str | None = None) -> list[str]:
        """What stands over the functions, in order."""
        found = await self.client.text_document_code_lens_async(
            types.CodeLensParams(types.TextDocumentIdentifier(uri or self.uri))
        )
        return [each.command.title for each in found or ()]

    async def pulled(self, previous: str | None = None) -> Any:
        """What the server answers when it is asked for diagnostics."""
        return await self.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(
                types.TextDocumentIdentifier(self.uri), "assay", previous_result_id=previous
            )
        )

    def statuses(self) -> list[dict[str, Any]]:
        """All values of `assay/status` that the client was told."""
        return getattr(self.client, "statuses", [])

    def outcomes(self) -> list[str]:
        """What the client was told that checks came to, by `assay/outcome`."""
        return getattr(self.client, "outcomes", [])

    def questions(self) -> list[str]:
        """What the user was asked, by either kind of request."""
        return getattr(self.client, "questions", [])

    def edits_made(self) -> list[types.WorkspaceEdit]:
        """The edits that the server had this client make."""
        return getattr(self.client, "made", [])

    def shown(self) -> list[types.ShowDocumentParams]:
        """What the server had this client show."""
        return list(self.client.shown_documents)

    def asked(self) -> list[dict[str, Any]]:
        """What the client was sent as `assay/ask`."""
        return getattr(self.client, "asked", [])

    @property
    def lens_refreshes(self) -> int:
        """How many times the client was asked to ask anew for its lenses."""
        return getattr(self.client, "lens_refreshes", 0)

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
        deadline = time.monotonic() + self.patience
        while not condition():
            assert time.monotonic() < deadline, (
                f"waited in vain{f' for {what}' if what else ''}; "
                f"history {self.history()}, messages {self.messages()}"
            )
            await asyncio.sleep(0.01)

    def text_edits(self, edit: types.WorkspaceEdit | None) -> list[types.TextEdit]:
        """The edits of the open file, in the form that this client has announced."""
        assert edit is not None
        workspace = self.client.capabilities.workspace
        forms = workspace.workspace_edit if workspace else None
        if not (forms and forms.document_changes):
            return list(edit.changes[self.uri])
        (change,) = edit.document_changes
        assert change.text_document.uri == self.uri
        assert change.text_document.version is not None
        return list(change.edits)

    async def idle(self) -> None:
        """After the last check that is running or waiting."""
        deadline = time.monotonic() + self.patience
        while any((await self.command("status"))["checks"].values()):
            assert time.monotonic() < deadline, "the checks do not end"
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)

    async def settled(self) -> None:
        """After everything that the server has to do for what it has been sent so far."""
        await self.command("status")
        await asyncio.sleep(0.6)
        await self.command("status")


Start = Callable[..., Awaitable[Editor]]


async def start_editor(
    command: Sequence[str],
    folder: Path,
    journal: Path,
    capabilities: str | types.ClientCapabilities = "visual_studio_code",
    *,
    options: Any = None,
    section: Any = None,
    environment: Mapping[str, str] | None = None,
) -> Editor:
    """A server with a client that has `folder` open."""
    client = make_test_lsp_client()
    _implement(client, section)
    variables = {**os.environ, "ASSAY_TEST_JOURNAL": str(journal), **(environment or {})}
    await client.start_io(*command, env=variables)
    if isinstance(capabilities, str):
        capabilities = client_capabilities(capabilities)
    editor = Editor(client, folder, journal)
    params = types.InitializeParams(
        capabilities=capabilities,
        root_uri=folder.as_uri(),
        workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "workspace")],
        initialization_options=options,
    )
    result = await asyncio.wait_for(client.initialize_session(params), PATIENCE_SECONDS)
    editor.encoding = str(getattr(result.capabilities.position_encoding, "value", "")) or str(
        result.capabilities.position_encoding
    )
    return editor


def own_surroundings(folder: Path, address: str) -> dict[str, str]:
    """Nothing of the account's, and a model at an address, or none."""
    return {
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "ASSAY_BASE_URL": address,
        "ASSAY_MODEL": "m" if address else "",
    }


async def stop_editor(editor: Editor) -> None:
    """As the protocol has it."""
    await asyncio.wait_for(editor.client.shutdown_session(), PATIENCE_SECONDS)
    await asyncio.wait_for(editor.client.stop(), PATIENCE_SECONDS)


async def leave(editor: Editor, seconds: float) -> list[psutil.Process]:
    """Go without a word, as a client that dies; what is left of the server after `seconds`."""
    server = editor.server
    children = psutil.Process(server.pid).children(recursive=True)
    deadline = time.monotonic() + seconds
    server.stdin.close()
    # The server is our own child, and asyncio's to wait for; its children are not.
    await asyncio.wait_for(server.wait(), seconds)
    rest = max(0.0, deadline - time.monotonic())
    _, alive = await asyncio.to_thread(psutil.wait_procs, children, timeout=rest)
    return alive


def applied(text: str, edits: Sequence[types.TextEdit], encoding: str) -> str:
    """The text after edits, by a client's own reckoning of positions."""
    spans = [
        (_offset(text, edit.range.start, encoding), _offset(text, edit.range.end, encoding), edit)
        for edit in edits
    ]
    for start, end, edit in sorted(spans, key=lambda span: span[:2], reverse=True):
        text = text[:start] + edit.new_text + text[end:]
    return text


def pointed_at(text: str, range_: types.Range, encoding: str) -> str:
    """What a client would underline."""
    start, end = _offset(text, range_.start, encoding), _offset(text, range_.end, encoding)
    return text[start:end]


def _offset(text: str, position: types.Position, encoding: str) -> int:
    codec, size = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[
        encoding
    ]
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    line = lines[position.line].encode(codec, "surrogatepass")[: position.character * size]
    return sum(map(len, lines[: position.line])) + len(line.decode(codec, "surrogatepass"))


def plain(value: Any) -> Any:
    """Parameters of a method that the protocol does not define, which arrive as named tuples."""
    if hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    if isinstance(value, list):
        return list(map(plain, value))
    return value


def _implement(client: LanguageClient, section: Any) -> None:
    """What editors answer and pytest-lsp's client does not."""
    client.set_configuration({"assay": section})

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_: LanguageClient, params: types.RegistrationParams) -> None:
        pass

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh_lenses(_: LanguageClient, params: None) -> None:
        client.lens_refreshes = getattr(client, "lens_refreshes", 0) + 1

    @client.feature("assay/status")
    def told(_: LanguageClient, params: Any) -> None:
        client.statuses = [*getattr(client, "statuses", []), plain(params)]

    @client.feature("assay/outcome")
    def conclude(_: LanguageClient, params: Any) -> None:
        client.outcomes = [*getattr(client, "outcomes", []), plain(params)["message"]]

    @client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(
        _: LanguageClient, params: types.ApplyWorkspaceEditParams
    ) -> types.ApplyWorkspaceEditResult:
        client.made = [*getattr(client, "made", []), params.edit]
        return types.ApplyWorkspaceEditResult(applied=True)

    @client.feature("assay/ask")
    async def put(_: LanguageClient, params: Any) -> dict[str, str] | None:
        put = plain(params)
        client.asked = [*getattr(client, "asked", []), put]
        client.questions = [*getattr(client, "questions", []), put["message"]]
        if waits := getattr(client, "waits", None):
            await waits.wait()
        answer = getattr(client, "answer", None)
        known = [each["id"] for each in put["answers"] if each["title"] == answer]
        return {"id": known[0]} if known else None

    @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
    async def ask(
        _: LanguageClient, params: types.ShowMessageRequestParams
    ) -> types.MessageActionItem | None:
        client.questions = [*getattr(client, "questions", []), params.message]
        if waits := getattr(client, "waits", None):
            await waits.wait()
        answer = getattr(client, "answer", None)
        return types.MessageActionItem(answer) if answer else None
