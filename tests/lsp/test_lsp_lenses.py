"""Lenses: what stands over each function, by itself, while it is checked and after."""

from __future__ import annotations

import asyncio
import time

from lsprotocol import types

from support.lsp_editor import Editor, Start

TEXT = '''\
def one(n):
    """Return one. [differs]"""
    return 0


def two(n):
    """Return two. [committed]"""
    return 2


def bare(n):
    return 3


def slow(n):
    """Never ends. [slow] [committed]"""
    return 4
'''
PATIENCE_SECONDS = 30.0
UNCHECKED = "not checked · Check"
BARE = "not checked: no docstring"
FOUND = "suspect: one(0) gives 0, candidates 1"


async def until(editor: Editor, *lenses: str) -> None:
    ends = time.monotonic() + PATIENCE_SECONDS
    while (found := await editor.lenses()) != list(lenses):
        assert time.monotonic() < ends, f"waited for {list(lenses)}, there are {found}"
        await asyncio.sleep(0.05)


async def test_each_function_has_its_verdict_or_the_offer_of_a_check(start: Start) -> None:
    editor = await start(options={"trigger": "changed"})
    await editor.open(TEXT)
    await until(editor, UNCHECKED, UNCHECKED, BARE, UNCHECKED)
    before = editor.lens_refreshes
    await editor.save()
    # The others are as the last commit has them.
    await until(editor, FOUND, UNCHECKED, BARE, UNCHECKED)
    await editor.until(lambda: editor.lens_refreshes > before, "the client to be told")
    assert [each for each in editor.history() if each.startswith("check ")] == ["check one"]


async def test_a_lens_checks_its_function_and_tells_how_that_goes(start: Start) -> None:
    editor = await start()
    await editor.open(TEXT)
    await until(editor, UNCHECKED, UNCHECKED, BARE, UNCHECKED)
    lenses = await editor.client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(editor.uri))
    )
    command = lenses[3].command
    await editor.command(command.command.removeprefix("assay.server."), *command.arguments)
    await until(editor, UNCHECKED, UNCHECKED, BARE, "checking …")
    assert await editor.command("cancelAll") == 1
    await until(editor, UNCHECKED, UNCHECKED, BARE, "cancelled · Check")
    at = TEXT.index("return 4")
    line = TEXT[:at].count("\n")
    await editor.change(((line, 11, line, 12), "5"))
    await until(editor, UNCHECKED, UNCHECKED, BARE, UNCHECKED)


async def test_a_lens_stays_where_it_is_while_its_function_is_typed_in(start: Start) -> None:
    editor = await start()
    await editor.open(TEXT)
    await editor.save()
    await until(editor, FOUND, UNCHECKED, BARE, UNCHECKED)
    await editor.change(((2, 11, 2, 12), "1 + "))
    assert await editor.lenses() == [UNCHECKED, UNCHECKED, BARE, UNCHECKED]
    await editor.change(((2, 11, 2, 15), "0"))
    await until(editor, FOUND, UNCHECKED, BARE, UNCHECKED)


async def test_lenses_can_be_turned_off(start: Start) -> None:
    editor = await start(options={"codeLens": False}, section={"codeLens": True})
    await editor.open(TEXT)
    await until(editor, UNCHECKED, UNCHECKED, BARE, UNCHECKED)
    before = editor.lens_refreshes
    editor.client.set_configuration({"assay": {"codeLens": False}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await editor.until(lambda: editor.lens_refreshes > before, "the client to be told")
    assert await editor.lenses() == []


async def test_an_untrusted_workspace_shows_what_is_stored_and_runs_nothing(
    start: Start,
) -> None:
    # No workspace can trust itself.
    editor = await start(options={"trusted": False}, section={"trusted": True})
    await editor.open(TEXT.replace("two. [committed]", "two. [stored] [differs]"))
    # Nothing is offered that cannot be done.
    await until(editor, "suspect: two(0) gives 0, candidates 1")
    await editor.save()
    await editor.command("checkFile", editor.uri)
    await editor.settled()
    assert editor.codes() == ["ASY101"]
    assert not [each for each in editor.history() if each.startswith("check")]
    assert "not trusted" in editor.messages()[-1]
