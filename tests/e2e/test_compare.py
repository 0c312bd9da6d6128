"""`assay compare`, as somebody without a model runs it in a real Git repository."""

from __future__ import annotations

import json
from pathlib import Path

from support.check_workspace import Workspace
from support.repositories import ENVIRONMENT, repository
from support.workflow_commands import commands_in

BEFORE = """
def median(values: list[int]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def double(number: int) -> int:
    return number + number
"""
AFTER = (
    BEFORE.replace("(ordered[middle - 1] + ordered[middle]) / 2", "ordered[middle]").replace(
        "number + number", "2 * number"
    )
    + "\n\ndef added(number: int) -> int:\n    return number\n"
)


def test_changed_functions_are_compared_with_their_former_version(tmp_path: Path) -> None:
    made = repository(tmp_path)
    made.commit(numbers=BEFORE)
    made.write("numbers.py", AFTER)
    own = Workspace(tmp_path, "")
    run = own.assay("compare", "--since", "main", **ENVIRONMENT)
    again = own.assay("compare", "--since", "main", **ENVIRONMENT)
    github = own.assay("compare", "--since", "main", "--format", "github", **ENVIRONMENT)
    assert run.returncode == 1
    assert run.stdout == again.stdout
    head, shown, *others = filter(None, run.stdout.splitlines())
    assert head == "numbers.py:2 median: differs"
    assert "ASY105 warning: median([" in shown
    assert "the version at main" in shown
    assert "double: no difference on" in others[0]
    assert "`added` is not in the version at main" in others[1]
    assert others[2] == "3 functions: 1 differ, 1 the same, 1 not compared"
    (finding,) = commands_in(github.stdout)
    assert (finding.properties["file"], finding.properties["line"]) == ("numbers.py", "2")
    # Hypothesis keeps things in the current folder, unless it is kept from it.
    assert not (tmp_path / ".hypothesis").exists()


def test_a_function_is_compared_with_one_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def f(a, b):\n    return a + b\n")
    (tmp_path / "other.py").write_text("def g(x, y):\n    return x + y if x != 7 else 0\n")
    own = Workspace(tmp_path, "")
    run = own.assay("compare", "one.py::f", "--with", "other.py::g", "--format", "json")
    (report,) = json.loads(run.stdout)["reports"]
    assert (run.returncode, run.stderr) == (1, "")
    assert report["versions"]["differs"] is True
    assert report["findings"][0]["witness"]["call"].startswith("f(7")
