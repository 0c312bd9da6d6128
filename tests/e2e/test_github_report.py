"""`assay check --format github`: what a runner of GitHub Actions makes of the log."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay_engine.cli.github_report import not_done
from support.check_workspace import MODULE, Workspace, answering, workspace
from support.openai_server import OpenAIServer, status
from support.workflow_commands import Command, commands_in

ROOT = Path(__file__).resolve().parents[2]
# What a function says when it fails: a line of its own for the runner, in each of its ways.
HOSTILE = '''\
def fails(number: int) -> int:
    """Add one.

    >>> fails(1)
    2
    """
    raise ValueError("50%0A\\r\\n::add-mask::x\\n ::debug::y ##[debug]z")
'''


def test_the_examples_are_annotated_where_they_are_wrong(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / ".git").mkdir()
    # From the root of the repository on, wherever it is called.
    run = Workspace(tmp_path / "examples", "").assay(
        *("check", "text.py", "money.py", "records.py", "--replay", "replies.jsonl"),
        *("--format", "github"),
    )
    assert run.returncode == 1, run.stderr
    found = {each.properties["title"]: each for each in commands_in(run.stdout)}
    assert {(title, each.name) for title, each in found.items()} == {
        ("Assay ASY101: wrap_words", "warning"),
        ("Assay ASY101: average_price", "warning"),
        ("Assay ASY103: format_amount", "error"),
        ("Assay ASY201: rank_scores", "notice"),
        ("Assay ASY101: cached_keys", "warning"),
    }
    wrapping = found["Assay ASY101: wrap_words"]
    line = (ROOT / "examples" / "text.py").read_text("utf-8").splitlines().index
    number = str(1 + line("def wrap_words(text: str, width: int) -> list[str]:"))
    assert wrapping.properties == {
        "file": "examples/text.py",
        "line": number,
        "endLine": number,
        "col": "5",
        "endColumn": "15",
        "title": "Assay ASY101: wrap_words",
    }
    assert wrapping.data.startswith("wrap_words('ab cd ef gh', 5): all 10 candidates return")
    assert "\n12 functions: " in run.stdout


def test_nothing_that_a_program_or_a_path_says_is_obeyed(tmp_path: Path) -> None:
    own = Workspace(tmp_path, "")
    folder = tmp_path / "a,b: 100%\n::add-mask::c"
    folder.mkdir()
    (folder / "d.py").write_text(HOSTILE, encoding="utf-8")
    (folder / "broken.py").write_text("def f(:\n", encoding="utf-8")
    run = own.assay("check", ".", "--format", "github", "--offline", "--apply")
    failing, *others = commands_in(run.stdout)
    assert {each.name for each in (failing, *others)} == {"error"}
    assert failing.properties["file"] == "a,b: 100%\n::add-mask::c/d.py"
    assert "50%0A ::add-mask:" in failing.data
    assert "##[debug]z" in failing.data
    assert any("broken.py" in each.data for each in others)
    assert commands_in(run.stderr) == []


def test_a_status_of_2_is_explained_once_for_all(tmp_path: Path) -> None:
    with OpenAIServer([status(500)]) as server:
        own = workspace(tmp_path, server, f"{MODULE}\n\n{MODULE.replace('clamp', 'clip')}")
        (tmp_path / "gone.py").write_bytes(b"# coding: none\n")
        run = own.assay("check", ".", "--format", "github")
    assert run.returncode == 2
    unread, refused = sorted(commands_in(run.stdout), key=lambda each: len(each.properties))
    assert (refused.name, unread.name) == ("error", "error")
    assert refused.properties["title"] == "Assay could not check clamp"
    assert refused.properties["file"] == "limits.py"
    assert refused.properties["line"] == "1"
    assert "requests failed" in refused.data
    assert "gone.py: not readable" in unread.data
    assert run.stdout.splitlines()[-2].startswith("2 functions: 2 abstained")
    assert "gone.py" not in run.stderr


def test_hints_are_no_annotations(tmp_path: Path) -> None:
    text = 'import socket\n\n\ndef ask(name):\n    """Ask."""\n    return socket.socket(name)\n'
    (tmp_path / "asking.py").write_text(f"{text}\n\ndef bare(x):\n    return x\n", "utf-8")
    run = Workspace(tmp_path, "").assay("check", "asking.py", "--format", "github", "--offline")
    assert run.returncode == 0
    assert commands_in(run.stdout) == []
    assert run.stdout.startswith("2 functions: 2 unsupported")


def test_a_target_that_is_not_there_is_an_annotation(tmp_path: Path) -> None:
    run = Workspace(tmp_path, "").assay("check", "nowhere.py", "--format", "github")
    assert run.returncode == 2
    (only,) = commands_in(run.stdout)
    assert only.data.startswith("nowhere.py does not exist.")


def test_a_repository_within_the_current_folder_is_part_of_it(tmp_path: Path) -> None:
    outer, elsewhere = tmp_path / "outer", tmp_path / "elsewhere"
    inner = outer / "vendored" / "limits.py"
    for folder in (outer / ".git", inner.parent / ".git", elsewhere):
        folder.mkdir(parents=True)
    with OpenAIServer(answering()) as server:
        own = workspace(outer, server)
        own.module.rename(inner)
        runs = [
            Workspace(folder, server.base_url).assay("check", str(inner), "--format", "github")
            for folder in (outer, elsewhere)
        ]
    files = [{each.properties["file"] for each in commands_in(run.stdout)} for run in runs]
    assert files == [{"vendored/limits.py"}, {"limits.py"}]


@pytest.mark.parametrize("text", ["100%", "%0A", "a\r\nb", "x::y,z", "%250A", "::error::"])
def test_what_is_escaped_is_what_the_runner_reads(text: str) -> None:
    (command,) = commands_in(not_done(text))
    title = "Assay could not check everything"
    assert command == Command("error", {"title": title}, text.replace("\r\n", " "))
