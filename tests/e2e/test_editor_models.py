"""Models of the editor: it announces them, and is asked by a request. Real engine and sandbox."""

from __future__ import annotations

import asyncio
import html
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from pygls.exceptions import JsonRpcException
from pytest_lsp import client_capabilities

from support.check_workspace import MODULE, saying
from support.forking import forked
from support.lsp_editor import Editor, plain, start_editor, stop_editor

SERVER = ("-m", "assay_engine", "server", "--stdio")
PROJECT = "[tool.assay.sampling]\nrequest_seconds = {seconds}\ndraw_seconds = 40\n"
Complete = Callable[[dict[str, Any]], Awaitable[Any]]


class Asked:
    """An editor whose models are asked, and how."""

    def __init__(self, editor: Editor, complete: Complete) -> None:
        self.editor = editor
        self.requests: list[dict[str, Any]] = []
        self.under_way = self.most_under_way = self.cancelled = 0

        # A refusal is the client's answer, and no error of its own.
        editor.client.report_server_error = lambda *_: None

        @editor.client.feature("assay/complete")
        async def answer(_: object, params: Any) -> Any:
            self.requests.append(plain(params))
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            try:
                return await complete(self.requests[-1])
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
            finally:
                self.under_way -= 1


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Asked]]]:
    editors: list[Editor] = []

    async def start(
        complete: Complete,
        *,
        command: Sequence[str] | None = None,
        trusted: bool = True,
        seconds: float = 30,
        system: bool = False,
    ) -> Asked:
        folder = tmp_path / "workspace"
        folder.mkdir()
        (folder / "pyproject.toml").write_text(PROJECT.format(seconds=seconds), encoding="utf-8")
        capabilities = client_capabilities("visual_studio_code")
        models = [{"id": "copilot/large", "name": "Large (Copilot)"}, {"name": "without an id"}]
        capabilities.experimental = {
            "assay": {"status": True, "complete": {"models": models, "system": system}}
        }
        foreign = {name: "" for name in os.environ if name.startswith(("ASSAY_", "OPENAI_"))}
        editor = await start_editor(
            command or forked(*SERVER),
            folder,
            tmp_path / "journal",
            capabilities,
            options={"trusted": trusted},
            environment={
                **foreign,
                "HOME": str(tmp_path),
                # The user has set up an endpoint, and chosen a model of the editor since.
                "ASSAY_BASE_URL": "http://127.0.0.1:9/v1",
                "ASSAY_MODEL": "another",
                "ASSAY_STORE": str(tmp_path / "store" / "assay.db"),
            },
        )
        editor.patience = 90
        editors.append(editor)
        asked = Asked(editor, complete)
        await editor.open(MODULE)
        await editor.save()
        return asked

    yield start
    for editor in editors:
        await stop_editor(editor)


Start = Callable[..., Awaitable[Asked]]


async def test_a_model_of_the_editor_gives_a_verdict_and_no_port_is_opened(start: Start) -> None:
    say = saying()
    connections: list[Any] = []

    async def complete(params: dict[str, Any]) -> Any:
        server = psutil.Process(asked.editor.server.pid)
        for process in (server, *server.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                connections.extend(process.net_connections("inet"))
        await asyncio.sleep(0.2)
        return {"text": say(params["messages"][-1]["content"]), "usage": None}

    asked = await start(complete, command=(sys.executable, *SERVER))
    editor = asked.editor
    await editor.until(lambda: "ASY101" in editor.codes(), "the verdict")
    await editor.idle()
    assert connections == []
    # Eight requests may be under way to an endpoint.
    assert asked.most_under_way == 4
    for request in asked.requests:
        assert request.keys() == {"model", "messages", "maxTokens"}
        assert request["model"] == "copilot/large"
        # This client takes no system messages.
        (message,) = request["messages"]
        assert message["role"] == "user"
        assert "clamp" in message["content"]

    def spent() -> dict[str, Any]:
        return editor.statuses()[-1]["spent"]

    # The status follows within a second or so; what was withdrawn was sent, too.
    await editor.until(lambda: spent()["requests"] == len(asked.requests), "what it cost")
    assert spent()["tokens"] == 0
    lines = [each.message for each in editor.client.log_messages]
    assert lines
    assert not any("tokens" in each for each in lines)
    status = editor.statuses()[-1]
    assert (status["model"], status["host"]) == ("copilot/large", None)
    told = await editor.command("status")
    assert told["engine"]["models"][0]["endpoint"] is None
    # Unchanged, it costs nothing.
    await editor.command("checkFile", editor.uri)
    await editor.idle()
    assert len(asked.requests) == spent()["requests"]


async def test_system_messages_and_usage_are_for_clients_that_have_them(start: Start) -> None:
    say = saying()

    async def complete(params: dict[str, Any]) -> Any:
        usage = {"promptTokens": 100, "completionTokens": 11}
        return {"text": say(params["messages"][-1]["content"]), "usage": usage}

    asked = await start(complete, system=True)
    await asked.editor.until(lambda: "ASY101" in asked.editor.codes(), "the verdict")
    await asked.editor.idle()
    for request in asked.requests:
        assert [each["role"] for each in request["messages"]] == ["system", "user"]

    def spent() -> int:
        told = asked.editor.statuses()[-1]["spent"]
        return told["tokens"] if told else 0

    # The status follows within a second or so.
    await asked.editor.until(lambda: spent() > 0, "what it cost")
    # Some were withdrawn: what they would have shown was clear by then.
    assert spent() % 111 == 0


def refusing(message: str, data: Any, code: int = -32803) -> Complete:
    async def complete(_: object) -> Any:
        raise JsonRpcException(message, code, data)

    return complete


def answering(result: Any) -> Complete:
    async def complete(_: object) -> Any:
        return result

    return complete


async def never(_: object) -> Any:
    await asyncio.sleep(3600)


# What the client does, and what is said of it.
FAULTS: dict[str, tuple[Complete, str]] = {
    "consent": (
        refusing("\x1b[31mno", {"reason": "consent"}),
        'the editor says that you have not allowed it: "[31mno"; allow it when the next check asks',
    ),
    "quota": (
        refusing("come back tomorrow", {"reason": "quota"}),
        'its quota is spent: "come back tomorrow"; wait until it is renewed, or choose another',
    ),
    "unavailable": (
        refusing("", {"reason": "unavailable"}, 1),
        "is not available in the editor; sign in to its provider, or choose another model.",
    ),
    "cancelled": (refusing("stopped", None, -32800), 'reports an error: "stopped"; try again, or'),
    "no reason": (refusing("no", {"reason": ["x"]}), 'reports an error: "no"; try again, or'),
    "slow": (never, "did not answer within 1 s; try again, raise request_seconds, or choose"),
    "no object": (answering(["text"]), "sent a reply without text; update the editor or its"),
    "no text": (answering({"text": 7, "usage": {"promptTokens": "x"}}), "a reply without text"),
    "nothing": (answering(None), "a reply without text"),
    "odd names": (answering({"class": 1, "": [], "text ": "x"}), "Large (Copilot) "),
    "empty": (answering({"text": " \n"}), "sent an empty reply; try again or choose another model"),
    "too long": (
        answering({"text": "x" * 1_000_001}),
        "sent more than 1,000,000 characters, which",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_has_its_message(start: Start, fault: str) -> None:
    complete, expected = FAULTS[fault]
    asked = await start(complete, seconds=1 if fault == "slow" else 30)
    editor = asked.editor
    await editor.until(lambda: asked.requests, "a request")
    await editor.idle()
    page = await editor.command("evidence", editor.uri, "clamp")
    said = "\n".join([*editor.messages(), html.unescape(page["html"])])
    assert expected in said
    assert "\x1b" not in said
    if fault in ("consent", "quota", "unavailable"):
        # The editor may have asked its user, who has said no once.
        assert len(asked.requests) == 1
        assert expected in "\n".join(editor.messages())
    if fault == "slow":
        await editor.until(lambda: asked.cancelled == len(asked.requests), "the cancellations")


async def test_what_is_cancelled_is_withdrawn(start: Start) -> None:
    asked = await start(never)
    await asked.editor.until(lambda: asked.under_way, "a request")
    await asked.editor.command("cancelAll")
    await asked.editor.until(lambda: not asked.under_way, "the cancellations")
    assert asked.cancelled == len(asked.requests)


async def test_nothing_is_asked_in_a_workspace_that_is_not_trusted(start: Start) -> None:
    asked = await start(never, trusted=False)
    await asked.editor.command("checkFile", asked.editor.uri)
    await asked.editor.until(asked.editor.messages, "a message")
    await asked.editor.settled()
    assert "not trusted" in asked.editor.messages()[0]
    assert not asked.requests
