"""What an editor's user is told to do is something that can be done in an editor."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from support.forking import forked
from support.lsp_editor import Editor, own_surroundings, start_editor, stop_editor
from support.openai_server import OpenAIServer, status

MODULE = '''\
import nowhere_to_be_found


def double(n: int) -> int:
    """Return twice the number."""
    return nowhere_to_be_found.twice(n)
'''
PLAIN = MODULE.replace("import nowhere_to_be_found\n\n\n", "").replace(
    "nowhere_to_be_found.twice(n)", "2 * n"
)
# But for those of a command that is named as one of a terminal.
OPTION = re.compile(r"(?<![\w-])(?<!`assay check )--[a-z]+")

Open = Callable[..., Awaitable[Editor]]


@pytest.fixture
async def editing(tmp_path: Path) -> AsyncIterator[Open]:
    started: list[Editor] = []

    async def editing(text: str, **options: Any) -> Editor:
        folder = tmp_path / "project"
        folder.mkdir()
        editor = await start_editor(
            forked("-m", "assay_engine", "server"),
            folder,
            tmp_path / "journal",
            options=options,
            environment=own_surroundings(tmp_path, "http://127.0.0.1:9/v1"),
        )
        started.append(editor)
        await editor.open(text)
        await editor.command("checkFile", editor.uri)
        await editor.until(lambda: editor.diagnostics() or editor.messages(), "a word about it")
        await editor.idle()
        return editor

    yield editing
    for editor in started:
        await stop_editor(editor)


EMPTY = json.dumps({"assay_transcript": 1, "model": "m"})


@pytest.mark.parametrize(
    ("text", "options", "advice"),
    [
        (MODULE, {}, "name another interpreter in the setting `interpreter`"),
        (PLAIN, {"offline": True}, "check once without the setting `offline`"),
        (
            PLAIN,
            {"replay": "no transcript\n"},
            "the setting `replay` needs a file that `assay check --record` made",
        ),
        (
            PLAIN,
            {"replay": f"{EMPTY}\n"},
            "record it again in a terminal, with `assay check --record`",
        ),
    ],
    ids=["a package is missing", "nothing may be sent", "no transcript", "no reply"],
)
async def test_advice_names_settings_of_the_editor_and_no_options(
    editing: Open, tmp_path: Path, text: str, options: dict[str, Any], advice: str
) -> None:
    if "replay" in options:
        path = tmp_path / "text.jsonl"
        path.write_text(options["replay"], encoding="utf-8")
        options = {"replay": str(path)}
    editor = await editing(text, **options)
    hover = await editor.hover(editor.text().splitlines().index("def double(n: int) -> int:"), 5)
    findings = [each.message for each in editor.diagnostics()]
    shown = [*editor.messages(), *findings, hover.contents.value if hover else ""]
    words = "\n".join([*shown, str(await editor.command("status"))])
    assert advice in words
    assert not OPTION.findall(words)


ABLE = {"asks": ["setUpModel", "trust", "raiseLimit"]}


async def test_every_message_that_stops_a_check_has_the_button_that_helps(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    capabilities = types.ClientCapabilities(experimental={"assay": ABLE})
    with OpenAIServer([status(404), status(500)]) as server:

        async def told(address: str, *, answer: str | None = None, **more: Any) -> dict[str, Any]:
            """What is asked after a check, by a server in these surroundings."""
            variables = own_surroundings(tmp_path, address)
            editor = await start_editor(
                forked("-m", "assay_engine", "server"),
                folder,
                tmp_path / "journal",
                capabilities,
                options=more,
                environment=variables,
            )
            editor.client.answer = answer
            await editor.open(PLAIN)
            await editor.command("checkFile", editor.uri)
            await editor.until(editor.asked, "a message with a button")
            if answer is not None:
                sent = len(server.requests)
                editor.client.answer = None
                await editor.until(lambda: len(server.requests) > sent, "another attempt")
                await editor.until(lambda: len(editor.asked()) > 1, "the message once more")
            if not more:
                # What has come to nothing offers another attempt, not a page.
                await editor.idle()
                assert [each.endswith("· Check") for each in await editor.lenses()] == [True]
            await stop_editor(editor)
            return {
                "message": editor.asked()[0]["message"],
                "answers": [each["id"] for each in editor.asked()[0]["answers"]],
            }

        none = await told("")
        assert none["answers"] == ["setUpModel"]
        assert "terminal" not in none["message"]
        assert none["message"] == "Assay: No model is configured."
        down = await told(server.base_url, answer="Try Again")
        assert down["answers"] == ["tryAgain", "setUpModel"]
        # The limit is the editor's own setting, under the name that the message uses.
        spent = await told(server.base_url, budget={"tokens_per_day": 10, "requests_per_day": None})
        assert spent["answers"] == ["raiseLimit"]
        assert "budget.tokens_per_day" in spent["message"]
        untrusted = await told(server.base_url, trusted=False)
        assert untrusted["answers"] == ["trust"]
