"""An interpreter that never answers: what the server says, and that nothing else waits for it."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from lsprotocol import types

from support.forking import forked
from support.interpreters import silent_interpreter, started_by
from support.lsp_editor import Editor, own_surroundings, start_editor, stop_editor

# That it never answers is known after some forty seconds.
SOON_SECONDS = 20.0
MODULE = '''\
def double(n: int) -> int:
    """Return twice the number.

    >>> double(2)
    4
    """
    return n
'''


@pytest.fixture
def silent(tmp_path: Path) -> Path:
    return silent_interpreter(tmp_path)


@pytest.fixture
async def editor(tmp_path: Path, silent: Path) -> AsyncIterator[Editor]:
    folder = tmp_path / "project"
    folder.mkdir()
    editor = await start_editor(
        forked("-m", "assay_engine", "server"),
        folder,
        tmp_path / "journal",
        section={"interpreter": str(silent)},
        environment=own_surroundings(tmp_path, ""),
    )
    yield editor
    await stop_editor(editor)


async def under_way(editor: Editor, silent: Path) -> None:
    await editor.open(MODULE)
    await editor.save()
    await editor.until(lambda: started_by(silent), "the interpreter to be started")


async def test_the_status_names_it_soon_also_during_a_check(editor: Editor, silent: Path) -> None:
    await under_way(editor, silent)
    began = time.monotonic()
    status = asyncio.create_task(editor.command("status"))
    await asyncio.sleep(0.1)
    # What is asked after it has its answer before.
    await editor.hover(0, 5)
    assert not status.done()
    engine = (await status)["engine"]
    assert time.monotonic() - began < SOON_SECONDS
    assert engine["interpreter"] == str(silent)
    assert engine["confinement"] is None
    assert f"No program has run under {silent}" in engine["confinement_problem"]
    assert "Name it in the setting `interpreter`." in engine["remedies"]
    assert (await editor.command("cancelAll")) == 1
    assert time.monotonic() - began < SOON_SECONDS


async def test_another_interpreter_takes_its_place_at_once(editor: Editor, silent: Path) -> None:
    await under_way(editor, silent)
    began = time.monotonic()
    editor.client.set_configuration({"assay": {"interpreter": sys.executable}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await editor.until(lambda: editor.codes() == ["ASY103"], "the finding of another check")
    assert (await editor.command("status"))["engine"]["confinement"]
    assert time.monotonic() - began < SOON_SECONDS
    assert not any(map(psutil.pid_exists, started_by(silent)))


async def test_a_status_that_another_interpreter_overtakes_is_of_that(
    editor: Editor, silent: Path
) -> None:
    status = asyncio.create_task(editor.command("status"))
    await editor.until(lambda: started_by(silent), "the interpreter to be started")
    editor.client.set_configuration({"assay": {"interpreter": sys.executable}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    found = await status
    assert found["settings"]["interpreter"] == found["engine"]["interpreter"] == sys.executable
    assert found["engine"]["confinement"]
