"""The real coding agents, asked as Assay asks them, with a local server in the place of their own.

They run where there is no network but loopback. What they send is looked at: what of tools, of the
project and of the user's own set-up goes along, and what they have stored in the end.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assay_engine.models.commands import COMMANDS
from support.check_workspace import MODULE
from support.forking import forked
from support.openai_server import Behaviour, OpenAIServer, Request, answer, completion
from support.stand_in_command import answer_to

PROGRAMS = os.environ.get("COMMANDS", "")
pytestmark = pytest.mark.skipif(
    not PROGRAMS, reason="COMMANDS names no folder with them; `make test-servers` installs them"
)

# In files that a coding agent reads unless it is told not to.
MARK = "MARK-that-nobody-sends"
SECRET = "SECRET-that-a-tool-would-read"


def events(*found: dict[str, Any], named: bool = False, last: str = "") -> Behaviour:
    """Server-sent events."""
    names = [f"event: {each['type']}\n" if named else "" for each in found]
    lines = [f"{name}data: {json.dumps(each)}\n\n" for name, each in zip(names, found, strict=True)]
    data = ("".join(lines) + last).encode()
    return lambda exchange: exchange.send(200, data, {"Content-Type": "text/event-stream"})


def anthropic(text: str) -> Behaviour:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = {"input_tokens": 11, "output_tokens": 7}
    block = {"type": "text", "text": ""}
    return events(
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
        named=True,
    )


def response(item: dict[str, Any]) -> Behaviour:
    whole = {"id": "resp_1", "object": "response", "created_at": 0, "model": "m", "output": []}
    usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    return events(
        {"type": "response.created", "response": {**whole, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {**whole, "status": "completed", "output": [item], "usage": usage},
        },
        named=True,
    )


def openai(text: str) -> Behaviour:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return response({"type": "message", "id": "m", "role": "assistant", "content": content})


# Calls of tools that some version of Codex has, or has had.
CALLS = (
    {
        "type": "custom_tool_call",
        "call_id": "c",
        "namespace": "functions",
        "name": "exec",
        "input": f"text(JSON.stringify(await tools.exec_command({{cmd: 'cat {{}}/{SECRET}'}})))",
    },
    *(
        {"type": "function_call", "call_id": "c", "name": name, "arguments": json.dumps(arguments)}
        for name, arguments in (
            ("exec_command", {"cmd": f"cat {{}}/{SECRET}"}),
            ("shell_command", {"command": f"cat {{}}/{SECRET}"}),
            ("shell", {"command": ["cat", f"{{}}/{SECRET}"]}),
            ("view_image", {"path": f"{{}}/{SECRET}"}),
        )
    ),
)


def google(text: str, *, streams: bool) -> Behaviour:
    part = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
    body = {"candidates": [{**part, "index": 0}], "modelVersion": "m"}
    return events(body) if streams else answer(body)


def chat(text: str, *, streams: bool) -> Behaviour:
    if not streams:
        return answer(completion(text))
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return events(
        {**chunk, "choices": [delta]}, {**chunk, "choices": [end]}, last="data: [DONE]\n\n"
    )


@dataclass
class Providers:
    """All of their servers. Keeps what they were asked."""

    home: Path
    asked: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Behaviour:
        path = request.path.partition("?")[0]
        if request.method != "POST":
            return answer({"models": [], "data": []})
        self.asked.append(request.body)
        text = answer_to(json.dumps(request.body))
        if path.endswith("/messages"):
            return anthropic(text)
        if path.endswith("/responses"):
            given = [each for each in request.body["input"] if "output" in each]
            self.outputs += [json.dumps(each) for each in given]
            if self.calls and not given:
                call = json.dumps(self.calls.pop()).replace("{}", str(self.home))
                return response(json.loads(call))
            return openai(text)
        if path.endswith("enerateContent"):
            # Before it asks, Gemini asks how hard the question is.
            wants_json = request.body.get("generationConfig", {}).get("responseMimeType")
            score = json.dumps({"complexity_reasoning": "", "complexity_score": 1})
            return google(score if wants_json else text, streams="stream" in path)
        return chat(text, streams=bool(request.body.get("stream")))

    @property
    def tools(self) -> list[Any]:
        """Those that a model was told of."""
        found = [each for body in self.asked for each in body.get("tools") or ()]
        return [each for each in found if each != {"functionDeclarations": []}]


class Home:
    """The home of somebody who is signed in, with a project of theirs."""

    def __init__(self, folder: Path, base_url: str) -> None:
        self.folder = folder
        self.server = base_url.removesuffix("/v1")
        self.base_url = base_url
        self.programs = folder / "programs"
        self.project = folder / "project"
        self.variables: dict[str, str] = {}
        marked = (".claude/CLAUDE.md", "project/CLAUDE.md", "project/AGENTS.md")
        for name in (*marked, "project/GEMINI.md", "project/.github/copilot-instructions.md"):
            self.put(name, MARK)
        touch = {"command": "touch", "args": [str(folder / "STARTED")]}
        hook = {"hooks": [{"type": "command", "command": f"touch {folder / 'STARTED'}"}]}
        settings = json.dumps({"hooks": {"UserPromptSubmit": [hook], "SessionStart": [hook]}})
        for name in (".claude/settings.json", "project/.claude/settings.json"):
            self.put(name, settings)
        for name in (".claude.json", "project/.mcp.json"):
            self.put(name, json.dumps({"mcpServers": {"touch": touch}}))
        self.put("project/limits.py", MODULE)
        self.put("project/pyproject.toml", "")
        self.put(SECRET, SECRET)

    def put(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def install(self, name: str, words: str = "") -> None:
        real = shutil.which(name, path=PROGRAMS)
        assert real, f"{name} is not in {PROGRAMS}"
        self.put(f"programs/{name}", f'#!/bin/sh\nexec {real} "$@" {words}\n')
        (self.programs / name).chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        node = os.path.dirname(shutil.which("node") or "")
        return {
            "PATH": os.pathsep.join([str(self.programs), node, "/usr/bin", "/bin"]),
            "HOME": str(self.folder),
            "ASSAY_SETTINGS": str(self.folder / "settings.toml"),
            "ASSAY_STORE": str(self.folder / "store" / "assay.db"),
            **self.variables,
        }

    def check(self, command: str, model: str = "") -> subprocess.CompletedProcess[str]:
        self.put("settings.toml", f'[endpoint]\ncommand = "{command}"\nmodel = "{model}"\n')
        return subprocess.run(
            [*forked("-m", "assay_engine"), "check", "limits.py", "--format", "json"],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )

    def holding(self, text: str) -> list[str]:
        """The files in the home, beside those that were put there, that hold a text."""
        own = ("store/", "project/", SECRET)
        found = [path for path in self.folder.rglob("*") if path.is_file()]
        names = [str(path.relative_to(self.folder)) for path in found]
        return [
            name
            for name, path in zip(names, found, strict=True)
            if not name.startswith(own) and text.encode() in path.read_bytes()
        ]


def claude(home: Home) -> None:
    home.variables = {
        "ANTHROPIC_BASE_URL": home.server,
        "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-made-up",
    }
    home.install("claude")


def codex(home: Home) -> None:
    home.put(".codex/auth.json", json.dumps({"OPENAI_API_KEY": "sk-made-up"}))
    touch = f'[mcp_servers.touch]\ncommand = "touch"\nargs = ["{home.folder / "STARTED"}"]\n'
    home.put(".codex/config.toml", touch)
    provider = {"name": "local", "base_url": home.base_url, "wire_api": "responses"}
    words = [f"-c 'model_providers.local.{name}=\"{each}\"'" for name, each in provider.items()]
    home.install("codex", "-c 'model_provider=\"local\"' " + " ".join(words))
    # It has a word of its own for who is signed in, which takes no provider.
    program = home.programs / "codex"
    program.write_text(program.read_text().replace("exec", '[ "$1" = login ] || exec'))


def gemini(home: Home) -> None:
    touch = {"command": "touch", "args": [str(home.folder / "STARTED")]}
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "mcpServers": {"touch": touch},
    }
    home.put(".gemini/settings.json", json.dumps(settings))
    home.put(".gemini/.env", "GEMINI_API_KEY=made-up\n")
    home.variables = {"GOOGLE_GEMINI_BASE_URL": home.server}
    home.install("gemini")


def copilot(home: Home) -> None:
    home.variables = {"COPILOT_PROVIDER_BASE_URL": home.base_url, "COPILOT_OFFLINE": "true"}
    home.install("copilot")


def llm(home: Home) -> None:
    model = f'- model_id: local\n  model_name: local\n  api_base: "{home.base_url}"\n'
    home.put("llm/extra-openai-models.yaml", model)
    home.variables = {"LLM_USER_PATH": str(home.folder / "llm")}
    home.install("llm")


@contextmanager
def signed_in(folder: Path, set_up: Callable[[Home], None]) -> Iterator[tuple[Home, Providers]]:
    assert "eth" not in Path("/proc/net/dev").read_text(), "only where there is no network"
    providers = Providers(folder)
    with OpenAIServer(providers) as server:
        home = Home(folder, server.base_url)
        set_up(home)
        yield home, providers


MODELS = {"copilot": "gpt-5.4", "llm": "local", "gemini": "gemini-2.5-flash"}
# Each with the folders in which it keeps what it was asked, whatever one says.
KEEPS = {"gemini": (".gemini/tmp/",), "copilot": (".copilot/",)}


@pytest.mark.parametrize("set_up", [claude, codex, gemini, copilot, llm])
def test_it_is_asked_without_tools_and_without_the_project(
    tmp_path: Path, set_up: Callable[[Home], None]
) -> None:
    name = set_up.__name__
    with signed_in(tmp_path, set_up) as (home, providers):
        ran = home.check(name, MODELS.get(name, ""))
    assert ran.returncode == 1, ran.stdout + ran.stderr
    (report,) = json.loads(ran.stdout)["reports"]
    assert report["verdict"]["status"] == "suspect"
    paid = report["cost"]["paid"]
    assert len(providers.asked) == paid["requests"]
    assert bool(paid["prompt_tokens"]) == (name == "llm")
    assert not providers.tools
    assert not (tmp_path / "STARTED").exists()
    assert MARK not in json.dumps(providers.asked)
    stored = [
        each for each in home.holding("def clamp") if not each.startswith(KEEPS.get(name, "\0"))
    ]
    assert not stored
    assert bool(home.holding("def clamp")) == bool(KEEPS.get(name))
    assert bool(KEEPS.get(name)) == bool({row.name: row.keeps for row in COMMANDS}[name])


def test_what_codex_tells_its_model_of_does_not_run(tmp_path: Path) -> None:
    with signed_in(tmp_path, codex) as (home, providers):
        providers.calls = list(CALLS)
        ran = home.check("codex")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert not providers.calls
    assert len(providers.outputs) >= len(CALLS)
    assert SECRET not in json.dumps(providers.outputs)


SIGNED_OUT = {
    "claude": "Nobody is signed in to Claude Code; run `claude auth login`.",
    "codex": "Nobody is signed in to Codex; run `codex login`.",
    "gemini": 'gemini reports an error: "Please set an Auth method in your ',
    "copilot": 'copilot failed with exit status 1: "Error: No authentication information found',
    "llm": 'llm failed with exit status 1: "Error: No key found',
}


@pytest.mark.parametrize("name", SIGNED_OUT)
def test_where_nobody_is_signed_in_that_is_said(tmp_path: Path, name: str) -> None:
    home = Home(tmp_path, "http://127.0.0.1:9/v1")
    home.install(name)
    ran = home.check(name)
    assert ran.returncode == 2
    (report,) = json.loads(ran.stdout)["reports"]
    assert SIGNED_OUT[name] in report["problems"][0]["message"]
