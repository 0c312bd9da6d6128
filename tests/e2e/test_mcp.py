"""`assay mcp` as a coding agent has it: the SDK's own client, a process of its own, real files."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

from support.check_workspace import MODULE, PROJECT, RIGHT_MODULE, answering, saying
from support.forking import forked
from support.openai_server import Behaviour, Exchange, OpenAIServer, Request, ok, stall, status
from support.repositories import ENVIRONMENT, repository
from support.scripted_model import Siding

ROOT = Path(__file__).resolve().parents[2]
# What the handshake of 2025 and the envelope of 2026 are called in the client.
ERAS = ("legacy", "auto")
CLIENT = {"name": "an agent", "version": "1"}
CLAMP = {"file": "limits.py", "function": "clamp"}
READING = '''\


def fetched(url: str) -> bytes:
    """The content at a URL."""
    from urllib.request import urlopen

    return urlopen(url).read()


def bare(number):
    return number
'''


@asynccontextmanager
async def agent(
    folder: Path,
    *arguments: str,
    mode: str = "auto",
    base_url: str = "",
    start: Callable[..., tuple[str, ...]] = forked,
) -> AsyncIterator[Client]:
    """A client whose server was started in the folder, as agents start theirs."""
    command, *words = start("-m", "assay_engine", "mcp", *arguments)
    server = StdioServerParameters(
        command=command,
        args=words,
        cwd=folder,
        env=ENVIRONMENT | environment(folder, base_url),
    )
    async with Client(server, mode=mode) as client:
        yield client


def environment(folder: Path, base_url: str) -> dict[str, str]:
    return {
        "ASSAY_STORE": str(folder.parent / "store.db"),
        "ASSAY_BASE_URL": base_url,
        "ASSAY_MODEL": "test-model" if base_url else "",
        "ASSAY_API_KEY": "none",
    }


async def asked(client: Client, tool: str, **arguments: object) -> tuple[str, dict[str, Any]]:
    """The text of an answer, and its typed form, which the client has held to the tool's schema."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    return answer.content[0].text, answer.structured_content


async def refused(client: Client, tool: str, **arguments: object) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer
    return answer.content[0].text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (folder / "limits.py").write_text(MODULE + READING, encoding="utf-8")
    return folder


@pytest.mark.parametrize("mode", ERAS)
async def test_an_agent_is_told_mends_and_is_told_again(project: Path, mode: str) -> None:
    steps: list[tuple[float, str | None]] = []

    async def progress(done: float, _total: float | None, message: str | None) -> None:
        steps.append((done, message))

    with OpenAIServer(answering()) as server:
        async with agent(project, mode=mode, base_url=server.base_url) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            answer = await client.call_tool(
                "check_function",
                CLAMP,
                progress_callback=progress,
            )
            text, told = answer.content[0].text, answer.structured_content
            spent = len(server.requests)
            again, _ = await asked(client, "check_function", **CLAMP)
            assert len(server.requests) == spent
            why, evidence = await asked(client, "explain", **CLAMP)
            (project / "limits.py").write_text(RIGHT_MODULE, encoding="utf-8")
            mended, right = await asked(client, "check_function", file=str(project / "limits.py"))
    assert set(tools) == {"check_function", "check_changes", "compare", "explain", "settle"}
    assert all(tool.output_schema for tool in tools.values())
    (function,) = told["functions"]
    assert (function["verdict"], function["file"], function["line"]) == ("suspect", "limits.py", 1)
    assert function["input"] == "clamp(-4, 0, 3)"
    assert function["outcomes"] == ["this function returns 1", "all 10 candidates return 0"]
    assert text.startswith("SUSPECT limits.py:1 clamp")
    assert "clamp(-4, 0, 3)" in text
    assert len(text.splitlines()) <= 40
    assert again.splitlines()[:-1] == text.splitlines()[:-1]
    assert "+    return max(low, min(value, high))" in why
    assert len(why.splitlines()) <= 40
    assert evidence["function"]["verdict"] == "suspect"
    assert "TRUSTED limits.py:1 clamp" in mended
    assert right["functions"][0]["verdict"] == "trusted"
    # Progress has to increase, as the protocol wants it.
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert any("clamp" in (message or "") for _, message in steps)


@pytest.mark.parametrize("mode", ERAS)
async def test_a_cancelled_call_and_one_whose_client_gives_up_leave_nothing_running(
    project: Path, mode: str
) -> None:
    with OpenAIServer([stall(600)]) as server:
        async with agent(project, mode=mode, base_url=server.base_url, start=alone) as client:
            (served,) = running()
            call = asyncio.create_task(client.call_tool("check_function", {"file": "limits.py"}))
            await until(lambda: len(server.requests) > 1 and served.children(recursive=True))
            call.cancel()
            await until(lambda: not served.children(recursive=True))
            await until(lambda: server.hang_ups == len(server.requests))
            with pytest.raises(MCPError):
                await client.call_tool(
                    "check_function", {"file": "limits.py"}, read_timeout_seconds=3
                )
            await until(lambda: not served.children(recursive=True))
            # It is still there.
            assert (await client.list_tools()).tools
    await until(lambda: not served.is_running())


async def test_a_check_that_takes_long_is_answered_in_time_and_goes_on(project: Path) -> None:
    (project / "pyproject.toml").write_text("", encoding="utf-8")
    let, good = threading.Event(), answering()

    def slow(request: Request) -> Behaviour:
        def behave(exchange: Exchange) -> None:
            while not let.is_set():
                if not exchange.wait(0.05):
                    return
            good(request)(exchange)

        return behave

    with OpenAIServer(slow) as server:
        async with agent(project, "--seconds", "3", base_url=server.base_url) as client:
            text, told = await asked(client, "check_function", **CLAMP)
            assert text.startswith("NOT CHECKED limits.py:1 clamp: not finished after 3 seconds")
            let.set()
            while told["functions"][0]["verdict"] == "not checked":
                _, told = await asked(client, "check_function", **CLAMP)
        assert told["functions"][0]["verdict"] == "suspect"
        # As many as a check takes that nobody gave up.
        assert len(server.requests) == 13


async def test_an_answer_on_ten_findings_is_short(project: Path) -> None:
    names = [f"clamp_{number:02}" for number in range(12)]
    text = "\n\n".join(MODULE.replace("clamp", name) for name in names)
    (project / "limits.py").write_text(text, encoding="utf-8")
    (project / "pyproject.toml").write_text("", encoding="utf-8")
    reader, say = Siding(), saying()

    def script(request: Request) -> Behaviour:
        prompt = request.body["messages"][-1]["content"]
        if "Two functions" in prompt:
            return ok(reader.answer(prompt))
        return ok(say(prompt).replace("clamp", re.findall("clamp_[0-9]+", prompt)[0]))

    with OpenAIServer(script) as server:
        async with agent(project, "--seconds", "600", base_url=server.base_url) as client:
            text, told = await asked(client, "check_function", file="limits.py", functions_max=11)
            spent = len(server.requests)
            again, _ = await asked(client, "check_function", file="limits.py", functions_max=1)
    assert spent == 11 * 13
    verdicts = Counter(each["verdict"] for each in told["functions"])
    assert verdicts == {"suspect": 10}
    assert "SUSPECT (1 more): limits.py::clamp_10" in text
    # What was not checked is told, too.
    assert "NOT CHECKED (1 more): limits.py::clamp_11 (more functions than `functions_max`" in text
    assert len(text) < 6_000
    assert len(json.dumps(told)) < 6_000
    assert "12 functions: 12 suspect" in again


async def test_what_is_not_checked_says_so_loudly(project: Path) -> None:
    (project / "broken.py").write_text("def f(:\n    pass\n", encoding="utf-8")
    with OpenAIServer([status(503)]) as server:
        base_url = server.base_url
    async with agent(project, base_url=base_url) as client:
        text, told = await asked(client, "check_function", file="limits.py")
        assert text.startswith("NOT CHECKED limits.py:1 clamp: 127.0.0.1:")
        assert "NOT CHECKED limits.py:10 fetched: Line 5 of this function" in text
        assert "NO DOCSTRING (1 more): limits.py::bare" in text
        assert "3 functions: 2 not checked, 1 no docstring." in text
        assert {each["verdict"] for each in told["functions"]} == {"not checked"}
        text, _ = await asked(client, "check_function", file="limits.py", function="bare")
        assert text.startswith("NO DOCSTRING limits.py:17 bare: `bare` has no docstring; add one")
        text, _ = await asked(client, "check_function", file="broken.py")
        assert text.startswith("NOT CHECKED broken.py: Line 1 does not parse")
    for arguments, reason in (
        (("--offline",), "No stored reply for this function"),
        ((), "No model is configured: ASSAY_API_KEY is set"),
    ):
        async with agent(project, *arguments, base_url="" if not arguments else base_url) as client:
            text, _ = await asked(client, "check_function", **CLAMP)
            assert text.startswith(f"NOT CHECKED limits.py:1 clamp: {reason}")


async def test_what_its_user_did_not_name_is_neither_run_nor_sent(project: Path) -> None:
    other = project.parent / "other"
    other.mkdir()
    shutil.copy(project / "limits.py", other / "limits.py")
    (project / "leading_out.py").symlink_to(other / "limits.py")
    with OpenAIServer(answering()) as server:
        async with agent(project, base_url=server.base_url) as client:
            for file in ("../other/limits.py", str(other / "limits.py"), "leading_out.py"):
                said = await refused(client, "check_function", file=file)
                assert said.startswith(f"NOT CHECKED: {other / 'limits.py'} is not in a folder")
                assert "Nothing of it was run or sent." in said
                assert "`assay mcp FOLDER`" in said
            await refused(client, "check_changes", path=str(other))
            await refused(client, "explain", file=str(other / "limits.py"), function="clamp")
        # Started in the home, as some clients do, it is trusted with nothing.
        async with agent(Path("/"), base_url=server.base_url) as client:
            said = await refused(client, "check_function", file=str(other / "limits.py"))
            assert "it was started in /, which contains the home folder" in said
        assert not server.requests
        async with agent(project, str(other), base_url=server.base_url) as client:
            _, told = await asked(client, "check_function", **CLAMP)
            assert told["functions"][0]["verdict"] == "suspect"


async def test_what_cannot_be_meant_is_refused_and_says_what_can(project: Path) -> None:
    async with agent(project) as client:
        for tool, arguments, says in (
            ("check_function", {"file": "limits.py", "function": "clam"}, "there is clamp."),
            ("check_function", {"file": "limit.py"}, "limit.py does not exist."),
            ("check_function", {"file": "nul\0"}, "is not a path"),
            ("check_function", {"file": ""}, "is a folder"),
            ("check_function", {"file": 3}, "Expected `str`, got `int` - at `$.file`"),
            ("check_function", {"fil": "limits.py"}, "It takes: file, function, specification, "),
            ("check_changes", {"since": "HEAD", "path": "limits.py"}, "is not in a git repository"),
            ("explain", CLAMP, "There is no report on clamp in its current form"),
            ("explain", {"file": "limits.py", "function": ""}, "no function without a name"),
            ("settle", CLAMP, "missing required field `choice`"),
            ("settle", {**CLAMP, "choice": 0}, "Expected `int` >= 1"),
        ):
            assert says in await refused(client, tool, **arguments), (tool, arguments)
        with pytest.raises(MCPError, match="There is no tool 'contrast'"):
            await client.call_tool("contrast", {})


async def test_only_what_changed_is_checked_and_two_agents_share_it(tmp_path: Path) -> None:
    made = repository(tmp_path / "project")
    made.write("pyproject.toml", "")
    made.commit(limits=RIGHT_MODULE, other=MODULE.replace("clamp", "other"))
    with OpenAIServer(answering()) as server:
        async with (
            agent(made.folder, "--seconds", "600", base_url=server.base_url) as one,
            agent(made.folder, "--seconds", "600", base_url=server.base_url) as other,
        ):
            text, _ = await asked(one, "check_changes")
            assert text == "No function has changed since HEAD."
            said = await refused(one, "check_changes", since="--output=x")
            assert "that is not a revision." in said
            made.write("limits.py", MODULE)
            answers = await asyncio.gather(
                asked(one, "check_changes"), asked(other, "check_changes", path="limits.py")
            )
        assert len(server.requests) == 13
    for text, told in answers:
        (function,) = told["functions"]
        assert (function["function"], function["verdict"]) == ("clamp", "suspect"), text


async def test_a_function_is_compared_with_what_it_was_without_a_model(tmp_path: Path) -> None:
    made = repository(tmp_path / "project")
    made.write("pyproject.toml", "")
    made.commit(limits=RIGHT_MODULE)
    made.write("limits.py", MODULE)
    made.write(
        "mine.py",
        RIGHT_MODULE.replace("max(low, min(value, high))", "sorted((low, value, high))[1]"),
    )
    (tmp_path / "outside.py").write_text(RIGHT_MODULE)
    async with agent(made.folder, "--seconds", "600", base_url="") as client:
        text, told = await asked(client, "compare", file="limits.py", function="clamp")
        (function,) = told["functions"]
        assert (function["verdict"], len(function["outcomes"])) == ("differs", 2), text
        assert "the version at HEAD" in text
        made.write("limits.py", RIGHT_MODULE + "\n# As it was.\n")
        text, told = await asked(client, "compare", file="limits.py", function="clamp")
        assert told["functions"][0]["verdict"] == "the same", text
        outside = {"file": "limits.py", "function": "clamp", "other": "../outside.py::clamp"}
        assert "is not in a folder that this server was started for" in await refused(
            client, "compare", **outside
        )
        text, told = await asked(client, "compare", **{**outside, "other": "mine.py::clamp"})
        assert told["functions"][0]["verdict"] == "differs", "low may be over high"


async def test_an_open_question_is_settled_by_an_example(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    replay = str(tmp_path / "examples" / "replies.jsonl")
    ranks = {"file": "records.py", "function": "rank_scores"}
    async with agent(tmp_path / "examples", "--replay", replay) as client:
        text, told = await asked(client, "check_function", **ranks)
        assert (
            "next: ask whoever wants the function which outcome is meant, then call settle." in text
        )
        assert [each["number"] for each in told["functions"][0]["choices"]] == [1, 2]
        assert "There is no choice 3" in await refused(client, "settle", **ranks, choice=3)
        before = (tmp_path / "examples" / "records.py").read_text("utf-8")
        text, told = await asked(client, "settle", **ranks, choice=2)
        assert (tmp_path / "examples" / "records.py").read_text("utf-8") == before
        assert "+    >>> rank_scores([90, 90, 70])\n+    [1, 1, 2]\n" in told["difference"]
        assert "Make the function do so." in text
        _, told = await asked(client, "settle", **ranks, choice=2, apply=True)
        assert told["is_written"]
        after = (tmp_path / "examples" / "records.py").read_text("utf-8")
        assert ">>> rank_scores([90, 90, 70])\n    [1, 1, 2]\n" in after
        assert "Call check_function" in await refused(client, "explain", **ranks)
        _, told = await asked(client, "check_function", **ranks)
        assert told["functions"][0]["outcomes"][:2] == [
            "this function gives [1, 1, 3]",
            "the docstring shows [1, 1, 2]",
        ]


async def test_the_request_itself_is_held_against_a_function(project: Path) -> None:
    header, *_, body = MODULE.splitlines()
    (project / "limits.py").write_text(f"{header}\n{body}\n", encoding="utf-8")
    asked_for = "Clamp must keep a value within low and high. Both bounds are allowed values."
    with OpenAIServer(answering()) as server:
        async with agent(project, base_url=server.base_url) as client:
            _, told = await asked(client, "check_function", **CLAMP)
            assert told["functions"][0]["verdict"] == "no docstring"
            _, told = await asked(client, "check_function", **CLAMP, specification=asked_for)
            assert told["functions"][0]["verdict"] == "suspect"
            assert "explain" in told["functions"][0]["next"]
            why, _ = await asked(client, "explain", **CLAMP)
            assert "+    return max(low, min(value, high))" in why
            said = await refused(client, "check_function", **CLAMP, specification="x" * 8_001)
            assert "length <= 8000" in said
        # Everything that was asked rests on it.
        prompts = [each.body["messages"][-1]["content"] for each in server.requests if each.body]
        assert all(asked_for in each for each in prompts)


@pytest.mark.parametrize("how", ["SIGTERM", "its client is gone"])
async def test_a_server_that_ends_takes_its_checks_along(project: Path, how: str) -> None:
    with OpenAIServer([stall(600)]) as server:
        made = subprocess.Popen(
            [sys.executable, "-m", "assay_engine", "mcp"],
            cwd=project,
            env=ENVIRONMENT | environment(project, server.base_url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert made.stdin is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
        check = {"name": "check_function", "arguments": {"file": "limits.py"}}
        for message in (
            "no JSON",
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": check},
        ):
            line = message if isinstance(message, str) else json.dumps({"jsonrpc": "2.0"} | message)
            made.stdin.write(f"{line}\n".encode())
        made.stdin.flush()
        served = psutil.Process(made.pid)
        await until(lambda: len(server.requests) > 1 and served.children(recursive=True))
        below = served.children(recursive=True)
        if how == "SIGTERM":
            made.send_signal(signal.SIGTERM)
        else:
            made.stdin.close()
        await until(lambda: made.poll() is not None)
        assert made.returncode == (128 + signal.SIGTERM if how == "SIGTERM" else 0)
        await until(lambda: not any(map(is_alive, below)))
        assert made.stdout is not None
        # Nothing but the protocol is on standard output.
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in made.stdout.read().splitlines())


def test_without_the_extra_it_is_said_what_to_install(project: Path) -> None:
    hiding = "import sys; sys.modules['mcp'] = None; from assay_engine.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", hiding, "mcp"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert "`pip install 'assay-lsp[mcp]'` adds it." in run.stderr


def is_alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def alone(*arguments: str) -> tuple[str, ...]:
    """The command started for itself, so that its children are known."""
    return (sys.executable, *arguments)


def running() -> list[psutil.Process]:
    """The servers that this test has started for themselves."""
    found = filter(is_alive, psutil.Process().children())
    return [each for each in found if each.cmdline()[1:] == ["-m", "assay_engine", "mcp"]]


async def until(holds: Callable[[], object]) -> None:
    for _ in range(1200):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("waited in vain")
