"""What else a project, or a model, brings along: by each account, and by each front end.

A project that asks for more than it may have, has patterns that never end, an encoding that is
none, and a link out of itself; and candidates that sleep in the sandbox.
"""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.accounts import Account, account
from support.check_workspace import MODULE, PROJECT, RIGHT, answering
from support.lsp_editor import Editor, start_editor, stop_editor
from support.openai_server import OpenAIServer

ASKING = f"""\
{PROJECT}
[tool.assay.execution]
memory_bytes = 68719476736
"""
ENDLESS = "*a" * 25 + "*b"
LONG = "a" * 240 + ".py"
SLEEPING = """\
def helper(value, here=__import__('os').system('touch owned')):
    return value


def clamp(value, low, high):
    return helper(max(low, min(value, high)))
"""


@pytest.fixture(params=["running", "ordinary"])
def somebody(request: pytest.FixtureRequest) -> Iterator[Account]:
    with account(str(request.param)) as found:
        yield found


def unpacked(somebody: Account) -> Path:
    project = somebody.ground / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text(ASKING)
    (project / ".gitignore").write_text(f"{ENDLESS}\n")
    for name in ("limits.py", LONG):
        (project / name).write_text(MODULE)
    (project / "spelled.py").write_text(f"# coding: punycode\n{MODULE}")
    (somebody.ground / "outside.py").write_text(MODULE)
    (project / "link.py").symlink_to("../outside.py")
    somebody.take(somebody.ground)
    return project


def variables(somebody: Account, server: OpenAIServer) -> dict[str, str]:
    return somebody.environment(
        ASSAY_BASE_URL=server.base_url,
        ASSAY_MODEL="test-model",
        ASSAY_STORE=str(somebody.ground / "store.db"),
    )


def checked(somebody: Account, project: Path, server: OpenAIServer) -> str:
    run = subprocess.run(
        [*somebody.python, "-m", "assay_engine", "check", ".", "--apply"],
        cwd=project,
        env=variables(somebody, server),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return run.stdout + run.stderr


@asynccontextmanager
async def saved(somebody: Account, server: OpenAIServer, name: str) -> AsyncIterator[Editor]:
    editor = await start_editor(
        (*somebody.python, "-m", "assay_engine", "server", "--stdio"),
        unpacked(somebody),
        somebody.ground / "journal",
        environment=variables(somebody, server),
    )
    editor.path = Path(name)
    await editor.open(MODULE)
    await editor.save()
    await editor.until(lambda: editor.codes() == ["ASY101"], "the finding")
    yield editor
    await stop_editor(editor)


def test_the_command_line_gives_a_project_no_more_than_its_due(somebody: Account) -> None:
    project = unpacked(somebody)
    with OpenAIServer(answering([RIGHT])) as server:
        said = checked(somebody, project, server)
    assert "asks for execution.memory_bytes = 68719476736, and 1073741824 is used" in said
    assert f"{LONG}: clamp replaced" in said
    assert "punycode" in said
    assert "link.py: not written (it is a link to " in said
    assert (somebody.ground / "outside.py").read_text() == MODULE
    assert (project / "limits.py").read_text() != MODULE


async def test_nor_does_an_editor(somebody: Account) -> None:
    with OpenAIServer(answering([RIGHT])) as server:
        async with saved(somebody, server, LONG) as editor:
            assert "asks for execution.memory_bytes" in "".join(editor.messages())
            assert await editor.command("status")


def test_the_command_line_writes_no_candidate_that_sleeps(somebody: Account) -> None:
    project = unpacked(somebody)
    with OpenAIServer(answering([SLEEPING])) as server:
        said = checked(somebody, project, server)
    assert "limits.py: clamp not replaced: caution, line 1 " in said
    assert (project / "limits.py").read_text() == MODULE


async def test_an_editor_says_the_line_of_one(somebody: Account) -> None:
    with OpenAIServer(answering([SLEEPING])) as server:
        async with saved(somebody, server, "limits.py") as editor:
            actions = await editor.actions(0, 5)
    titles = [each.title for each in actions if each.title.startswith("Replace with")]
    assert len(titles) == 1
    assert "caution, line 1" in titles[0]
