"""Patterns of files that a project brings hold up neither a check nor the server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assay_engine.syntax.ignoring import is_left_out
from support.check_workspace import PROJECT, Workspace
from support.forking import forked
from support.lsp_editor import own_surroundings, start_editor, stop_editor

LONG = "a" * 240 + ".py"
DEPTH = 300
ENDLESS = "*a" * 25 + "*b"
MODULE = '''\
def one() -> int:
    """Return one.

    >>> one()
    1
    """
    return 2
'''


@pytest.fixture(params=[".gitignore", "exclude"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / LONG).write_text(MODULE)
    settings = PROJECT
    if request.param == "exclude":
        settings += f'[tool.assay]\nexclude = ["{ENDLESS}"]\n'
    else:
        (folder / ".gitignore").write_text(f"{ENDLESS}\n")
    (folder / "pyproject.toml").write_text(settings)
    return folder


def test_a_check_of_the_folder_ends(project: Path) -> None:
    run = Workspace(project, "").assay("check", ".", "--offline", ASSAY_BASE_URL="")
    assert "1 function: 1 suspect" in run.stdout, run.stderr


async def test_the_server_answers_while_it_asks_what_is_left_out(project: Path) -> None:
    editor = await start_editor(
        forked("-m", "assay_engine", "server", "--stdio"),
        project,
        project.parent / "journal",
        options={"offline": True},
        environment=own_surroundings(project.parent, ""),
    )
    editor.path = Path(LONG)
    await editor.open(MODULE)
    await editor.save()
    assert await asyncio.wait_for(editor.command("status"), 30)
    await editor.until(lambda: editor.codes() == ["ASY103"], "the finding")
    await stop_editor(editor)


def test_folders_within_folders_without_end_hold_up_nothing(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "project", "")
    made.folder.mkdir()
    deepest = made.folder
    for _ in range(DEPTH):
        deepest /= "d"
        deepest.mkdir()
    for folder in (made.folder, deepest):
        (folder / "limits.py").write_text(MODULE)
    (made.folder / "pyproject.toml").write_text(PROJECT)
    run = made.assay("check", ".", "--offline", ASSAY_BASE_URL="")
    assert "1 function: 1 suspect" in run.stdout, run.stderr
    assert is_left_out(deepest / "limits.py", None)
