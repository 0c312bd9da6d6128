"""`# assay: ignore`: findings that their reader has seen, and functions that nobody wants tried."""

from __future__ import annotations

import json
from pathlib import Path

from support.check_workspace import MODULE, Workspace, answering, workspace
from support.openai_server import OpenAIServer

HEADER = "high: int) -> int:"


def with_comment(own: Workspace, comment: str, module: str = MODULE) -> None:
    own.module.write_text(module.replace(HEADER, f"{HEADER}  # assay: {comment}"))


def test_an_ignored_finding_is_not_told_fails_nothing_and_costs_nothing_more(
    tmp_path: Path,
) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, MODULE)
        before = own.assay("check")
        assert (before.returncode, "ASY101 warning" in before.stdout) == (1, True)
        asked = len(server.requests)
        with_comment(own, "ignore[ASY101] the lower bound is out, as agreed")
        run = own.assay("check")
        assert len(server.requests) == asked
        assert run.returncode == 0
        assert "clamp: suspect" in run.stdout
        assert "(ASY101 ignored)" in run.stdout
        assert "replacement" not in run.stdout
        quiet = own.assay("check", "--quiet").stdout
        assert "clamp" not in quiet
        assert "1 function: 1 suspect (1 ignored)\n" in quiet
        assert (
            "ignored, as a comment or the baseline says: ASY101"
            in own.assay("check", "--verbose").stdout
        )
        (report,) = json.loads(own.assay("check", "--format", "json").stdout)["reports"]
        assert (report["findings"], report["ignored"]) == ([], ["ASY101"])
        text = own.module.read_text()
        own.assay("check", "--apply")
        assert own.module.read_text() == text


def test_other_findings_are_told_as_ever(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, MODULE)
        with_comment(own, "ignore[ASY201]")
        run = own.assay("check")
    assert (run.returncode, "ASY101 warning" in run.stdout) == (1, True)
    assert "ignored" not in run.stdout


def test_a_function_that_is_ignored_is_sent_nowhere_unless_it_is_named(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, MODULE)
        with_comment(own, "ignore")
        run = own.assay("check")
        assert not server.requests
        assert run.returncode == 0
        assert "0 functions" in run.stdout
        named = own.assay("check", "limits.py::clamp")
        assert server.requests
        assert "ASY101 warning" in named.stdout


def test_a_comment_that_is_not_understood_is_said_to_be(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, MODULE)
        with_comment(own, "ignore ASY101")
        run = own.assay("check")
    assert run.returncode == 1
    assert "note: `# assay: ignore ASY101` is not understood" in run.stdout
