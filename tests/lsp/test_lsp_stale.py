"""What was offered for one text, and is asked for when there is another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from support.forking import forked
from support.lsp_editor import SCRIPTED_SERVER, Editor, Start
from support.raw_client import RawClient

TEXT = '''\
import math


def one(n):
    """Return one. [differs]"""
    return 0


def two(n):
    """Return two. [differs]"""
    return 0
'''


async def offered(editor: Editor, title: str) -> types.CodeAction:
    await editor.open(TEXT)
    await editor.save()
    await editor.until(lambda: len(editor.diagnostics()) == 2, "both findings")
    (action,) = [each for each in await editor.actions(3, 5) if each.title == title]
    return action


def change(client: RawClient, uri: str, *changes: object, version: object) -> None:
    document = {"uri": uri, "version": version}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})


def execute(client: RawClient, command: dict[str, Any]) -> None:
    params = {"command": command["command"], "arguments": command.get("arguments", [])}
    assert "error" not in client.request("workspace/executeCommand", params)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[RawClient]:
    environment = {"ASSAY_TEST_JOURNAL": str(tmp_path / "journal")}
    with RawClient(forked(SCRIPTED_SERVER), environment) as client:
        yield client


@pytest.fixture
def asked(client: RawClient, tmp_path: Path) -> tuple[str, dict[str, Any]]:
    """The URI of a document, and the command that is offered for its first function."""
    client.initialize(tmp_path)
    uri = (tmp_path / "m.py").as_uri()
    client.open(uri, TEXT)
    client.save(uri)
    client.notification("textDocument/publishDiagnostics")
    titled = {each["title"]: each for each in client.actions(uri, 3, 5)}
    return uri, titled["Check one thoroughly (up to 25 requests)"]["command"]


def history(tmp_path: Path) -> list[str]:
    return (tmp_path / "journal").read_text().splitlines()


def test_a_command_follows_its_function(
    client: RawClient, tmp_path: Path, asked: tuple[str, dict[str, Any]]
) -> None:
    uri, command = asked
    # What stands in its place now is another one.
    here = {"line": 3, "character": 0}
    new = {"range": {"start": here, "end": here}, "text": 'def new(n):\n    """New."""\n\n\n'}
    change(client, uri, new, version=2)
    execute(client, command)
    client.wait_for(lambda _: "check one thorough" in history(tmp_path))
    assert not any("new" in line for line in history(tmp_path))


def test_a_command_of_a_function_that_is_gone_checks_no_other(
    client: RawClient, tmp_path: Path, asked: tuple[str, dict[str, Any]]
) -> None:
    uri, command = asked
    gone = {"start": {"line": 3, "character": 0}, "end": {"line": 8, "character": 0}}
    change(client, uri, {"range": gone, "text": ""}, version=2)
    execute(client, command)
    said = client.notification("window/showMessage")["message"]
    assert said == "Assay: one no longer exists in this file."
    execute(client, {"command": "assay.server.status"})
    assert not any("thorough" in line for line in history(tmp_path))


async def test_a_fix_is_not_made_where_something_else_than_what_ran_would_be_called(
    start: Start,
) -> None:
    editor = await start()
    fix = await offered(editor, "Replace with the candidate that returns 1")
    # After the review that a save is followed by.
    await editor.settled()
    # The engine of these tests takes what is in brackets for what a function rests on.
    await editor.change(((0, 0, 0, 11), "import math as m  # [outdated]"))
    await editor.until(lambda: len(editor.diagnostics()) == 2, "both findings")
    resolved = await editor.client.code_action_resolve_async(fix)
    assert resolved.edit is None
    await editor.until(editor.messages)
    assert editor.messages() == [
        "Assay: Something one depends on has changed since it was checked. Check it again."
    ]
    (ignoring,) = [each for each in await editor.actions(3, 5) if each.title.startswith("Ignore")]
    assert (await editor.client.code_action_resolve_async(ignoring)).edit is not None


def test_after_a_change_that_cannot_be_read_nothing_is_shown_until_all_is_told(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path)
    uri = (tmp_path / "m.py").as_uri()

    def shown() -> list[int]:
        published = [
            each["params"]["diagnostics"]
            for each in client.received
            if each.get("method") == "textDocument/publishDiagnostics"
        ]
        return [each["range"]["start"]["line"] for each in published[-1]] if published else []

    start = {"line": 0, "character": 0}
    added = {"range": {"start": start, "end": start}, "text": "# new\n"}
    client.open(uri, TEXT)
    client.save(uri)
    client.wait_for(lambda _: shown() == [3, 8])
    change(client, uri, added, version=None)
    client.wait_for(lambda _: shown() == [])
    said = client.notification("window/showMessage")["message"]
    assert "m.py" in said
    assert "open it again" in said
    change(client, uri, added, version=3)
    change(client, uri, {"text": "# new\n" + TEXT}, version=4)
    client.save(uri)
    client.wait_for(lambda _: shown() == [4, 9])


async def test_findings_of_a_folder_that_has_left_the_workspace_go_with_it(start: Start) -> None:
    editor = await start(types.ClientCapabilities())
    here, there = editor.folder / "here", editor.folder / "there"
    uris: list[str] = []
    for folder in (here, there):
        folder.mkdir()
        (folder / "m.py").write_text(TEXT)
        uris.append((folder / "m.py").as_uri())
    leaving = types.WorkspaceFolder(editor.folder.as_uri() + "/", "workspace")
    staying = types.WorkspaceFolder(here.as_uri(), "here")
    for uri in uris:
        await editor.command("checkFile", uri)
        await editor.until(lambda uri=uri: len(editor.diagnostics(uri)) == 2, "the findings")
    editor.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(
            types.WorkspaceFoldersChangeEvent([staying], [leaving])
        )
    )
    await editor.until(lambda: not editor.diagnostics(uris[1]), "these to go")
    await editor.settled()
    assert len(editor.diagnostics(uris[0])) == 2
