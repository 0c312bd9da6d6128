"""The judge as users meet it: real engine, sandbox, server and command line, model on loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types

from support.clamp_judge import MODULE, Model
from support.fetching_judge import FETCHING, answer_about_fetching
from support.forking import forked
from support.lsp_editor import Editor, start_editor, stop_editor
from support.openai_server import Behaviour, OpenAIServer, Request, status

ASSAY = ("-m", "assay_engine")
Open = Callable[..., Awaitable[Editor]]


def environment(folder: Path, base_url: str) -> dict[str, str]:
    return {
        "ASSAY_BASE_URL": base_url,
        "ASSAY_MODEL": "test-model",
        "ASSAY_API_KEY": "none",
        "HOME": str(folder),
        "ASSAY_STORE": str(folder / "assay.db"),
    }


@pytest.fixture
async def editing(tmp_path: Path) -> AsyncIterator[Open]:
    started: list[Editor] = []

    async def editing(server: OpenAIServer, **options: object) -> Editor:
        foreign = {name: "" for name in os.environ if name.startswith(("ASSAY_", "OPENAI_"))}
        editor = await start_editor(
            forked(*ASSAY, "server"),
            tmp_path,
            tmp_path / "journal",
            environment={**foreign, **environment(tmp_path, server.base_url)},
            options=options,
        )
        editor.patience = 110
        started.append(editor)
        await editor.open(MODULE)
        await editor.save()
        return editor

    yield editing
    for editor in started:
        if editor.server.returncode is None:
            await stop_editor(editor)


def codes(editor: Editor) -> list[str]:
    return sorted(str(each.code) for each in editor.diagnostics())


async def test_the_finding_comes_after_everything_else_and_quotes_the_judge(editing: Open) -> None:
    model = Model()
    with OpenAIServer(model) as server:
        editor = await editing(server, judge="on-disagreement")
        await editor.until(model.asked_the_judge.is_set, "the judge to be asked")
        await editor.until(lambda: codes(editor) == ["ASY201"], "the report without the judge")
        model.judging.set()
        await editor.until(lambda: codes(editor) == ["ASY102", "ASY201"], "the judge's finding")
    finding = next(each for each in editor.diagnostics() if each.code == "ASY102")
    assert finding.severity == types.DiagnosticSeverity.Warning
    assert "this returns -" in finding.message
    assert "; judged not to conform: " in finding.message
    assert "\n" not in finding.message
    hover = (await editor.hover(0, 5)).contents.value
    assert "threshold 0.80" in hover
    assert "score 0." in hover
    assert "(incorrect, incorrect, incorrect): " in hover
    outside_code = "".join(part for line in hover.splitlines() for part in _outside_code(line))
    assert "https://evil.test" in hover
    assert not any(sign in outside_code for sign in ("evil.test", "<img", "](", "Ignore the above"))


async def test_cancelling_ends_what_the_judge_asks(editing: Open) -> None:
    model = Model()
    with OpenAIServer(model) as server:
        editor = await editing(server, judge="always")
        await editor.until(model.asked_the_judge.is_set, "the judge to be asked")
        await editor.command("cancelAll")
        await editor.until(lambda: server.hang_ups, "the request to end")
        await editor.until(lambda: codes(editor) == ["ASY201"], "the report without the judge")


async def test_an_edit_drops_what_the_judge_says_of_the_old_text(editing: Open) -> None:
    model = Model()
    with OpenAIServer(model) as server:
        editor = await editing(server, judge="on-disagreement")
        await editor.until(model.asked_the_judge.is_set, "the judge to be asked")
        await editor.until(lambda: codes(editor) == ["ASY201"], "the report without the judge")
        line = MODULE.splitlines().index("    return high if value > high else value")
        await editor.change(((line, 4, line, 10), "return 0 or"))
        model.judging.set()
        await editor.settled()
        await editor.until(lambda: codes(editor) == [], "nothing to be said of the new text")


def check(
    folder: Path, server: OpenAIServer, *options: str, module: str = MODULE
) -> subprocess.CompletedProcess[str]:
    (folder / "limits.py").write_text(module, encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    return subprocess.run(
        forked(*ASSAY, "check", "limits.py", *options),
        cwd=folder,
        env={**kept, **environment(folder, server.base_url)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def test_the_command_line_asks_a_judge_when_told_to(tmp_path: Path) -> None:
    model = Model()
    model.judging.set()
    with OpenAIServer(model) as server:
        plain = check(tmp_path, server)
        assert plain.returncode == 0, plain.stdout
        assert not model.asked_the_judge.is_set()
        judged = check(tmp_path, server, "--judge", "--format", "json")
        asked = len(server.requests)
        again = check(tmp_path, server, "--judge")
        assert len(server.requests) == asked
    assert judged.returncode == 1, judged.stderr
    (report,) = json.loads(judged.stdout)["reports"]
    assert report["verdict"]["status"] == "suspect"
    assert report["verdict"]["confidence"] is None
    assert report["judged"]["ruling"] == "incorrect"
    assert report["judged"]["threshold"] == 0.8
    assert [each["code"] for each in report["findings"]] == ["ASY201", "ASY102"]
    objected = [each for each in report["judged"]["pairs"] if each["opinion"] == "incorrect"]
    assert objected[0]["votes"] == ["incorrect"] * 3
    assert report["cost"]["paid"]["requests"] > 5
    assert report["cost"]["drawn"]["requests"] > report["cost"]["paid"]["requests"]
    assert "  the judge objects: " in again.stdout
    assert "ASY102 warning: clamp(" in again.stdout


def test_what_was_found_without_a_judge_is_said_if_it_is_interrupted(tmp_path: Path) -> None:
    # Who is started in the background by a shell ignores SIGINT, and so do those it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    (tmp_path / "limits.py").write_text(MODULE, encoding="utf-8")
    model = Model()
    with (
        OpenAIServer(model) as server,
        subprocess.Popen(
            [sys.executable, *ASSAY, "check", "limits.py", "--judge", "--format", "json"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], **environment(tmp_path, server.base_url)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert model.asked_the_judge.wait(110)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    document = json.loads(said)
    assert [each["code"] for each in document["reports"][0]["findings"]] == ["ASY201"]
    assert document["reports"][0]["judged"] is None
    assert document["unreadable"] == ["stopped: 1 function checked"]
    assert process.returncode == 2


def test_a_function_that_asks_the_network_is_judged_by_replies_it_is_given(tmp_path: Path) -> None:
    with OpenAIServer(answer_about_fetching) as server:
        plain = check(tmp_path, server, module=FETCHING)
        assert not server.requests
        judged = check(tmp_path, server, "--judge", "--format", "json", module=FETCHING)
        asked = len(server.requests)
        again = check(tmp_path, server, "--judge", module=FETCHING)
        assert len(server.requests) == asked
    assert "input or output; move that to the caller" in plain.stdout
    assert judged.returncode == 1, judged.stderr
    (report,) = json.loads(judged.stdout)["reports"]
    assert report["verdict"]["status"] == "suspect"
    (finding,) = [each for each in report["findings"] if each["code"] == "ASY102"]
    shown = "where urllib.request.urlopen returns an object of read() = b'a  b'"
    assert shown in finding["witness"]["call"]
    assert shown in again.stdout
    assert report["cost"]["paid"] == report["cost"]["drawn"]


def test_a_spent_budget_is_said_and_the_report_stands(tmp_path: Path) -> None:
    model = Model()
    model.judging.set()
    (tmp_path / "pyproject.toml").write_text(
        "[tool.assay.budget]\nrequests_per_check = 14\n", encoding="utf-8"
    )
    with OpenAIServer(model) as server:
        run = check(tmp_path, server, "--judge")
        assert len(server.requests) <= 14
    assert "ASY201" in run.stdout
    assert "ASY102" not in run.stdout
    assert "budget.requests_per_check" in run.stdout


def test_a_mode_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.assay]\njudge = "perhaps"\n', encoding="utf-8")
    with OpenAIServer(Model()) as server:
        run = check(tmp_path, server)
    assert run.returncode == 2
    assert "judge must be one of off, on-disagreement, always" in run.stderr


def _outside_code(line: str) -> list[str]:
    """The parts of a line of Markdown outside of its code spans."""
    parts: list[str] = []
    rest = line
    while "`" in rest:
        before, _, after = rest.partition("`")
        fence = 1 + len(after) - len(after.lstrip("`"))
        parts.append(before)
        inner = after[fence - 1 :]
        end = _closing(inner, fence)
        rest = inner[end:]
    return [*parts, rest]


def _closing(inner: str, fence: int) -> int:
    """The offset behind the run of exactly `fence` backticks that closes a span."""
    position = 0
    while True:
        start = inner.index("`", position)
        end = start
        while end < len(inner) and inner[end] == "`":
            end += 1
        if end - start == fence:
            return end
        position = end


def test_the_judge_asks_for_no_candidate_that_did_not_come(tmp_path: Path) -> None:
    """Its replay says what the run said, which the report of the run rests on."""
    (tmp_path / "clamps.py").write_text(MODULE, encoding="utf-8")
    model = Model()
    model.judging.set()
    asked = 0

    def failing_at_first(request: Request) -> Behaviour:
        nonlocal asked
        if "Implement this Python function" in request.body["messages"][-1]["content"]:
            asked += 1
            if asked <= 7:
                return status(503)
        return model(request)

    settings = tmp_path / "settings.toml"
    settings.write_text("[sampling]\nretries = 0\n", encoding="utf-8")

    def run(store: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            forked(*ASSAY, "check", "clamps.py", "--judge", *arguments),
            cwd=tmp_path,
            env={
                **os.environ,
                **environment(tmp_path, server.base_url),
                "ASSAY_STORE": str(tmp_path / store),
                "ASSAY_SETTINGS": str(settings),
            },
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    with OpenAIServer(failing_at_first) as server:
        recorded = run("one.db", "--record", "replies.jsonl")
    assert asked <= 10
    assert "clamp: suspect" in recorded.stdout
    assert "judged not to conform" in recorded.stdout
    replayed = run("two.db", "--replay", "replies.jsonl")
    assert replayed.stdout.splitlines()[:2] == recorded.stdout.splitlines()[:2]
    assert replayed.returncode == recorded.returncode
