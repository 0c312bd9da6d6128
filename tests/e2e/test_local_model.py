"""A model server on this machine, as somebody uses it who has configured nothing else."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assay_engine.config.configuration import EngineOptions
from assay_engine.engine import Engine
from assay_engine.models import LocalServer
from assay_engine.types import Report, SourceText, Status
from support.check_workspace import MODULE, RIGHT_MODULE, answering
from support.forking import forked
from support.openai_server import OpenAIServer

SECONDS = 60.0


async def checked(
    folder: Path,
    server: OpenAIServer,
    model: str,
    *,
    text: str = MODULE,
    offline: bool = False,
    is_found: bool = True,
) -> tuple[list[Report], tuple[Report, ...]]:
    """What one process says of a file: at once, and after a check."""
    options = EngineOptions(
        offline=offline, root=str(folder), store_path=str(folder / "store.db"), environment={}
    )

    async def look() -> tuple[LocalServer, ...]:
        return (LocalServer("Ollama", server.base_url, (model,)),) if is_found else ()

    with Engine.open(options, look=look) as engine:
        engine.give_consent(server.base_url, True)
        source = SourceText(str(folder / "module.py"), text, str(folder))
        recalled = engine.recall(source)
        return [report async for report in engine.check(source)], recalled


async def test_another_model_is_asked_and_what_the_first_said_is_not_its_word(
    tmp_path: Path,
) -> None:
    with OpenAIServer(answering()) as server:
        (first,), _ = await checked(tmp_path, server, "first")
        asked = len(server.requests)
        (second,), _ = await checked(tmp_path, server, "second")
        assert len(server.requests) == 2 * asked
        (again,), recalled = await checked(tmp_path, server, "second")
        assert len(server.requests) == 2 * asked
    assert [report.model for report in (first, second, again)] == ["first", "second", "second"]
    assert [report.model for report in recalled] == ["second"]
    assert first.digest != second.digest


async def test_offline_what_a_local_server_has_said_is_found(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        await checked(tmp_path, server, "model", text=RIGHT_MODULE)
    (report,), _ = await checked(tmp_path, server, "model", text=RIGHT_MODULE, offline=True)
    assert report.verdict.status is Status.TRUSTED
    # Another body, the same questions: their answers are in the cache. Nobody can be asked about
    # what it does, so that is information.
    (other,), _ = await checked(tmp_path, server, "model", offline=True)
    assert other.verdict.status is Status.AMBIGUOUS


# Notes all that it is sent, and lists a model like any server.
ANOTHERS = """
import http.server, sys

class Noting(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"object": "list", "data": [{"id": "model"}]}')

    def do_POST(self):
        print(self.rfile.read(int(self.headers["Content-Length"])).decode(), flush=True)
        self.send_error(500)

with http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Noting) as server:
    print("listens", flush=True)
    server.serve_forever()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can start another account's server")
@pytest.mark.parametrize("is_found", [True, False])
async def test_nothing_is_sent_to_another_account_that_has_taken_the_port(
    is_found: bool, tmp_path: Path
) -> None:
    with OpenAIServer(answering()) as server:
        await checked(tmp_path, server, "model", text=RIGHT_MODULE)
        assert server.requests
    port = str(urlsplit(server.base_url).port)
    account = ("setpriv", "--reuid=12345", "--regid=12345", "--clear-groups")
    with subprocess.Popen(
        [*account, "/usr/bin/python3", "-c", ANOTHERS, port],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        text=True,
    ) as another:
        assert another.stdout is not None
        assert another.stdout.readline() == "listens\n"
        try:
            (report,), _ = await checked(tmp_path, server, "model", is_found=is_found)
        finally:
            another.terminate()
        assert another.stdout.read() == ""
    assert "belongs to another account" in report.problems[0].message, report.problems


def consent(folder: Path, *arguments: str, answer: str = "\n", **variables: str) -> tuple[str, int]:
    """What `assay consent` says on a terminal where somebody types, and its exit status."""
    near, far = pty.openpty()
    with subprocess.Popen(
        forked("-m", "assay_engine", "consent", *arguments),
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder.parent),
            "ASSAY_STORE": str(folder.parent / "store.db"),
            # So that no server of this machine is asked about.
            "ASSAY_BASE_URL": "http://127.0.0.1:9/v1",
            "ASSAY_MODEL": "m",
            **variables,
        },
        stdin=far,
        stdout=far,
        stderr=far,
    ) as process:
        os.close(far)
        os.write(near, answer.encode())
        said = b""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if select.select([near], [], [], 0.2)[0]:
                try:
                    part = os.read(near, 4096)
                except OSError:
                    break
                if not part:
                    break
                said += part
            elif process.poll() is not None:
                break
    os.close(near)
    return said.decode(), process.returncode


def with_interpreter(project: Path) -> Path:
    """A project that brings along a program as its interpreter."""
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    (project / "pyproject.toml").write_text("", encoding="utf-8")
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return python


def consent_without_a_terminal(
    project: Path, store: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        forked("-m", "assay_engine", "consent", *arguments),
        cwd=project,
        env={"PATH": os.environ["PATH"], "ASSAY_STORE": str(store)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_without_a_terminal_consent_says_what_waits_for_an_answer(tmp_path: Path) -> None:
    python = with_interpreter(tmp_path / "project")
    run = consent_without_a_terminal(tmp_path / "project", tmp_path / "store.db")
    assert run.returncode == 2
    assert f"{python} may not be used yet" in run.stderr
    assert "run `assay consent` in a terminal" in run.stderr
    assert "is waiting for your consent" not in run.stdout


def test_consent_that_could_not_be_kept_is_not_taken(tmp_path: Path) -> None:
    with_interpreter(tmp_path / "project")
    (tmp_path / "file").touch()
    for arguments in ([], ["--withdraw", "http://127.0.0.1:11434/v1"]):
        store = tmp_path / "file" / "store.db"
        run = consent_without_a_terminal(tmp_path / "project", store, *arguments)
        assert run.returncode == 2
        assert "store.db cannot be used" in run.stderr
        assert "agreed" not in run.stderr + run.stdout


def test_a_yes_to_an_interpreter_is_listed_and_can_be_taken_back(tmp_path: Path) -> None:
    project = tmp_path / "project"
    python = with_interpreter(project)
    said, status = consent(project, answer="y\n")
    assert status == 0
    assert f"{python} is a program in this project" in said
    assert f"agreed: {python.as_uri()}" in said
    options = EngineOptions(root=str(project), store_path=str(tmp_path / "store.db"))
    with Engine.open(options) as engine:
        assert engine.interpreter.program == python
    said, status = consent(project, "--withdraw", python.as_uri())
    assert f"{python.as_uri()} may no longer be used" in said
    assert status == 0
    said, status = consent(project, "--withdraw", python.as_uri())
    assert "you have not agreed to" in said
    assert status == 2
    with Engine.open(options) as engine:
        assert engine.interpreter.left_aside == python


def test_a_yes_that_anybody_could_have_brought_along_is_not_asked_for(tmp_path: Path) -> None:
    project = tmp_path / "project"
    with_interpreter(project)
    said, status = consent(project, answer="y\n", HOME=str(project), ASSAY_STORE="")
    assert "so the project could have supplied it" in said
    assert status == 2


def test_no_name_in_a_project_asks_another_question(tmp_path: Path) -> None:
    project = tmp_path / "project"
    python = with_interpreter(project)
    # It would wipe the line on which the terminal is.
    tools = tmp_path / "tools\x1b[2K\rGo on?"
    tools.mkdir()
    python.rename(tools / "python3")
    python.symlink_to(tools / "python3")
    said, _ = consent(project, answer="n\n")
    assert "\x1b[2K" not in said
    assert "tools\\x1b[2K Go on?/python3, which is neither" in said


def test_a_question_that_is_not_answered_ends_as_what_could_not_run(tmp_path: Path) -> None:
    with_interpreter(tmp_path / "project")
    said, status = consent(tmp_path / "project", answer="\x04")
    assert "assay: stopped" in said
    assert status == 2
