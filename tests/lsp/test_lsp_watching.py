"""Files that change behind the editor's back."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from support.lsp_editor import SCRIPTED_SERVER, Editor, Start

TEXT = 'def one(n):\n    """Return one."""\n    return 0\n'
WORSE = TEXT.replace("one.", "one. [differs]")


async def watched(start: Start, **how: object) -> Editor:
    """An editor with one file open, whose folder is being watched."""
    editor = await start(**how)
    (editor.folder / "module.py").write_text(TEXT)
    await editor.open(TEXT)
    await editor.settled()
    return editor


@pytest.mark.parametrize("options", [{}, {"trigger": "manual"}, {"trusted": False}], ids=str)
async def test_files_that_nobody_has_opened_are_not_checked_when_they_change(
    start: Start, options: dict[str, object]
) -> None:
    editor = await watched(start, options=options)
    for number in range(5):
        (editor.folder / f"pulled_{number}.py").write_text(WORSE)
    await asyncio.sleep(1)
    await editor.settled()
    assert not any(line.startswith("check") for line in editor.history())
    assert not any(editor.codes((editor.folder / f"pulled_{n}.py").as_uri()) for n in range(5))


async def test_findings_of_a_file_that_was_checked_and_is_not_open_follow_it_without_a_check(
    start: Start,
) -> None:
    editor = await start()
    path = editor.folder / "written.py"
    path.write_text(WORSE)
    await editor.command("checkFile", path.as_uri())
    await editor.until(lambda: editor.codes(path.as_uri()) == ["ASY101"])
    path.write_text(TEXT)
    await editor.until(lambda: not editor.codes(path.as_uri()), "the finding to go")
    path.write_text("\n\n" + WORSE)
    await editor.until(lambda: editor.codes(path.as_uri()) == ["ASY101"])
    assert editor.diagnostics(path.as_uri())[0].range.start.line == 2
    path.unlink()
    await editor.until(lambda: not editor.codes(path.as_uri()), "the finding to go with the file")
    assert [line for line in editor.history() if line.startswith("check ")] == ["check one"]


@pytest.mark.skipif(sys.platform != "linux", reason="inotify tells what is watched on Linux alone")
async def test_an_untitled_text_has_no_folder_to_watch(start: Start) -> None:
    editor = await start(command=(sys.executable, SCRIPTED_SERVER))
    await editor.open(TEXT, "untitled:Untitled-1")
    await editor.settled()
    assert folders_watched(editor) == 0
    await editor.open(TEXT)
    await editor.until(lambda: folders_watched(editor) == 1)


def folders_watched(editor: Editor) -> int:
    """As the kernel counts them."""
    descriptors = Path("/proc", str(editor.server.pid), "fdinfo").iterdir()
    return sum(map(_watches, descriptors))


def _watches(descriptor: Path) -> int:
    try:
        return descriptor.read_text().count("inotify wd:")
    except FileNotFoundError:
        # Closed since they were listed.
        return 0


async def test_an_open_file_is_checked_when_the_editor_has_loaded_it(start: Start) -> None:
    editor = await watched(start)
    replaced = editor.folder / "new.tmp"
    replaced.write_text(WORSE)
    replaced.replace(editor.folder / "module.py")
    await asyncio.sleep(1)
    assert not any(line.startswith("check") for line in editor.history())
    await editor.change(WORSE)
    await editor.until(lambda: editor.codes() == ["ASY101"])


async def test_however_many_folders_there_were_an_open_file_is_watched(start: Start) -> None:
    editor = await watched(start)
    files = [editor.folder / f"folder_{number}" / "module.py" for number in range(40)]
    for path in files:
        path.parent.mkdir()
        path.write_text(TEXT)
        uri = await editor.open(TEXT, path.as_uri())
        if path != files[-1]:
            await editor.close(uri)
    await editor.settled()
    # The first of all has been open all the time.
    for path in (files[-1], editor.folder / "module.py"):
        await editor.change(WORSE, uri=path.as_uri())
        # Again and again: to give up one folder for another takes a while.
        for _ in range(30):
            path.write_text(WORSE)
            await asyncio.sleep(1)
            if editor.codes(path.as_uri()):
                break
        assert editor.codes(path.as_uri()) == ["ASY101"]


async def test_what_was_written_over_is_not_waited_for(start: Start) -> None:
    editor = await watched(start)
    path = editor.folder / "module.py"
    path.write_text(WORSE)
    await asyncio.sleep(1)
    path.write_text(TEXT)
    await editor.save()
    await asyncio.sleep(1)
    await editor.idle()
    checks = editor.history().count("check one")
    await editor.change(WORSE)
    await editor.settled()
    assert editor.history().count("check one") == checks


async def test_what_a_closed_document_was_to_load_is_not_waited_for(start: Start) -> None:
    editor = await watched(start)
    await editor.change("# mine\n" + TEXT)
    (editor.folder / "module.py").write_text(WORSE)
    await asyncio.sleep(1)
    await editor.close()
    await editor.open(WORSE)
    await editor.change(TEXT)
    # An undo, of which nothing has been saved.
    await editor.change(WORSE)
    await editor.settled()
    assert not any(line.startswith("check") for line in editor.history())


@pytest.mark.parametrize("gone", ["moved", "deleted"])
async def test_a_folder_that_comes_back_is_watched_again(start: Start, gone: str) -> None:
    editor = await start()
    editor.path = path = editor.folder / "package" / "module.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    await editor.open(TEXT)
    await editor.settled()
    for number in range(2):
        # As going to a branch without it, and back.
        if gone == "moved":
            path.parent.rename(editor.folder / f"elsewhere_{number}")
        else:
            shutil.rmtree(path.parent)
        await asyncio.sleep(0.5)
        path.parent.mkdir()
        path.write_text(TEXT)
        await editor.save()
        await editor.settled()
    path.write_text(WORSE)
    await editor.change(WORSE)
    await editor.until(lambda: editor.codes() == ["ASY101"])


async def test_what_is_loaded_while_settings_change_is_checked_by_the_new_ones(
    start: Start,
) -> None:
    slow = 'def slow(n):\n    """[slow] [slow-to-end]"""\n'
    editor = await watched(start, capabilities=types.ClientCapabilities())
    other = await editor.open(slow, (editor.folder / "slow.py").as_uri())
    await editor.save(other)
    await editor.until(lambda: "check slow" in editor.history())
    (editor.folder / "module.py").write_text(WORSE)
    await editor.change(WORSE)
    editor.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"assay": {"offline": True}})
    )
    await editor.until(lambda: "check one" in editor.history())
    history = editor.history()
    assert history.index("close") < history.index("check one")


async def test_a_save_is_checked_once_although_the_file_changes_as_well(start: Start) -> None:
    editor = await watched(start)
    await editor.change(WORSE)
    (editor.folder / "module.py").write_text(WORSE)
    await editor.save()
    await editor.until(lambda: editor.codes() == ["ASY101"])
    await asyncio.sleep(1)
    assert sum(line.startswith("check ") for line in editor.history()) == 1


async def test_a_log_in_a_watched_folder_does_not_feed_itself(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "workspace" / "assay.log"
    editor = await watched(start, options={"logLevel": "debug", "logFile": str(log)})
    (editor.folder / "module.py").write_text(WORSE)
    await editor.settled()
    size = log.stat().st_size
    await asyncio.sleep(1)
    assert log.stat().st_size == size
