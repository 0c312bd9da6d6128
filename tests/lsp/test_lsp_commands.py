"""Commands, progress, consent, settings and trust: what the user says, and what becomes of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from support.lsp_editor import Editor, Start

SLOW = 'def slow(n):\n    """[slow]"""\n\n\ndef f(n):\n    """[differs]"""\n'
FINE = 'def f(n):\n    """Fine. [differs]"""\n'


async def under_way(editor: Editor, name: str = "slow") -> None:
    await editor.until(lambda: any(name in line for line in editor.history()), f"{name} to start")


async def with_settings_changing(start: Start, **others: str) -> tuple[Editor, list[str]]:
    """An editor that goes offline while a check runs that takes a while to end, and the URIs of
    its other files, which are open."""
    editor = await start(types.ClientCapabilities())
    await editor.open(SLOW.replace("[slow]", "[slow] [slow-to-end]"))
    uris = [
        await editor.open(text, (editor.folder / f"{name}.py").as_uri())
        for name, text in others.items()
    ]
    await editor.save()
    await under_way(editor)
    editor.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"assay": {"offline": True}})
    )
    return editor, uris


async def test_a_function_is_checked_by_position(start: Start) -> None:
    editor = await start()
    await editor.open(SLOW)
    await editor.command("checkFunction", editor.uri, {"line": 5, "character": 6})
    await editor.until(editor.diagnostics)
    assert "check f" in editor.history()
    await editor.command("checkFunction", editor.uri, {"line": 2, "character": 0})
    await editor.until(lambda: len(editor.messages()) == 2)
    assert editor.messages()[0] == "Assay: 1 checked: 1 suspect; no requests"
    assert "no function here" in editor.messages()[1]


async def test_a_file_the_project_leaves_out_is_checked_on_demand_only(start: Start) -> None:
    editor = await start()
    editor.path = editor.folder / "models_generated.py"
    await editor.open(FINE)
    await editor.save()
    await editor.settled()
    assert editor.diagnostics() == []
    await editor.command("checkFile", editor.uri)
    await editor.until(editor.diagnostics)
    assert editor.codes() == ["ASY101"]


async def test_a_file_that_is_not_open_can_be_checked(start: Start) -> None:
    editor = await start()
    path = editor.folder / "other.py"
    path.write_bytes(b"\xef\xbb\xbf" + FINE.replace("\n", "\r\n").encode())
    await editor.command("checkFile", path.as_uri())
    await editor.until(lambda: editor.codes(path.as_uri()) == ["ASY101"])
    assert editor.diagnostics(path.as_uri())[0].range.start == types.Position(0, 4)
    await editor.command("checkFile", (editor.folder / "missing.py").as_uri())
    await editor.until(lambda: len(editor.messages()) == 2)
    assert "missing.py: No such file or directory" in editor.messages()[1]


async def test_what_keeps_a_text_from_being_checked_is_said(start: Start) -> None:
    editor = await start()
    await editor.open("def f(n:\n    pass\n")
    (editor.folder / "été.py").write_bytes(b"# \xe9\n")
    cell = await editor.open(FINE, f"vscode-notebook-cell:{editor.folder}/n.ipynb#W0")
    prose = await editor.open("Words.", (editor.folder / "m.md").as_uri(), language="markdown")
    for name, arguments, reason in (
        ("checkFunction", [editor.uri, {"line": 0, "character": 4}], "does not parse"),
        ("checkFile", [editor.uri], "does not parse"),
        ("checkFile", [(editor.folder / "été.py").as_uri()], "été.py: not readable as Python"),
        ("checkFile", [cell], "send notebook structure"),
        ("checkFile", [prose], "m.md is not Python source"),
        ("checkFile", ["vscode-remote://[x/m.py"], "is not a file on this machine"),
    ):
        before = len(editor.messages())
        await editor.command(name, *arguments)
        await editor.until(lambda before=before: len(editor.messages()) > before, reason)
        assert reason in editor.messages()[-1]


async def test_a_uri_that_is_none_is_in_nobodys_way(start: Start) -> None:
    editor = await start()
    await editor.open(FINE, "vscode-remote://[x/m.py")
    await editor.open(FINE)
    local = editor.uri.replace("file://", "file://localhost")
    await editor.command("checkFile", local)
    await editor.until(lambda: editor.codes() == ["ASY101"])


async def test_without_a_name_the_file_is_checked_that_the_editor_spoke_of_last(
    start: Start,
) -> None:
    editor = await start()
    await editor.command("checkFile")
    await editor.until(editor.messages)
    assert "no Python file is open" in editor.messages()[0]
    first = await editor.open(FINE)
    await editor.open(FINE, (editor.folder / "second.py").as_uri())
    await editor.hover(0, 0)
    await editor.command("checkFile")
    await editor.until(lambda: editor.codes(first) == ["ASY101"])
    await editor.settled()
    assert editor.codes((editor.folder / "second.py").as_uri()) == []


async def test_a_file_that_is_opened_while_it_is_read_for_a_check_is_what_the_editor_says(
    start: Start,
) -> None:
    editor = await start()
    await editor.settled()
    for number in range(10):
        path = editor.folder / f"large_{number}.py"
        path.write_text("# no\n" * 300_000 + FINE)
        editor.client.workspace_execute_command(
            types.ExecuteCommandParams("assay.server.checkFile", [path.as_uri()])
        )
        await asyncio.sleep(number / 1000)
        uri = await editor.open(FINE, path.as_uri())
        await editor.until(lambda uri=uri: editor.diagnostics(uri), "the finding")
        assert editor.diagnostics(uri)[0].range.start == types.Position(0, 4)


async def test_a_command_that_looks_for_its_function_brings_no_former_text_back(
    start: Start,
) -> None:
    editor = await start()
    await editor.open("")
    await editor.settled()
    # Takes a while to look through for the first time.
    plenty = "".join(f"def g{number}(n):\n    return {number}\n\n\n" for number in range(1500))
    await editor.change(plenty + FINE)
    editor.client.workspace_execute_command(
        types.ExecuteCommandParams(
            "assay.server.checkFunction", [editor.uri, {"line": 6000, "character": 5}]
        )
    )
    # By when this is answered, the search has begun.
    await editor.hover(0, 0)
    await editor.change(SLOW)
    await editor.save()
    await under_way(editor, "check slow,f")
    await editor.settled()
    assert "cancelled slow" not in editor.history()


async def test_a_command_with_wrong_arguments_is_an_error_and_no_end(start: Start) -> None:
    editor = await start()
    for name, *arguments in (
        ("checkFile", 7),
        ("checkFunction", editor.uri),
        ("checkFunction", editor.uri, {"line": "x"}),
        ("showEvidence", editor.uri),
        ("nonsense",),
    ):
        try:
            await editor.command(name, *arguments)
        except JsonRpcException:
            continue
        raise AssertionError(f"{name} took {arguments}")
    assert (await editor.command("status")) is not None


async def test_a_newer_text_replaces_a_running_check(start: Start) -> None:
    editor = await start()
    await editor.open(SLOW)
    await editor.save()
    await under_way(editor)
    await editor.save()
    await editor.change(((1, 8, 1, 12), "well"))
    await editor.save()
    await editor.until(lambda: editor.codes() == ["ASY101"])
    await editor.until(lambda: "cancelled slow" in editor.history())
    checks = [line for line in editor.history() if line.startswith(("check", "cancelled"))]
    # The newer one takes over before the older one ends: what both need is not begun twice.
    assert checks[:2] == ["check slow,f"] * 2
    assert sorted(checks[2:]) == ["cancelled slow", "checked"]


async def test_progress_begins_late_and_ends(start: Start) -> None:
    editor = await start()
    await editor.open(FINE)
    await editor.save()
    await editor.until(editor.diagnostics)
    await editor.settled()
    assert editor.client.progress_reports == {}
    await editor.open(SLOW)
    await editor.save()
    await editor.until(lambda: any(editor.client.progress_reports.values()), "progress")
    (token,) = editor.client.progress_reports
    begin = editor.client.progress_reports[token][0]
    assert isinstance(token, str)
    assert begin.title == "Assay: module.py"
    assert begin.cancellable
    assert "slow" in begin.message
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    await editor.until(lambda: "cancelled slow" in editor.history())
    await editor.until(lambda: editor.client.progress_reports[token][-1].kind == "end")
    assert editor.client.progress_reports[token][-1].message == "cancelled"
    assert (await editor.command("status"))["checks"]["running"] == 0


@pytest.mark.parametrize("demanded", [False, True])
async def test_progress_ends_with_what_the_check_came_to(start: Start, demanded: bool) -> None:
    editor = await start()
    await editor.open(
        'def f(n):\n    """[differs]"""\n    return 0\n\n\n'
        'def g(n):\n    """[unsupported]"""\n    return 0\n\n\n'
        'def h(n):\n    """[a-while]"""\n    return 0\n'
    )
    if demanded:
        await editor.command("checkFile", editor.uri)
    else:
        await editor.save()
    await editor.until(lambda: any(editor.client.progress_reports.values()), "progress")
    (token,) = editor.client.progress_reports
    await editor.until(lambda: editor.client.progress_reports[token][-1].kind == "end")
    said = "2 checked: 1 trusted, 1 suspect; 1 not checked; no requests"
    assert editor.client.progress_reports[token][-1].message == said
    # Only who has asked is told a second time, and what could not be checked.
    await editor.settled()
    assert editor.messages() == ([f"Assay: {said}"] if demanded else [])
    assert len(editor.diagnostics()) == 1 + demanded


async def test_a_found_server_is_used_after_a_yes_and_asked_about_once(start: Start) -> None:
    servers = {"ASSAY_TEST_SERVERS": "Ollama=http://127.0.0.1:11434/v1"}
    editor = await start(environment=servers)
    editor.client.answer = "Yes"
    await editor.open(FINE)
    await editor.save()
    await editor.until(editor.diagnostics)
    (question,) = editor.client.questions
    assert "use Ollama at 127.0.0.1:11434" in question
    history = editor.history()
    consent = history.index("consent http://127.0.0.1:11434/v1 True")
    assert consent < history.index("check f")


@pytest.mark.parametrize("demanded", [False, True])
async def test_a_dismissed_question_is_asked_again_of_who_asks_for_a_check(
    start: Start, demanded: bool
) -> None:
    editor = await start(environment={"ASSAY_TEST_SERVERS": "Ollama=http://127.0.0.1:11434/v1"})
    await editor.open(FINE)
    await editor.save()
    await editor.until(editor.diagnostics)
    await editor.change(((1, 7, 1, 7), "More. "))
    editor.client.answer = "No"
    if demanded:
        await editor.command("checkFile", editor.uri)
    else:
        await editor.save()
    await editor.until(lambda: editor.history().count("check f") == 2)
    assert len(editor.client.questions) == 1 + demanded
    told = "consent http://127.0.0.1:11434/v1 False"
    assert editor.history().count(told) == demanded


async def test_a_no_is_told_to_an_engine_that_is_opened_later(start: Start) -> None:
    servers = {"ASSAY_TEST_SERVERS": "Ollama=http://127.0.0.1:11434/v1"}
    editor = await start(environment=servers)
    editor.client.answer = "No"
    await editor.open(FINE)
    await editor.save()
    await editor.until(editor.diagnostics)
    editor.client.set_configuration({"assay": {"offline": True}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await editor.until(lambda: sum(each.startswith("open") for each in editor.history()) == 2)
    await editor.command("checkFile", editor.uri)
    await editor.until(lambda: editor.history().count("check f") == 2)
    assert len(editor.client.questions) == 1
    told = "consent http://127.0.0.1:11434/v1 False"
    assert editor.history().count(told) == 2


async def test_a_missing_model_is_one_message_and_no_hints(start: Start) -> None:
    editor = await start()
    text = "".join(f'def f{n}(x):\n    """[no-model]"""\n\n\n' for n in range(5))
    for _ in range(3):
        await editor.open(text)
        await editor.save()
        text += "# more\n"
        await editor.settled()
    assert editor.messages() == ["Assay: No model. Set ASSAY_BASE_URL."]
    assert editor.diagnostics() == []
    await editor.command("checkFile", editor.uri)
    await editor.until(lambda: len(editor.messages()) == 2)
    await editor.until(lambda: len(editor.diagnostics()) == 5)


async def test_failures_of_the_engine_are_told_and_survived(start: Start) -> None:
    editor = await start()
    await editor.open('def f(n):\n    """[unavailable]"""\n')
    await editor.save()
    await editor.until(editor.messages)
    assert editor.messages() == ["Assay: The model does not answer. Start it."]
    await editor.open('def f(n):\n    """[crash]"""\n')
    await editor.save()
    await editor.until(lambda: len(editor.messages()) == 2)
    assert "log says more" in editor.messages()[1]
    await editor.open(FINE)
    await editor.save()
    await editor.until(editor.diagnostics)


async def test_settings_come_by_pull_and_change_without_a_restart(start: Start) -> None:
    editor = await start(
        options={"trigger": "manual"}, section={"trigger": "save", "offline": True}
    )
    await editor.open(FINE)
    await editor.save()
    await editor.until(editor.diagnostics)
    # Opened once, with what the client had to say already in it.
    (opening,) = [line for line in editor.history() if line.startswith("open")]
    assert "('offline', True)" in opening
    editor.client.set_configuration({"assay": {"trigger": "manual", "colour": "red"}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await editor.until(editor.messages)
    assert "'colour'" in editor.messages()[0]
    settings = (await editor.command("status"))["settings"]
    assert (settings["trigger"], settings["offline"]) == ("manual", False)
    assert "close" in editor.history()


async def test_a_save_while_settings_change_belongs_to_the_new_ones(start: Start) -> None:
    editor, (other,) = await with_settings_changing(start, other=FINE)
    await editor.save(other)
    await editor.until(lambda: "check f" in editor.history())
    lines = [line for line in editor.history() if line.startswith(("open", "check ", "close"))]
    kinds = [line.split()[0] for line in lines]
    assert kinds[:4] == ["open", "check", "close", "open"]
    assert "('offline', True)" in lines[3]
    assert "check f" in lines[4:]


@pytest.mark.parametrize("demanded", [False, True])
async def test_a_check_that_a_change_of_settings_ends_begins_again(
    start: Start, demanded: bool
) -> None:
    editor = await start(types.ClientCapabilities())
    await editor.open(SLOW)
    if demanded:
        await editor.command("checkFunction", editor.uri, {"line": 0, "character": 5})
    else:
        await editor.save()
    await under_way(editor)
    # What a save has begun is not begun again once nothing is to be checked on saving.
    for settings, times in (({"offline": True}, 2), ({"trigger": "manual"}, 2 + demanded)):
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"assay": settings})
        )
        begun = "check slow" if demanded else "check slow,f"
        await editor.until(
            lambda begun=begun, times=times: editor.history().count(begun) == times, begun
        )
    await editor.settled()
    assert editor.history().count(begun) == times
    # The client that announced nothing has been shown no progress.
    assert editor.client.progress_reports == {}


async def test_a_save_before_the_client_has_told_its_new_settings_belongs_to_those(
    start: Start,
) -> None:
    editor = await start()
    await editor.open(FINE)
    await editor.settled()
    editor.client.set_configuration({"assay": {"offline": True}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await editor.save()
    await editor.until(lambda: "check f" in editor.history())
    lines = [line for line in editor.history() if line.startswith(("open", "check ", "close"))]
    assert [line.split()[0] for line in lines] == ["open", "close", "open", "check"]
    assert "('offline', True)" in lines[2]


async def test_a_document_that_is_closed_while_settings_change_is_not_checked(start: Start) -> None:
    editor, (other,) = await with_settings_changing(start, other=FINE)
    await editor.save(other)
    await editor.close(other)
    await editor.settled()
    assert "check f" not in editor.history()


async def test_what_needs_no_model_does_not_wait_for_the_answer(start: Start) -> None:
    editor = await start(environment={"ASSAY_TEST_SERVERS": "Ollama=http://127.0.0.1:11434/v1"})
    unanswered = asyncio.Event()
    editor.client.waits = unanswered
    await editor.open(FINE)
    await editor.save()
    await editor.until(lambda: getattr(editor.client, "questions", []), "the question")
    other = await editor.open(
        'def g(n):\n    """[unsupported]"""\n', (editor.folder / "other.py").as_uri()
    )
    await editor.save(other)
    await editor.until(lambda: "checked" in editor.history())
    assert "check g" in editor.history()
    assert "check f" not in editor.history()
    unanswered.set()
    await editor.until(lambda: "check f" in editor.history())


async def test_functions_of_one_name_have_evidence_of_their_own(start: Start) -> None:
    editor = await start()
    texts: list[str] = []
    uris = [(editor.folder / name).as_uri() for name in ("module.py", "other.py")]
    for uri, text in zip(uris, (FINE, FINE.replace("[differs]", "[ambiguous]")), strict=True):
        await editor.open(text, uri)
        await editor.save(uri)
        await editor.until(lambda uri=uri: editor.diagnostics(uri))
        await editor.command("showEvidence", uri, "f")
    await editor.until(lambda: len(editor.client.shown_documents) == 2)
    paths = [Path(urlsplit(each.uri).path) for each in editor.client.shown_documents]
    texts = [path.read_text() for path in paths]
    assert "f(0)" in texts[0]
    assert "f is ambiguous" in texts[1]


async def test_status_tells_of_the_saves_before_it_while_settings_change(start: Start) -> None:
    editor, others = await with_settings_changing(start, one=SLOW, two=SLOW)
    for other in others:
        await editor.save(other)
    status = await editor.command("status")
    # Those two, and the one that the change has ended.
    assert status["checks"] == {"running": 2, "waiting": 1}
    assert status["settings"]["offline"] is True
