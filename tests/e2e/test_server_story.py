"""The story of one function in every editor's terms: real engine and sandbox, recorded replies."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import psutil
import pytest
from lsprotocol import types

from support.forking import forked
from support.lsp_editor import Editor, applied, leave, pointed_at, start_editor, stop_editor

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COMMAND = ("-m", "assay_engine", "server", "--stdio")
MODULE, FUNCTION = "calendars.py", "iso_week_label"
CLIENTS = {"visual_studio_code": "utf-16", "neovim@0.11.0": "utf-8", "emacs": "utf-32"}
# For what has nothing to do with what a client can.
in_one_client = pytest.mark.parametrize("editor", ["visual_studio_code"], indirect=True)
# The whole check of a module, on a busy machine.
CHECK_SECONDS = 90.0
# What the issue grants a server and its children after the client's end.
GONE_SECONDS = 10.0


@pytest.fixture(params=CLIENTS)
async def editor(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Editor]:
    editor = await begun(forked(*COMMAND), tmp_path, request.param)
    yield editor
    await stop_editor(editor)


async def begun(
    command: Sequence[str], tmp_path: Path, client: str | types.ClientCapabilities
) -> Editor:
    folder = tmp_path / "workspace"
    shutil.copytree(EXAMPLES, folder)
    home = tmp_path / "home"
    home.mkdir()
    editor = await start_editor(
        command,
        folder,
        tmp_path / "journal",
        client,
        options={"replay": str(EXAMPLES / "replies.jsonl")},
        environment={"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")},
    )
    editor.path = folder / MODULE
    editor.patience = CHECK_SECONDS
    return editor


def about_the_function(editor: Editor) -> list[types.Diagnostic]:
    return [
        each
        for each in editor.diagnostics()
        if pointed_at(editor.text(), each.range, editor.encoding) == FUNCTION
    ]


async def test_open_save_warning_hover_fix_and_the_warning_goes(editor: Editor) -> None:
    text = editor.path.read_text()
    await editor.open(text)
    await editor.save()
    await editor.until(lambda: about_the_function(editor), "the warning")
    (warning,) = about_the_function(editor)
    assert (warning.source, warning.code) == ("assay", "ASY101")
    assert warning.severity == types.DiagnosticSeverity.Warning
    assert FUNCTION in warning.message

    at = warning.range.start
    started = time.monotonic()
    hover = await editor.hover(at.line, at.character + 1)
    lenses = await editor.lenses()
    assert time.monotonic() - started < 5
    assert lenses[0].startswith(f"suspect: {FUNCTION}(date(")
    assert ", candidates '" in lenses[0]
    assert FUNCTION in hover.contents.value

    fix = next(a for a in await editor.actions(at.line, at.character) if a.title.startswith("Rep"))
    if fix.edit is None:
        fix = await editor.client.code_action_resolve_async(fix)
    edits = editor.text_edits(fix.edit)
    fixed = applied(text, edits, editor.encoding)
    assert fixed != text
    await editor.change(
        *(
            (
                (
                    e.range.start.line,
                    e.range.start.character,
                    e.range.end.line,
                    e.range.end.character,
                ),
                e.new_text,
            )
            for e in sorted(
                edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True
            )
        )
    )
    editor.texts[editor.uri] = fixed
    await editor.until(lambda: not about_the_function(editor), "the warning to go")

    editor.path.write_text(fixed)
    await editor.save()
    await editor.idle()
    assert about_the_function(editor) == []
    assert editor.messages() == []


# One that makes files for a server, and one that does not.
@pytest.mark.parametrize("editor", ["visual_studio_code", "emacs"], indirect=True)
async def test_what_was_shown_is_saved_as_a_test(editor: Editor) -> None:
    await editor.open(editor.path.read_text())
    await editor.save()
    await editor.until(lambda: about_the_function(editor), "the warning")
    (warning,) = about_the_function(editor)
    at = warning.range.start
    offered = await editor.actions(at.line, at.character)
    saves = [each for each in offered if each.title.startswith("Save as a test that it returns")]
    workspace = editor.client.capabilities.workspace
    if not (workspace and workspace.workspace_edit.resource_operations):
        # There is no file yet, and this editor makes none for a server.
        await editor.command("saveTest", editor.uri, FUNCTION)
        assert saves == []
        assert "creates no files for a server. Create an empty file there" in editor.messages()[-1]
        return
    save = await editor.client.code_action_resolve_async(saves[0])
    expected = save.title.partition(" returns ")[2]
    made, change = save.edit.document_changes
    # Where plain pytest finds the module.
    assert made.uri.endswith("/workspace/test_calendars.py")
    (edit,) = change.edits
    assert f"== {expected}\n" in edit.new_text
    # The command behind the edit shows it, and writes nothing twice.
    (editor.folder / "test_calendars.py").write_text(edit.new_text)
    await editor.command("saveTest", editor.uri, FUNCTION)
    await editor.until(editor.shown, "the test")
    (shown,) = editor.shown()
    lines = edit.new_text.splitlines()
    assert lines[shown.selection.start.line].startswith("def test_")
    assert editor.edits_made() == []
    assert [each for each in await editor.lenses() if each.endswith("· has a test")]


async def test_the_server_and_its_children_are_gone_two_seconds_after_the_client(
    tmp_path: Path,
) -> None:
    editor = await begun((sys.executable, *COMMAND), tmp_path, "visual_studio_code")
    await editor.open(editor.path.read_text())
    await editor.save()
    process = psutil.Process(editor.server.pid)
    await editor.until(lambda: process.children(recursive=True), "the sandbox's processes")
    await asyncio.sleep(0.2)
    assert await leave(editor, GONE_SECONDS) == []


@in_one_client
async def test_what_was_checked_is_known_when_the_file_is_opened_again_and_not_once_it_is_left_out(
    editor: Editor,
) -> None:
    await editor.open(editor.path.read_text())
    await editor.save()
    await editor.until(lambda: about_the_function(editor), "the warning")
    await editor.idle()
    before = editor.diagnostics()
    await editor.close()
    await editor.until(lambda: not editor.diagnostics())
    await editor.open(editor.path.read_text())
    await editor.until(lambda: len(editor.diagnostics()) == len(before), "what was known")
    await editor.close()
    await editor.until(lambda: not editor.diagnostics())
    with (editor.path.parent / "pyproject.toml").open("a") as project:
        project.write(f'\n[tool.assay]\nexclude = ["{MODULE}"]\n')
    await editor.open(editor.path.read_text())
    await editor.settled()
    assert editor.diagnostics() == []


@in_one_client
async def test_an_engine_that_cannot_be_opened_has_a_status(editor: Editor, tmp_path: Path) -> None:
    editor.client.set_configuration({"assay": {"replay": str(tmp_path / "none.jsonl")}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    status = await editor.command("status")
    assert status["engine"] is None
    assert "none.jsonl cannot be read" in status["problem"]
    editor.client.set_configuration({"assay": {"replay": str(EXAMPLES / "replies.jsonl")}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    status = await editor.command("status")
    assert status["engine"]["interpreter"]
    assert status["problem"] is None


async def test_a_page_of_evidence_follows_its_function(tmp_path: Path) -> None:
    able = types.ClientCapabilities(experimental={"assay": {"commandLinks": True}})
    editor = await begun(forked(*COMMAND), tmp_path, able)
    text = editor.path.read_text()
    await editor.open(text)
    await editor.save()
    await editor.until(lambda: about_the_function(editor), "the warning")
    await editor.idle()
    page = await editor.command("evidence", editor.uri, FUNCTION)
    for title in ("Show the Difference", "Replace", "Save as Test", "Write It into the Docstring"):
        assert f"{title}</a>" in page["html"]
    assert 'href="command:assay.server.place?' in page["html"]
    assert "inputs used" in page["html"]
    assert "has changed since" not in page["html"]
    # While the code is another, the page says so, and the buttons of what is past are gone.
    line = text[: text.index(f"def {FUNCTION}")].count("\n")
    await editor.change(((line + 1, 0, line + 1, 0), "    # anew\n"))
    past = await editor.command("evidence", editor.uri, FUNCTION, page["report"])
    assert "The code has changed since this check" in past["html"]
    assert ">Replace</a>" not in past["html"]
    assert ">Check Again</a>" in past["html"]
    await editor.change(((line + 1, 0, line + 2, 0), ""))
    await editor.until(lambda: about_the_function(editor), "the warning to come back")
    there = await editor.command("place", editor.uri, FUNCTION)
    assert there["range"]["start"]["line"] == line
    await editor.command("applyFix", editor.uri, FUNCTION, {"index": 0})
    await editor.until(editor.edits_made, "the replacement")
    # After a repair, the page is that of the new check.
    fixed = applied(text, editor.text_edits(editor.edits_made()[0]), editor.encoding)
    await editor.change(fixed)
    editor.path.write_text(fixed)
    await editor.save()
    await editor.idle()
    renewed = await editor.command("evidence", editor.uri, FUNCTION, page["report"])
    assert renewed["report"] != page["report"]
    assert "has changed since" not in renewed["html"]
    assert editor.messages() == []
    await stop_editor(editor)


async def test_findings_behave_like_a_linters(tmp_path: Path) -> None:
    able = types.ClientCapabilities(experimental={"assay": {"status": True}})
    editor = await begun(forked(*COMMAND), tmp_path, able)
    text = editor.path.read_text()
    await editor.open(text)
    await editor.save()
    await editor.until(lambda: about_the_function(editor), "the warning")
    await editor.idle()
    await editor.until(lambda: editor.statuses()[-1]["state"] == "idle", "the status")
    found = editor.statuses()[-1]
    assert found["message"] == f"{found['counts']['suspect']} suspect"
    # Anywhere in the function: at most five quick fixes, and the rest apart.
    line = text[: text.index(f"def {FUNCTION}")].count("\n")
    last = line + text[text.index(f"def {FUNCTION}") :].partition("\n\n\n")[0].count("\n")
    offered = await editor.actions(last, 6)
    narrowed = await editor.actions(last, 6, only=["quickfix"])
    rest = await editor.actions(last, 6, only=["assay.more"])
    assert 3 <= len(narrowed) <= 5
    assert rest
    assert [each.title for each in offered] == [each.title for each in (*narrowed, *rest)]
    # What is ignored is gone from lenses and counts, at once and after the next check.
    before, left = len(await editor.lenses()), found["counts"]["suspect"] - 1
    header = text.splitlines()[line]
    ignored = text.replace(header, f"{header}  # assay: ignore[ASY101]")
    await editor.change(ignored)
    await editor.until(lambda: not about_the_function(editor), "the warning to go")
    editor.path.write_text(ignored)
    for check in (False, True):
        if check:
            await editor.command("checkFile", editor.uri)
            await editor.idle()
        await editor.until(lambda: editor.statuses()[-1]["counts"]["suspect"] == left, "the counts")
        # The text is read anew a moment after it was typed.
        while len(await editor.lenses()) != before - 1:
            await asyncio.sleep(0.1)
    # A test is not offered to be checked.
    suite = (editor.folder / "test_of_it.py").as_uri()
    module = (
        'def test_it():\n    """It is so."""\n\n\ndef helper():\n    """Help."""\n    return 1\n'
    )
    await editor.open(module, suite)
    await editor.settled()
    assert await editor.lenses(suite) == ["not checked · Check"]
    await stop_editor(editor)
