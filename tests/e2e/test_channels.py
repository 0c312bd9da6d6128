"""Nothing that a project, a model or an endpoint has written is obeyed where it is shown.

That is by a terminal, by a runner of CI that keeps a log, by an editor.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from assay_lsp.logs import Redacting
from support.check_workspace import Workspace, workspace
from support.forking import forked
from support.lsp_editor import own_surroundings, start_editor, stop_editor
from support.openai_server import Behaviour, Exchange, OpenAIServer, Request, Script, ok

SAID = "##vso[task.prependpath]x ##[error]x ##odd-word[x]"
COMMAND = "::error title=evil::owned"
# A message of an endpoint; it is quoted up to a bound.
REFUSAL = (
    f"{SAID}\n{COMMAND}\x1b[2J [see](command:evil) https://evil.test/a?b=c, "
    "WWW.evil.test me@evil.test."
)
SETTINGS = f"""\
[tool.assay]
"{SAID}" = 1
"\\n{COMMAND}" = 1
"""
MODULE = f'''\
def told(number: int) -> str:
    """Say a number.

    >>> told(1)
    '1'
    """
    if number == 1:
        return "{SAID}"
    raise ValueError("\\n{COMMAND} {SAID}")


def broken(##vso[x]
'''
# A runner of GitHub Actions obeys the first two, one of Azure Pipelines and others the last.
OBEYED = re.compile(r"^\s*::|##\[|##[\w.-]*\[|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LINK = re.compile(r"://|www\.|\S@\S", re.IGNORECASE)


def refusing(_request: Request) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        exchange.send(400, json.dumps({"error": {"message": REFUSAL}}).encode())

    return behave


def misset(request: Request) -> Behaviour:
    raise AssertionError(request)


def answering(_request: Request) -> Behaviour:
    return ok(f"{SAID}\n{COMMAND}\n```python\n{COMMAND}\n```")


def hostile_project(folder: Path, server: OpenAIServer) -> Workspace:
    own = workspace(folder, server, MODULE)
    (folder / f"{SAID}.py").write_text(MODULE, encoding="utf-8")
    (folder / f"\n{COMMAND}.py").write_bytes(b"# caf\xe9\n")
    return own


def obeyed(log: str) -> list[str]:
    # What begins with a command of ours is read as that one.
    lines = [line for line in log.split("\n") if not re.match(r"::\w+ (file|title=Assay)", line)]
    return [line for line in lines if OBEYED.search(line)]


@pytest.mark.parametrize("style", ["text", "github", "json", "sarif"])
def test_no_log_of_a_check_is_obeyed(tmp_path: Path, style: str) -> None:
    def logged(script: Script) -> str:
        with OpenAIServer(script) as server:
            own = hostile_project(tmp_path, server)
            if script is misset:
                (tmp_path / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
            run = own.assay("check", ".", "--format", style, "--verbose", "--apply")
        assert obeyed(run.stdout) == obeyed(run.stderr) == []
        if style in ("json", "sarif"):
            # It is data: who reads it gets what was written.
            assert SAID in str(json.loads(run.stdout))
        return run.stdout + run.stderr

    assert "odd-word" in logged(refusing)
    assert "ASY103" in logged(answering)
    assert "has no setting" in logged(misset)


def test_nor_is_what_any_other_command_prints(tmp_path: Path) -> None:
    with OpenAIServer(refusing) as server:
        own = hostile_project(tmp_path, server)
        own.assay("check", ".")
        where = ("--base-url", server.base_url, "--key-from", "none")
        setup = ("setup", *where, "--model", SAID)
        for arguments in (
            ("doctor", "--probe"),
            ("explain", "--html"),
            ("explain", SAID),
            ("check", f"--{SAID}"),
            ("check", COMMAND.replace("::", "##[")),
            ("test", f"{SAID}.py::told", "--expect", "function"),
            ("test", f"{SAID}.py::{COMMAND}"),
            ("consent", "--withdraw", f"\n{COMMAND}"),
            setup,
            (*setup, "--json"),
        ):
            run = own.assay(*arguments)
            assert re.search("odd-word|evil", run.stdout + run.stderr), arguments
            assert obeyed(run.stdout) == obeyed(run.stderr) == [], arguments


def test_nor_does_it_matter_how_python_writes() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "assay_engine", "check", f"--{SAID}"],
        env={"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "odd-word" in run.stderr
    assert not obeyed(run.stderr)


def test_nor_is_what_a_server_logs() -> None:
    try:
        raise OSError(REFUSAL)
    except OSError:
        record = logging.LogRecord(
            SAID, logging.ERROR, "", 1, f"%s\n{COMMAND}", (REFUSAL,), sys.exc_info()
        )
    lines = Redacting({}).format(record).split("\n")
    assert not obeyed("\n".join(lines))
    assert lines[0].endswith(COMMAND)
    assert lines[1].startswith("Traceback")


@pytest.mark.parametrize("settings", ["", SETTINGS])
async def test_nor_is_what_an_editor_shows(tmp_path: Path, settings: str) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    with OpenAIServer(refusing) as server:
        hostile_project(folder, server)
        (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
        editor = await start_editor(
            forked("-m", "assay_engine", "server"),
            folder,
            tmp_path / "journal",
            options={"[see](command:evil)\n": 1},
            environment=own_surroundings(tmp_path, server.base_url),
        )
        editor.path = Path(f"{SAID}.py")
        try:
            await editor.open(MODULE)
            await editor.command("checkFile", editor.uri)
            await editor.until(lambda: "odd-word" in str(editor.messages()))
            await editor.idle()
            hover = await editor.hover(0, 5)
        finally:
            await stop_editor(editor)
    for message in editor.messages():
        assert message.isprintable()
        assert not re.search(r"\]\(\w+:", message)
    assert "see" in str(editor.messages())
    if settings:
        return
    assert hover is not None
    blocks = MarkdownIt("commonmark").parse(hover.contents.value)
    tokens = [token for block in blocks for token in block.children or ()]
    assert "https://evil.test/a?b=c" in [each.content for each in tokens]
    assert not [each for each in tokens if each.type == "text" and LINK.search(each.content)]
