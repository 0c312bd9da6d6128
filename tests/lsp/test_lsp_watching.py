"""Files that change behind the editor's back."""

from __future__ import annotations

import asyncio

import pytest

from support.lsp_editor import Editor, Start

TEXT = 'def one(n):\n    """Return one."""\n    return 0\n'
WORSE = TEXT.replace("one.", "one. [differs]")


async def watched(start: Start, **how: object) -> Editor:
    """An editor with one file open, whose folder is being watched."""
    editor = await start(**how)
    (editor.folder / "module.py").write_text(TEXT)
    await editor.open(TEXT)
    await editor.settled()
    return editor


async def test_a_file_that_an_agent_writes_is_checked_although_it_is_not_open(
    start: Start,
) -> None:
    editor = await watched(start)
    path = editor.folder / "written.py"
    path.write_text(WORSE)
    await editor.until(lambda: editor.codes(path.as_uri()) == ["ASY101"])
    path.write_text(TEXT)
    await editor.until(lambda: not editor.codes(path.as_uri()), "the finding to go")
    path.write_text(WORSE)
    await editor.until(lambda: editor.codes(path.as_uri()) == ["ASY101"])
    path.unlink()
    await editor.until(lambda: not editor.codes(path.as_uri()), "the finding to go with the file")


async def test_an_open_file_is_checked_when_the_editor_has_loaded_it(start: Start) -> None:
    editor = await watched(start)
    replaced = editor.folder / "new.tmp"
    replaced.write_text(WORSE)
    replaced.replace(editor.folder / "module.py")
    await asyncio.sleep(1)
    assert not any(line.startswith("check") for line in editor.history())
    await editor.change(WORSE)
    await editor.until(lambda: editor.codes() == ["ASY101"])


async def test_a_save_is_checked_once_although_the_file_changes_as_well(start: Start) -> None:
    editor = await watched(start)
    await editor.change(WORSE)
    (editor.folder / "module.py").write_text(WORSE)
    await editor.save()
    await editor.until(lambda: editor.codes() == ["ASY101"])
    await asyncio.sleep(1)
    assert sum(line.startswith("check ") for line in editor.history()) == 1


@pytest.mark.parametrize(
    "how", [{"options": {"trigger": "manual"}}, {"options": {"trusted": False}}]
)
async def test_nothing_is_watched_when_nothing_is_to_be_checked(
    start: Start, how: dict[str, object]
) -> None:
    editor = await watched(start, **how)
    (editor.folder / "written.py").write_text(WORSE)
    await asyncio.sleep(1)
    assert not any(line.startswith("check") for line in editor.history())


async def test_files_that_are_not_the_users_own_are_left_alone(start: Start) -> None:
    editor = await start()
    (editor.folder / ".gitignore").write_text("generated_*.py\n")
    environment = editor.folder / ".venv" / "lib"
    environment.mkdir(parents=True)
    for path in (editor.folder / "module.py", environment / "module.py"):
        path.write_text(TEXT)
        await editor.open(TEXT, path.as_uri())
    await editor.settled()
    (environment / "written.py").write_text(WORSE)
    (editor.folder / "generated_code.py").write_text(WORSE)
    (editor.folder / "notes.txt").write_text(WORSE)
    (editor.folder / "latin.py").write_bytes(b"# -*- coding: nonsense -*-\n" + WORSE.encode())
    own = editor.folder / "own.py"
    own.write_text(WORSE)
    await editor.until(lambda: editor.codes(own.as_uri()) == ["ASY101"])
    await editor.settled()
    assert [line for line in editor.history() if line.startswith("check ")] == ["check one"]
