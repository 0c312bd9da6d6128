"""`assay check --spec FILE`: what was asked for, beside the docstring or in its place."""

from __future__ import annotations

import json
from pathlib import Path

from support.check_workspace import INPUTS, MODULE, Workspace, saying, workspace
from support.openai_server import Behaviour, OpenAIServer, Request, ok

ASKED = "Clamp must keep a value within low and high. Both bounds are allowed values."
# The author has misunderstood that, and written code and docstring alike.
MISTAKEN = MODULE.replace("low to high, both included", "above low up to high")
UNDOCUMENTED = (
    "def clamp(value: int, low: int, high: int):\n    return min(max(value, low + 1), high)\n"
)
AS_DESCRIBED = "def clamp(value, low, high):\n    return min(max(value, low + 1), high)\n"


def obeying(request: Request) -> Behaviour:
    """Writes what is asked for, or, where nothing is, what the docstring describes."""
    prompt = request.body["messages"][-1]["content"]
    if ASKED in prompt or "Choose inputs" in prompt:
        return ok(SAY(prompt))
    return ok(f"```python\n{AS_DESCRIBED}```")


SAY = saying(inputs=INPUTS)


def statuses(own: Workspace, *arguments: str) -> list[str]:
    run = own.assay("check", "limits.py", "--format", "json", *arguments)
    return [each["verdict"]["status"] for each in json.loads(run.stdout)["reports"]]


def test_a_mistake_that_docstring_and_code_share_is_found_by_the_request(tmp_path: Path) -> None:
    (tmp_path / "issue.md").write_text(f"# Clamp\n\n{ASKED}\n", encoding="utf-8")
    with OpenAIServer(obeying) as server:
        own = workspace(tmp_path, server, MISTAKEN)
        assert statuses(own) == ["trusted"]
        run = own.assay("check", "limits.py", "--spec", "issue.md")
        assert run.returncode == 1, run.stdout + run.stderr
        assert "all 10 candidates return 0, this returns 1" in run.stdout
        sent = [each.body["messages"][-1]["content"] for each in server.requests if each.body]
        assert sum(ASKED in each for each in sent) == 13
        # Both reports are kept, each under what it rests on.
        spent = len(server.requests)
        assert statuses(own, "--spec", "issue.md") == ["suspect"]
        assert statuses(own) == ["trusted"]
        assert len(server.requests) == spent


def test_a_function_without_a_docstring_can_be_checked(tmp_path: Path) -> None:
    (tmp_path / "issue.md").write_text(ASKED, encoding="utf-8")
    with OpenAIServer(obeying) as server:
        own = workspace(tmp_path, server, UNDOCUMENTED)
        assert statuses(own) == ["unsupported"]
        assert not server.requests
        run = own.assay("check", "limits.py::clamp", "--spec", "issue.md")
    assert "clamp: suspect" in run.stdout, run.stdout + run.stderr
    assert "no docstring" not in run.stdout + run.stderr


def test_a_request_that_cannot_be_read_is_named_before_anything_is_sent(tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text(" \n", encoding="utf-8")
    (tmp_path / "long.md").write_text("x" * 8_001, encoding="utf-8")
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    with OpenAIServer(obeying) as server:
        own = workspace(tmp_path, server)
        for name, said in (
            ("none.md", "cannot be read (No such file or directory)"),
            ("empty.md", "holds 0 characters. Write what was asked for there"),
            ("long.md", "holds 8001 characters"),
            ("binary.md", "is not UTF-8 text"),
        ):
            run = own.assay("check", "limits.py", "--spec", name)
            assert (run.returncode, run.stdout) == (2, ""), run.stdout
            assert said in " ".join(run.stderr.split()), run.stderr
        assert not server.requests
