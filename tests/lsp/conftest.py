"""Editors of each kind, and a client without one, on a real server with a scripted engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from support.forking import forked
from support.lsp_editor import CLIENTS, SCRIPTED_SERVER, Editor, Start, start_editor, stop_editor
from support.raw_client import RawClient


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts servers; each is shut down in the end as the protocol has it."""
    editors: list[Editor] = []

    async def start(
        *arguments: Any, command: Sequence[str] | None = None, **options: Any
    ) -> Editor:
        folder = tmp_path / "workspace"
        folder.mkdir(exist_ok=True)
        command = command or forked(SCRIPTED_SERVER)
        editor = await start_editor(command, folder, tmp_path / "journal", *arguments, **options)
        editors.append(editor)
        return editor

    yield start
    for editor in editors:
        await stop_editor(editor)


@pytest.fixture(params=CLIENTS)
async def editor(start: Start, request: pytest.FixtureRequest) -> Editor:
    """An editor of each kind."""
    return await start(request.param)


@pytest.fixture
def client() -> Iterator[RawClient]:
    """Sends what it is told to, and has said nothing yet."""
    with RawClient(forked(SCRIPTED_SERVER)) as client:
        yield client
