"""Editors of each kind on a real server process with a scripted engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.lsp_editor import CLIENTS, SCRIPTED_SERVER, Editor, Start, start_editor, stop_editor


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts servers; each is shut down in the end as the protocol has it."""
    editors: list[Editor] = []

    async def start(*arguments: Any, **options: Any) -> Editor:
        folder = tmp_path / "workspace"
        folder.mkdir(exist_ok=True)
        editor = await start_editor(
            SCRIPTED_SERVER, folder, tmp_path / "journal", *arguments, **options
        )
        editors.append(editor)
        return editor

    yield start
    for editor in editors:
        await stop_editor(editor)


@pytest.fixture(params=CLIENTS)
async def editor(start: Start, request: pytest.FixtureRequest) -> Editor:
    """An editor of each kind."""
    return await start(request.param)
