"""Diagnostics for clients that ask for them: never pushed as well, and not sent twice."""

from __future__ import annotations

from lsprotocol import types

from support.lsp_editor import Editor, Start

TEXT = 'def one(n):\n    """Return one. [differs]"""\n    return 0\n'
PULLS = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities(),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
            code_description_support=True
        ),
    ),
    workspace=types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    ),
)


def refreshes(editor: Editor) -> int:
    return editor.client.diagnostic_refresh_count


async def test_a_client_that_asks_is_told_to_ask_and_gets_each_answer_once(start: Start) -> None:
    editor = await start(PULLS)
    await editor.open(TEXT)
    assert list((await editor.pulled()).items) == []
    await editor.save()
    await editor.until(lambda: refreshes(editor), "the client to be told to ask")
    report = await editor.pulled()
    (finding,) = report.items
    assert (finding.code, finding.range.start.line) == ("ASY101", 0)
    assert finding.code_description.href.endswith("/findings/ASY101.md")
    again = await editor.pulled(report.result_id)
    assert (again.kind, again.result_id) == ("unchanged", report.result_id)

    await editor.change(((0, 0, 0, 0), "# above\n"))
    moved = await editor.pulled(report.result_id)
    assert moved.items[0].range.start.line == 1
    assert moved.result_id != report.result_id
    # Nothing was pushed.
    assert editor.diagnostics() == []


async def test_the_whole_workspace_tells_of_files_that_are_not_open_and_of_those_gone(
    start: Start,
) -> None:
    editor = await start(PULLS)
    path = editor.folder / "other.py"
    path.write_text(TEXT)
    await editor.command("checkFile", path.as_uri())
    await editor.until(lambda: refreshes(editor))

    async def asked(*had: types.PreviousResultId) -> list[types.WorkspaceDocumentDiagnosticReport]:
        params = types.WorkspaceDiagnosticParams(previous_result_ids=had)
        return list((await editor.client.workspace_diagnostic_async(params)).items)

    (found,) = await asked()
    assert (found.uri, found.version, len(found.items)) == (path.as_uri(), None, 1)
    had = types.PreviousResultId(found.uri, found.result_id)
    assert [each.kind for each in await asked(had)] == ["unchanged"]
    before = refreshes(editor)
    path.unlink()
    await editor.until(lambda: refreshes(editor) > before, "the file to be gone")
    assert [(each.uri, list(each.items)) for each in await asked(had)] == [(found.uri, [])]


async def test_a_client_that_would_not_ask_again_is_sent_them(start: Start) -> None:
    # Neovim 0.11 asks, and cannot be told to ask anew.
    editor = await start("neovim@0.11.0")
    await editor.open(TEXT)
    await editor.save()
    await editor.until(editor.diagnostics, "what is pushed")
    assert refreshes(editor) == 0
