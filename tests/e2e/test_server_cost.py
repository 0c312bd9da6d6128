"""What saving costs: nothing for what is committed, once for two windows, and no check is lost."""

from __future__ import annotations

import asyncio
import itertools
import re
import sys
import time
from ast import literal_eval
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from lsprotocol import types

from assay_lsp.checks import REST_SECONDS
from support.forking import forked
from support.lsp_editor import Editor, own_surroundings, start_editor, stop_editor
from support.openai_server import Behaviour, Exchange, OpenAIServer, Request, ok, status
from support.repositories import repository

# Started for itself, so that it can be killed.
ALONE = (sys.executable, "-m", "assay_engine", "server")
# Four candidates that agree, and the inputs.
REQUESTS_OF_ONE = 5
PATIENCE_SECONDS = 90.0

Open = Callable[..., Awaitable[Editor]]


def module(functions: int) -> str:
    return "".join(
        f'def add_{number}(value: int) -> int:\n    """Return the value plus {number}."""\n'
        f"    return value + {number}\n\n\n"
        for number in range(functions)
    )


def answering(request: Request) -> Behaviour:
    if request.method == "GET":
        return status(404)
    prompt = request.body["messages"][-1]["content"]
    name = prompt[prompt.index("def add_") + 4 :].partition("(")[0]
    code = f"def {name}(value):\n    return value + {name.removeprefix('add_')}\n"
    if "Choose inputs" in prompt:
        code = "".join(f"{name}({each})\n" for each in range(9))
    return ok(f"```python\n{code}```")


def slowly(request: Request) -> Behaviour:
    behave = answering(request)

    def after_a_while(exchange: Exchange) -> None:
        if exchange.wait(0.5):
            behave(exchange)

    return after_a_while


def asked(server: OpenAIServer) -> list[str]:
    """The functions that requests were about, one for each."""
    prompts = [
        each.body["messages"][-1]["content"] for each in server.requests if each.method == "POST"
    ]
    return [each[each.index("def add_") + 4 :].partition("(")[0] for each in prompts]


@pytest.fixture
async def window(tmp_path: Path) -> AsyncIterator[Open]:
    """Opens windows on a project, whose repository has `module` as `committed`."""
    started: list[Editor] = []

    async def window(
        server: OpenAIServer,
        text: str | None,
        command: Sequence[str] | None = None,
        able: dict[str, object] | None = None,
        variables: dict[str, str] | None = None,
        **options: object,
    ) -> Editor:
        """`able` is what the client announces for this server alone."""
        folder = tmp_path / "project"
        editor = await start_editor(
            command or forked("-m", "assay_engine", "server"),
            folder,
            tmp_path / "journal",
            types.ClientCapabilities(experimental={"assay": {"status": True, **(able or {})}}),
            options=options,
            environment=own_surroundings(tmp_path, server.base_url) | (variables or {}),
        )
        started.append(editor)
        editor.path = folder / "module.py"
        if text is not None:
            await editor.open(text)
        return editor

    yield window
    for editor in started:
        if editor.server.returncode is None:
            await stop_editor(editor)


async def test_the_first_save_of_a_committed_file_sends_nothing(
    tmp_path: Path, window: Open
) -> None:
    repository(tmp_path / "project").commit(module=module(30))
    with OpenAIServer(answering) as server:
        editor = await window(server, module(30))
        await editor.save()
        await editor.idle()
        assert asked(server) == []
        changed = module(30).replace("Return the value plus 7.", "Return the value and seven.")
        await editor.change(changed)
        editor.path.write_text(changed)
        await editor.save()
        await editor.until(lambda: len(asked(server)) == REQUESTS_OF_ONE, "the requests")
        await editor.idle()
        assert asked(server) == ["add_7"] * REQUESTS_OF_ONE
        assert await editor.lenses() == [
            "trusted · 4 of 4" if number == 7 else "not checked · Check" for number in range(30)
        ]
        assert editor.messages() == []


async def until_told(editor: Editor, message: str) -> None:
    def told() -> list[str]:
        return [each["message"] for each in editor.statuses()[-1:]]

    await editor.until(lambda: told() == [message], f"{message!r}, not {editor.statuses()[-1:]}")


async def test_the_status_counts_what_was_found_in_files_that_nobody_has_open(
    tmp_path: Path, window: Open
) -> None:
    wrong = module(1).replace("value + 0", "value")
    project = repository(tmp_path / "project")
    with OpenAIServer(answering) as server:
        project.write("module.py", wrong.replace("return value", "return value + 1"))
        editor = await window(server, (tmp_path / "project" / "module.py").read_text())
        await editor.save()
        await until_told(editor, "1 ambiguous")
        await editor.close()
        await editor.settled()
        assert (editor.codes(), editor.statuses()[-1]["message"]) == (["ASY201"], "1 ambiguous")
        await stop_editor(editor)
        paid = len(server.requests)
        editor = await window(server, None)
        await editor.until(editor.codes, "the finding")
        await until_told(editor, "1 ambiguous")
        assert len(server.requests) == paid
        # It is about the file as it is.
        project.write("module.py", wrong)
        await until_told(editor, "nothing checked")
        assert editor.codes() == []
        await stop_editor(editor)
        editor = await window(server, None)
        await editor.settled()
        assert editor.codes() == []


async def test_comparing_with_the_last_commit_sends_nothing(tmp_path: Path, window: Open) -> None:
    repository(tmp_path / "project").commit(module=module(2))
    changed = module(2).replace("return value + 1", "return value + 1 if value != 40 else 0")
    with OpenAIServer(answering) as server:
        editor = await window(server, changed, trigger="manual")
        for line, said in ((1, "add_0: no difference from"), (6, "add_1(40): the version in")):
            await editor.command("compareFunction", editor.uri, {"line": line, "character": 5})
            await editor.until(
                lambda said=said: any(said in each for each in editor.messages()), said
            )
        assert asked(server) == []


async def test_what_was_spent_today_only_grows(window: Open) -> None:
    told: list[tuple[int, int]] = []

    async def follow(editor: Editor, state: str) -> None:
        await editor.until(lambda: [each["state"] for each in editor.statuses()][-1:] == [state])
        spent = [each["spent"] for each in editor.statuses() if each["spent"]]
        told.extend((each["requests"], each["tokens"]) for each in spent)

    with OpenAIServer(slowly) as server:
        editor = await window(server, module(2))
        await editor.save()
        await editor.until(lambda: len(asked(server)) == 2 * REQUESTS_OF_ONE, "the requests")
        await follow(editor, "idle")
        await stop_editor(editor)
        paid = told[-1]
        assert paid[0] == 2 * REQUESTS_OF_ONE
    # The endpoint is down: what is set aside for these requests is never sent.
    again = await window(server, module(3))
    await again.save()
    await follow(again, "problem")
    assert told == sorted(told)
    assert told[-1] == paid


async def test_what_was_sent_can_be_read(tmp_path: Path, window: Open) -> None:
    key, secret = "sk-0123456789abcdef", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    text = (
        module(1)
        .replace("def add_0", f'TOKEN = "{secret}"\n\n\ndef add_0')
        .replace("value + 0", "value + 0 * len(TOKEN)")
    )
    repository(tmp_path / "project").write("module.py", text)
    with OpenAIServer(answering) as server:
        for level, prompts in (("warning", 0), ("debug", REQUESTS_OF_ONE)):
            editor = await window(
                server, text, variables={"ASSAY_API_KEY": key}, logLevel=level, trigger="manual"
            )
            again = {"line": text[: text.index("def add_0")].count("\n"), "character": 5}
            await editor.command("checkFunction", editor.uri, again)
            wanted, said = REQUESTS_OF_ONE + prompts, editor.client.log_messages
            await editor.until(lambda said=said, wanted=wanted: len(said) >= wanted, "lines")
            await editor.idle()
            lines = [each.message for each in said if "tokens" in each.message.splitlines()[0]]
            assert len(lines) == REQUESTS_OF_ONE
            assert all(
                re.fullmatch(r"add_0: \S+ \d to m, \d+ \+ \d+ tokens, [\d.]+ s", each)
                for each in lines
            )
            verbose = [each.message for each in said if "--- sent" in each.message]
            assert len(verbose) == prompts
            assert all("Return the value plus 0." in each for each in verbose)
            assert not any(key in each.message or secret in each.message for each in said)
            (tmp_path / "cache" / "assay" / "assay.db").unlink()
            await stop_editor(editor)


async def test_two_windows_pay_once(tmp_path: Path, window: Open) -> None:
    repository(tmp_path / "project").write("module.py", module(1))
    with OpenAIServer(slowly) as server:
        windows = [await window(server, module(1)) for _ in range(2)]
        for editor in windows:
            await editor.save()
        for editor in windows:
            await editor.idle()
            assert await editor.lenses() == ["trusted · 4 of 4"]
        assert asked(server) == ["add_0"] * REQUESTS_OF_ONE
        status = (await windows[0].command("status"))["status"]
        assert status["spent"]["requests"] == REQUESTS_OF_ONE


@pytest.mark.parametrize("how", ["a save", "a command"])
async def test_a_check_that_ends_with_the_server_is_made_up_for(
    tmp_path: Path, window: Open, how: str
) -> None:
    repository(tmp_path / "project").write("module.py", module(1))
    with OpenAIServer(slowly) as server:
        editor = await window(server, module(1), ALONE)
        if how == "a save":
            await editor.save()
        else:
            await editor.command("checkFile", editor.uri)
        await editor.until(lambda: asked(server), "the first request")
        editor.server.kill()
        await editor.server.wait()
        again = await window(server, module(1))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while await again.lenses() != ["trusted · 4 of 4"]:
            assert time.monotonic() < deadline, "the check is not made up for"
            await asyncio.sleep(0.1)


async def test_another_text_is_not_checked_for_a_check_that_was_lost(
    tmp_path: Path, window: Open
) -> None:
    repository(tmp_path / "project").write("module.py", module(1))
    with OpenAIServer(slowly) as server:
        editor = await window(server, module(1), ALONE)
        await editor.save()
        await editor.until(lambda: asked(server), "the first request")
        editor.server.kill()
        await editor.server.wait()
        sent = len(asked(server))
        again = await window(server, module(2))
        await again.settled()
        assert await again.lenses() == ["not checked · Check"] * 2
        assert len(asked(server)) == sent


async def test_saves_that_nobody_made_wait_for_a_finished_thought(
    tmp_path: Path, window: Open
) -> None:
    """One docstring is typed in five pieces, and a function renamed by hand, with auto-save on."""
    repository(tmp_path / "project").commit(module=module(2))
    with OpenAIServer(answering) as server:
        editor = await window(server, module(2))
        text = module(2)

        async def typed(old: str, new: str) -> None:
            nonlocal text
            text = text.replace(old, new, 1)
            await editor.change(text)
            editor.path.write_text(text)
            await editor.save(reason=types.TextDocumentSaveReason.AfterDelay)

        said = "Return the value plus 0."
        for piece in ("Return", "Return the sum", "Return the sum of", "Return the sum of it"):
            await typed(said, piece)
            await asyncio.sleep(REST_SECONDS + 0.5 if piece == "Return the sum of" else 0.2)
            said = piece
        await typed(said, "Return the sum of it and 0.")
        begun = time.monotonic()
        for old, new in (("add_1", "add_"), ("add_(", "add_0x("), ("add_0x", "add_0x1")):
            await typed(old, new)
        if time.monotonic() - begun > REST_SECONDS / 2:
            pytest.skip(
                "the machine stood still while the name was typed, as if its user had rested"
            )
        await editor.until(lambda: len(asked(server)) >= 2 * REQUESTS_OF_ONE, "the requests")
        await editor.idle()
        assert sorted(set(asked(server))) == ["add_0", "add_0x1"]
        assert len(asked(server)) == 2 * REQUESTS_OF_ONE
        # A save by hand waits for nothing, whatever the docstring.
        await editor.change(text.replace("Return the sum of it and 0.", "Return the value and"))
        await editor.save()
        await editor.until(lambda: len(asked(server)) == 3 * REQUESTS_OF_ONE, "a save by hand")


async def test_what_is_typed_during_a_check_costs_no_reply_that_is_under_way(
    tmp_path: Path, window: Open
) -> None:
    """Whoever pauses in the body goes on typing while the model is being asked."""

    def slower_than_a_rest(request: Request) -> Behaviour:
        behave = answering(request)

        def after_a_rest(exchange: Exchange) -> None:
            if exchange.wait(REST_SECONDS + 2):
                behave(exchange)

        return after_a_rest

    repository(tmp_path / "project").commit(module=module(1))
    text = module(1).replace("Return the value plus 0.", "Return the value.")
    with OpenAIServer(slower_than_a_rest) as server:
        editor = await window(server, module(1))
        for body in ("return value + 0", "got = value", "got = value\n    return got + 0"):
            written = text.replace("return value + 0", body)
            await editor.change(written)
            editor.path.write_text(written)
            await editor.save(reason=types.TextDocumentSaveReason.AfterDelay)
            await editor.until(lambda: asked(server), "the first request")
        await editor.until(lambda: len(asked(server)) == REQUESTS_OF_ONE, "the others")
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await editor.lenses() != ["trusted · 4 of 4"]:
                await asyncio.sleep(0.1)
        assert len(asked(server)) == REQUESTS_OF_ONE


@pytest.mark.parametrize("able", [{}, {"asks": []}], ids=["any client", "one that asks itself"])
async def test_a_question_that_nobody_sees_any_more_is_not_lost(
    tmp_path: Path, window: Open, able: dict[str, object]
) -> None:
    repository(tmp_path / "project").write("module.py", module(3))
    with OpenAIServer(answering) as server:
        editor = await window(server, module(3), able=able, askAbove=14)
        unanswered = editor.client.waits = asyncio.Event()
        await editor.save()
        await editor.until(lambda: len(editor.questions()) == 1, "the question of a save")
        waiting = {
            "state": "askingCost",
            "message": "check 3 functions of module.py? About 39 requests",
            "question": "check 3 functions of module.py? About 39 requests",
        }
        await editor.until(lambda: waiting.items() <= editor.statuses()[-1].items(), "the status")
        # Whoever asks once more is asked once more, as is whoever takes the status's offer.
        await editor.command("checkFile", editor.uri)
        await editor.until(lambda: len(editor.questions()) == 2, "the question of a command")
        await editor.command("askConsent")
        await editor.until(lambda: len(editor.questions()) == 3, "the question once more")
        assert set(editor.questions()) == {editor.questions()[0]}
        assert [each["modal"] for each in editor.asked()] == [False, True, True][: 3 * bool(able)]
        assert asked(server) == []
        editor.client.answer = "Check"
        unanswered.set()
        await editor.until(lambda: len(asked(server)) == 15, "all requests, and each once")
        await editor.idle()
        assert len(asked(server)) == 15
        await editor.until(lambda: editor.statuses()[-1]["question"] is None, "the status")
        # What costs as much by a code action asks, too.
        before = len(editor.questions())
        dear = [each for each in await editor.actions(0, 5) if "thoroughly" in each.title]
        # pytest-lsp's parser takes an action that has a command for one, and spells it out.
        await editor.command("triangulateFunction", *literal_eval(dear[0].command)["arguments"])
        await editor.until(lambda: len(editor.questions()) == before + 1, "the question")


async def test_what_was_found_is_there_again_though_another_function_was_edited(
    tmp_path: Path, window: Open
) -> None:
    """Each candidate is wrong on an input of its own, so none is offered in the function's place:
    the reason for that may go with an edit elsewhere, what was found does not."""
    drawn = itertools.count(4)

    def quarrelling(request: Request) -> Behaviour:
        if request.method == "GET":
            return status(404)
        if "Choose inputs" in request.body["messages"][-1]["content"]:
            calls = "".join(f"add_0({each})\n" for each in range(24))
            return ok(f"```python\n{calls}```")
        wrong = f"    if value == {next(drawn)}:\n        return -1\n"
        return ok(f"```python\ndef add_0(value):\n{wrong}    return value\n```")

    text = module(1).replace("value + 0", "value if value else 7")
    with OpenAIServer(quarrelling) as server:
        editor = await window(server, f"{text}\n\ndef other():\n    return 1\n", trigger="manual")
        await editor.command("checkFile", editor.uri)
        await editor.until(editor.codes, "the finding")
        await editor.idle()
        assert not [each for each in await editor.actions(0, 5) if "Replace" in each.title]
        (shown, _) = await editor.lenses()
        await stop_editor(editor)
        paid = len(server.requests)
        again = await window(server, f"{text}\n\ndef other():\n    return 2\n", trigger="manual")
        await again.until(again.codes, "the finding")
        assert (await again.lenses())[0] == shown
        assert len(server.requests) == paid


async def test_a_check_of_a_docstring_that_is_gone_does_not_go_on(
    tmp_path: Path, window: Open
) -> None:
    """Something is typed by mistake, saved by the editor, and undone."""

    def never(request: Request) -> Behaviour:
        return status(404) if request.method == "GET" else lambda exchange: exchange.wait(60)

    repository(tmp_path / "project").commit(module=module(1))
    with OpenAIServer(never) as server:
        editor = await window(server, module(1))

        async def typed(text: str) -> None:
            await editor.change(text)
            editor.path.write_text(text)
            await editor.save(reason=types.TextDocumentSaveReason.AfterDelay)

        await typed(module(1).replace("the value plus", "the valasdfue plus"))
        await editor.until(lambda: asked(server), "the first request")
        await typed(module(1))
        await editor.until(lambda: editor.statuses()[-1]["state"] == "idle", "its end")


async def test_what_held_before_an_edit_elsewhere_is_back_with_its_undo(
    tmp_path: Path, window: Open
) -> None:
    helper = "def step():\n    return 0\n"
    text = "from steps import step\n\n\n" + module(1).replace("value + 0", "step() or 7")
    with OpenAIServer(answering) as server:
        project = repository(tmp_path / "project")
        project.write("steps.py", helper)
        project.write("module.py", text)
        editor = await window(server, text, trigger="manual")
        await editor.command("checkFile", editor.uri)
        await editor.until(editor.codes, "the finding")
        await editor.idle()
        found = editor.codes()
        uri = await editor.open(helper, (tmp_path / "project" / "steps.py").as_uri())
        for changed, codes in (("return 1", []), ("return 0", found)):
            (tmp_path / "project" / "steps.py").write_text(helper.replace("return 0", changed))
            await editor.until(lambda codes=codes: editor.codes() == codes, changed)
        await editor.close(uri)


async def test_a_file_that_does_not_parse_is_told_beside_what_was_checked(window: Open) -> None:
    with OpenAIServer(answering) as server:
        editor = await window(server, f"{module(1)}def broken(:\n", trigger="manual")
        await editor.command("checkFile", editor.uri)
        await editor.until(lambda: len(editor.messages()) == 2, "both messages")
        broken, outcome = editor.messages()
        assert "Line 6 does not parse" in broken
        assert outcome.startswith("Assay: 1 checked: 1 trusted; ")


async def test_a_lens_says_what_held_before_something_that_is_used_changed(
    tmp_path: Path, window: Open
) -> None:
    text = "STEP = 0\n\n\n" + module(2).replace("value + 0", "value + STEP")
    with OpenAIServer(answering) as server:
        editor = await window(server, text, trigger="manual")
        await editor.command("checkFile", editor.uri)
        await editor.until(lambda: editor.statuses()[-1]["message"] == "2 trusted", "verdicts")
        await editor.change(text.replace("STEP = 0", "STEP = 1"))
        await editor.save()
        async with asyncio.timeout(PATIENCE_SECONDS):
            expected = ["was trusted, not checked since · Check", "trusted · 4 of 4"]
            while await editor.lenses() != expected:
                await asyncio.sleep(0.1)
        await editor.until(lambda: editor.statuses()[-1]["message"] == "1 trusted", "the count")


async def test_a_finding_says_what_the_last_commit_did_until_there_is_a_new_one(
    tmp_path: Path, window: Open
) -> None:
    made = repository(tmp_path / "project")
    made.commit(module=module(2))
    changed = module(2).replace("return value + 1", "return value + 1 if value != 4 else 0")
    changed = changed.replace("return value + 0", "return int(value)")
    with OpenAIServer(answering) as server:
        editor = await window(server, changed)
        editor.path.write_text(changed)
        await editor.save()
        await editor.until(editor.diagnostics, "the finding")
        await editor.idle()
        (finding,) = editor.diagnostics()
        assert finding.message.endswith("; the version in the last commit returns 5")
        paid = len(asked(server))
        made.commit(module=changed)
        await editor.save()

        def alone() -> bool:
            found = editor.diagnostics()
            return bool(found) and "the last commit" not in found[0].message

        await editor.until(alone, "the finding, without what is no former version any more")
        assert await editor.lenses() == ["trusted · 4 of 4", "ambiguous: add_1(4) gives 5 or 0"]
        await editor.command("checkFile", editor.uri)
        await editor.settled()
        assert alone()
        assert len(asked(server)) == paid
