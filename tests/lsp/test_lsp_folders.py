"""Files that are not open, and the folders that they are in when these are moved or deleted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types

from support.lsp_editor import Editor, Start
from support.raw_client import RawClient

TEXT = 'def one(n):\n    """Return one. [differs]"""\n    return 0\n'
MENDED = TEXT.replace(" [differs]", "")


async def checked(editor: Editor, path: Path) -> str:
    """A file with a finding, which is not open; its URI."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT)
    uri = path.as_uri()
    await editor.command("checkFile", uri)
    await editor.until(lambda: editor.codes(uri) == ["ASY101"], "the finding")
    await editor.settled()
    return uri


def moved(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


@pytest.mark.parametrize("go", [moved, shutil.rmtree])
@pytest.mark.parametrize("which", ["package", "package/inner", "package/inner/most"])
async def test_findings_go_with_any_folder_of_the_workspace_that_they_are_in(
    start: Start, go: Callable[[Path], None], which: str
) -> None:
    editor = await start()
    uri = await checked(editor, editor.folder / "package/inner/most/module.py")
    beside = await checked(editor, editor.folder / "beside/module.py")
    go(editor.folder / which)
    await editor.until(lambda: not editor.codes(uri), "the finding to go with the folder")
    await editor.settled()
    assert editor.codes(beside) == ["ASY101"]
    assert editor.history().count("check one") == 2


async def test_findings_of_a_file_outside_of_the_workspace_go_with_its_folder(
    start: Start, tmp_path: Path
) -> None:
    editor = await start()
    uri = await checked(editor, tmp_path / "outside/module.py")
    moved(tmp_path / "outside")
    await editor.until(lambda: not editor.codes(uri), "the finding to go with the folder")


async def test_findings_go_with_the_link_that_leads_to_their_folder(start: Start) -> None:
    editor = await start()
    (editor.folder / "there").mkdir()
    link = editor.folder / "link"
    link.symlink_to("there")
    uri = await checked(editor, link / "module.py")
    link.unlink()
    await editor.until(lambda: not editor.codes(uri), "the finding to go with the link")


async def test_another_folder_of_the_same_name_is_watched(start: Start) -> None:
    editor = await start()
    folder = editor.folder / "package"
    uri = await checked(editor, folder / "module.py")
    # As going to another branch.
    shutil.copytree(folder, editor.folder / "new")
    moved(folder)
    (editor.folder / "new").rename(folder)
    await editor.settled()
    assert editor.codes(uri) == ["ASY101"]
    (folder / "module.py").write_text(MENDED)
    await editor.until(lambda: not editor.codes(uri), "the finding to go")


async def test_what_an_open_file_shows_stays_until_the_editor_closes_it(start: Start) -> None:
    editor = await start()
    editor.path = editor.folder / "package/module.py"
    editor.path.parent.mkdir()
    editor.path.write_text(TEXT)
    await editor.open(TEXT)
    await editor.save()
    await editor.until(editor.codes, "the finding")
    moved(editor.path.parent)
    await editor.settled()
    assert editor.codes() == ["ASY101"]


def told_by_rename(editor: Editor, folder: Path) -> None:
    moved(folder)
    new = folder.with_name("elsewhere").as_uri()
    editor.client.workspace_did_rename_files(
        types.RenameFilesParams([types.FileRename(folder.as_uri(), new)])
    )


def told_by_deletion(editor: Editor, folder: Path) -> None:
    shutil.rmtree(folder)
    editor.client.workspace_did_delete_files(
        types.DeleteFilesParams([types.FileDelete(f"{folder.as_uri()}/")])
    )


def told_by_a_watcher(editor: Editor, folder: Path) -> None:
    shutil.rmtree(folder)
    deleted = types.FileEvent(folder.as_uri(), types.FileChangeType.Deleted)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([deleted]))


@pytest.mark.parametrize("tell", [told_by_rename, told_by_deletion, told_by_a_watcher])
async def test_a_client_that_tells_of_a_folder_is_heard(
    start: Start, tmp_path: Path, tell: Callable[[Editor, Path], None]
) -> None:
    editor = await start()
    # Two levels up is further than the server looks by itself outside of the workspace.
    uri = await checked(editor, tmp_path / "outside/a/b/module.py")
    tell(editor, tmp_path / "outside")
    await editor.until(lambda: not editor.codes(uri), "the finding to go with the folder")


async def test_what_a_client_tells_is_looked_at_and_not_believed(start: Start) -> None:
    editor = await start()
    uri = await checked(editor, editor.folder / "package/module.py")
    gone = types.DeleteFilesParams([types.FileDelete((editor.folder / "package").as_uri())])
    editor.client.workspace_did_delete_files(gone)
    await editor.settled()
    assert editor.codes(uri) == ["ASY101"]


def test_who_can_tell_of_files_is_asked_to(client: RawClient, tmp_path: Path) -> None:
    operations = {"didRename": True, "didDelete": True}
    capabilities = {"workspace": {"fileOperations": operations}}
    answer = client.initialize(tmp_path, capabilities=capabilities)
    asked = answer["result"]["capabilities"]["workspace"]["fileOperations"]
    # Folders, too.
    everything = {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}
    assert asked == {"didRename": everything, "didDelete": everything}
