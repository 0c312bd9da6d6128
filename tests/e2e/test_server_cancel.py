"""Leaving and cancelling while the model is being waited for: real engine, real HTTP."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import psutil
import pytest
from lsprotocol import types

from support.forking import forked
from support.lsp_editor import Editor, start_editor, stop_editor
from support.openai_server import Behaviour, Exchange, OpenAIServer, Request, ok, stall, status
from support.scripted_model import Siding

# Started for itself, so that its children are known.
ALONE = (sys.executable, "-m", "assay_engine", "server")
GONE_SECONDS = 10.0
TEXT = '''\
def double(n: int) -> int:
    """Return twice the number.

    >>> double(2)
    4
    """
    return n + n
'''

TWO = (
    f'{TEXT}\n\ndef triple(n: int) -> int:\n    """Return thrice the number."""\n    return n * 3\n'
)
PLENTY = """\
[tool.assay.budget]
requests_per_check = 13
tokens_per_check = 28000
"""

Open = Callable[..., Awaitable[Editor]]


class Slow:
    """A model that answers rightly, once it is let.

    Its first reply, before which it is asked nothing else, comes at once.
    """

    def __init__(self) -> None:
        self.let = threading.Event()
        self.reader = Siding()
        self.was_asked = False

    def __call__(self, request: Request) -> Behaviour:
        if request.method == "GET":
            return status(404)
        asked = request.body["messages"][-1]["content"]
        name, number = ("triple", 3) if "def triple(" in asked else ("double", 2)
        code = f"def {name}(n):\n    return {number} * n\n"
        if "Choose inputs" in asked:
            code = "".join(f"{name}({each})\n" for each in range(9))
        text = f"```python\n{code}```"
        if "Two functions" in asked:
            text = self.reader.answer(asked)
        if not self.was_asked:
            self.was_asked = True
            return ok(text)

        def behave(exchange: Exchange) -> None:
            while not self.let.is_set():
                if not exchange.wait(0.05):
                    exchange.server.script.hang_ups += 1
                    return
            ok(text)(exchange)

        return behave


def posted(server: OpenAIServer) -> list[str]:
    """What was asked, without the looks at which models there are."""
    return [
        request.body["messages"][-1]["content"]
        for request in server.requests
        if request.method == "POST"
    ]


def asked_about(server: OpenAIServer, name: str) -> int:
    return sum(f"def {name}(" in asked for asked in posted(server))


@pytest.fixture
async def editing(tmp_path: Path) -> AsyncIterator[Open]:
    """Opens an editor on a module, for a user with or without an endpoint."""
    started: list[Editor] = []

    async def editing(
        base_url: str | None, command: Sequence[str] | None = None, **how: object
    ) -> Editor:
        foreign = {name: "" for name in os.environ if name.startswith(("ASSAY_", "OPENAI_"))}
        endpoint = {
            "ASSAY_BASE_URL": base_url or "",
            "ASSAY_MODEL": "test-model",
            "ASSAY_API_KEY": "none",
        }
        here = {"HOME": str(tmp_path), "ASSAY_STORE": str(tmp_path / "assay.db")}
        editor = await start_editor(
            command or forked("-m", "assay_engine", "server"),
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
        if editor.server.returncode is None:
            await stop_editor(editor)


async def asking(editing: Open, server: OpenAIServer, text: str) -> Editor:
    """An editor with room for one check in its budget, which waits for the first replies."""
    editor = await editing(server.base_url)
    (editor.folder / "pyproject.toml").write_text(PLENTY, encoding="utf-8")
    await editor.change(text)
    await editor.save()
    await editor.until(lambda: asked_about(server, "double") == 5, "the first requests")
    return editor


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


async def test_an_untrusted_workspace_starts_nothing(editing: Open) -> None:
    with OpenAIServer([stall(60)]) as server:
        editor = await editing(server.base_url, ALONE, options={"trusted": False})
        await editor.save()
        await editor.command("checkFile", editor.uri)
        await editor.settled()
        assert psutil.Process(editor.server.pid).children(recursive=True) == []
        assert not server.requests
    (message,) = editor.messages()
    assert "not trusted" in message


async def test_edits_outside_of_a_function_leave_its_check_alone(editing: Open) -> None:
    slow = Slow()
    wrong = TEXT.replace("n + n", "n + n + (n > 4)")
    with OpenAIServer(slow) as server:
        editor = await asking(editing, server, wrong)
        for lines in range(1, 5):
            await editor.change("# a comment\n" * lines + wrong)
            await editor.save()
            await editor.settled()
        assert (asked_about(server, "double"), server.hang_ups) == (5, 0)
        slow.let.set()
        await editor.until(editor.diagnostics, "the finding")
        await editor.idle()
        assert (asked_about(server, "double"), server.hang_ups) == (13, 0)
    (finding,) = editor.diagnostics()
    assert finding.code == "ASY101"
    assert finding.range.start.line == 4


async def test_an_edit_of_a_body_asks_for_nothing_twice(editing: Open) -> None:
    slow = Slow()
    with OpenAIServer(slow) as server:
        editor = await asking(editing, server, TEXT)
        for number in range(5, 8):
            await editor.change(TEXT.replace("n + n", f"n + n + (n > {number})"))
            await editor.save()
            await editor.settled()
        slow.let.set()
        await editor.until(editor.diagnostics, "the finding")
        await editor.idle()
        assert (asked_about(server, "double"), server.hang_ups) == (13, 0)
    (finding,) = editor.diagnostics()
    assert finding.code == "ASY101"


async def test_an_edit_back_and_away_ends_what_nobody_wants(editing: Open) -> None:
    slow = Slow()
    with OpenAIServer(slow) as server:
        editor = await asking(editing, server, TEXT)
        await editor.change(TEXT.replace("n + n", "2 * n"))
        await editor.save()
        await editor.settled()
        assert server.hang_ups == 0
        await editor.change("")
        await editor.save()
        await editor.until(lambda: server.hang_ups == 4, "the requests' end")
        await editor.idle()
        assert asked_about(server, "double") == 5


async def test_an_edit_of_one_function_ends_its_trial_alone(editing: Open) -> None:
    slow = Slow()
    with OpenAIServer(slow) as server:
        editor = await editing(server.base_url)
        await editor.change(TWO)
        await editor.save()
        # Five for each, of which one was answered and eight may be under way.
        await editor.until(lambda: len(posted(server)) == 9, "the requests")
        former = asked_about(server, "triple")
        waiting = former - ("def triple(" in posted(server)[0])
        assert waiting > 0
        await editor.change(TWO.replace("thrice", "three times"))
        await editor.save()
        await editor.until(lambda: server.hang_ups == waiting, "the former ones' end")
        slow.let.set()
        await editor.idle()
        assert (asked_about(server, "double"), server.hang_ups) == (5, waiting)
        assert asked_about(server, "triple") == former + 5


async def test_a_save_after_the_endpoint_was_down_tries_again(editing: Open) -> None:
    slow = Slow()
    slow.let.set()
    down = True

    def script(request: Request) -> Behaviour:
        return status(401) if down else slow(request)

    with OpenAIServer(script) as server:
        editor = await editing(server.base_url)
        await editor.change(TEXT.replace("n + n", "n + n + (n > 4)"))
        await editor.save()
        await editor.idle()
        assert editor.diagnostics() == []
        down = False
        await editor.save()
        await editor.until(editor.diagnostics, "the finding")
    assert editor.codes() == ["ASY101"]
