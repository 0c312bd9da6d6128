"""Several workspace folders: each has its own settings, and an engine of its own."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from support.lsp_editor import Editor, Start

TEXT = 'def one(n):\n    """Return one. [differs]"""\n    return 0\n'


async def with_a_second_folder(editor: Editor, folder: Path) -> None:
    folder.mkdir()
    added = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
    editor.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent(added, []))
    )
    await editor.settled()


def opened(editor: Editor, folder: Path) -> list[str]:
    return [each for each in editor.history() if each.startswith(f"open root={folder} ")]


async def test_each_folder_goes_by_its_own_settings(start: Start, tmp_path: Path) -> None:
    editor, second = await start(section={"trigger": "save"}), tmp_path / "second"
    manual = {"assay": {"trigger": "manual", "codeLens": False}}
    editor.client.set_configuration(manual, scope_uri=second.as_uri())
    await with_a_second_folder(editor, second)
    there = (second / "module.py").as_uri()
    for uri in (editor.uri, there):
        await editor.open(TEXT, uri)
        await editor.save(uri)
    await editor.until(editor.codes, "the finding in the first folder")
    await editor.settled()
    assert editor.codes(there) == []
    assert await editor.lenses(there) == []
    assert len(await editor.lenses()) == 1
    # Each engine was opened for its folder, and closed with it.
    assert len(opened(editor, editor.folder)) == len(opened(editor, second)) == 1
    removed = [types.WorkspaceFolder(second.as_uri(), second.name)]
    editor.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([], removed))
    )
    await editor.until(lambda: "close" in editor.history(), "the second engine to close")
    await editor.command("checkFile", there)
    await editor.until(lambda: editor.codes(there) == ["ASY101"], "a check by the first engine")


async def test_settings_of_one_folder_that_change_leave_the_others_engine_alone(
    start: Start, tmp_path: Path
) -> None:
    editor, second = await start(), tmp_path / "second"
    await with_a_second_folder(editor, second)
    there = (second / "module.py").as_uri()
    for uri in (editor.uri, there):
        await editor.open(TEXT, uri)
        await editor.save(uri)
        await editor.until(lambda uri=uri: editor.codes(uri), "the finding")
    editor.client.set_configuration({"assay": {"offline": True}}, scope_uri=second.as_uri())
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await editor.until(lambda: len(opened(editor, second)) == 2, "the second engine anew")
    await editor.settled()
    assert len(opened(editor, editor.folder)) == 1
