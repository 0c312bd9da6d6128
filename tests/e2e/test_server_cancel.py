"""Leaving and cancelling while the model is being waited for: real engine, real HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import psutil
import pytest
from lsprotocol import types

from support.lsp_editor import Editor, leave, start_editor, stop_editor
from support.openai_server import OpenAIServer, stall

COMMAND = (sys.executable, "-m", "assay_engine", "server")
GONE_SECONDS = 10.0
TEXT = '''\
def double(n: int) -> int:
    """Return twice the number.

    >>> double(2)
    4
    """
    return n + n
'''

Open = Callable[..., Awaitable[Editor]]


@pytest.fixture
async def editing(tmp_path: Path) -> AsyncIterator[Open]:
    """Opens an editor on a module, for a user with or without an endpoint."""
    started: list[Editor] = []

    async def editing(base_url: str | None, **how: object) -> Editor:
        foreign = {name: "" for name in os.environ if name.startswith(("ASSAY_", "OPENAI_"))}
        endpoint = {
            "ASSAY_BASE_URL": base_url or "",
            "ASSAY_MODEL": "test-model",
            "ASSAY_API_KEY": "none",
        }
        here = {"HOME": str(tmp_path), "ASSAY_STORE": str(tmp_path / "assay.db")}
        editor = await start_editor(
            COMMAND,
            tmp_path,
            tmp_path / "journal",
            environment={**foreign, **endpoint, **here},
            **how,
        )
        editor.patience = 60
        started.append(editor)
        await editor.open(TEXT)
        return editor

    yield editing
    for editor in started:
        if editor.client._server.returncode is None:
            await stop_editor(editor)


async def test_cancelling_the_progress_ends_the_requests(editing: Open) -> None:
    with OpenAIServer([stall(60)]) as server:
        editor = await editing(server.base_url)
        await editor.save()
        await editor.until(lambda: server.requests, "a request")
        await editor.until(lambda: any(editor.client.progress_reports.values()), "progress")
        (token,) = editor.client.progress_reports
        editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        await editor.until(
            lambda: editor.client.progress_reports[token][-1].kind == "end", "the end"
        )
        await editor.idle()
        await editor.until(lambda: server.hang_ups == len(server.requests), "the requests' end")


async def test_a_client_that_leaves_while_the_model_is_silent_takes_everything_along(
    editing: Open,
) -> None:
    with OpenAIServer([stall(60)]) as server:
        editor = await editing(server.base_url)
        await editor.save()
        await editor.until(lambda: server.requests, "a request")
        assert await leave(editor, GONE_SECONDS) == []


async def test_without_a_model_one_message_says_what_to_set(editing: Open) -> None:
    editor = await editing(None)
    for _ in range(2):
        await editor.save()
        await editor.idle()
    await editor.until(editor.messages)
    (message,) = editor.messages()
    assert "ASSAY_BASE_URL" in message
    assert editor.diagnostics() == []


async def test_an_untrusted_workspace_starts_nothing(editing: Open) -> None:
    with OpenAIServer([stall(60)]) as server:
        editor = await editing(server.base_url, options={"trusted": False})
        await editor.save()
        await editor.command("checkFile", editor.uri)
        await editor.settled()
        assert psutil.Process(editor.client._server.pid).children(recursive=True) == []
        assert not server.requests
    (message,) = editor.messages()
    assert "not trusted" in message
