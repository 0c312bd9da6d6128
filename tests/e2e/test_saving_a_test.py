"""`assay test`, as a user runs it: from a finding to a test that holds the function to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from support.check_workspace import MODULE, RIGHT, WRONG, answering, workspace
from support.openai_server import OpenAIServer


def passes(folder: Path) -> bool:
    """Whether the tests pass, by plain pytest: `python -m pytest` puts the folder on the path."""
    pytest = str(Path(sys.executable).with_name("pytest"))
    command = [pytest, "-q", "-p", "no:cacheprovider"]
    # Plugins take longer to load than these tests to run.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, timeout=100, check=False
    )
    assert run.returncode in (0, 1), run.stdout
    return run.returncode == 0


def test_a_finding_becomes_a_test_that_the_replacement_passes(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        too_early = own.assay("test", "limits.py::clamp")
        own.assay("check", "limits.py")
        sent = len(server.requests)
        shown = own.assay("test", "limits.py::clamp")
        assert not (tmp_path / "test_limits.py").exists()
        written = own.assay("test", "limits.py:1", "--write")
        assert len(server.requests) == sent
        again = own.assay("test", "limits.py:1", "--write")
        assert not passes(tmp_path)
        own.assay("check", "limits.py", "--apply")
    assert passes(tmp_path)
    assert too_early.returncode == 2
    assert "Get one: assay check limits.py::clamp" in too_early.stderr
    assert shown.stdout == (
        "--- a/test_limits.py\n+++ b/test_limits.py\n@@ -0,0 +1,6 @@\n"
        "+from limits import clamp\n+\n+\n+def test_clamp():\n"
        "+    # When written, it failed on this function (returns 1).\n"
        "+    assert clamp(-4, 0, 3) == 0\n"
    )
    assert written.stdout == f"{tmp_path / 'test_limits.py'}: the test is written\n"
    assert again.stdout == f"{tmp_path / 'test_limits.py'}: test_clamp is there already\n"


def test_a_test_says_which_losing_candidates_it_kills(tmp_path: Path) -> None:
    candidates = (*(RIGHT,) * 8, WRONG, WRONG)
    with OpenAIServer(answering(candidates, "clamp(-4, 0, 3)\n")) as server:
        own = workspace(tmp_path, server)
        run = own.assay("check", "limits.py", "--format", "json")
        shown = own.assay("test", "limits.py::clamp")
    assert (
        "+    # When written, it failed on this function (returns 1), and on 2 of 10 candidates\n"
        "+    # (return -4).\n" in (shown.stdout)
    )
    (report,) = json.loads(run.stdout)["reports"]
    losing = next(each for each in report["classes"] if each["weight"] == 2)
    own_test = report["expectations"][0]
    assert [each["candidates"] for each in own_test["kills"]] == [[], losing["members"]]


def test_a_function_may_be_right_or_have_nothing_to_test(tmp_path: Path) -> None:
    fails = MODULE.replace("    3\n", "    2\n").replace("clamp", "clip")
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server, f"{MODULE}\n\n{fails}")
        run = own.assay("check", "limits.py", "--format", "json")
        (tmp_path / "run.json").write_text(run.stdout, encoding="utf-8")
        right = own.assay(
            "test", "limits.py::clamp", "--expect", "function", "--report", "run.json"
        )
        nothing = own.assay("test", "limits.py::clip", "--report", "run.json")
        several = own.assay("test", "limits.py", "--report", "run.json")
    assert "+    assert clamp(-4, 0, 3) == 1\n" in right.stdout, right.stderr
    assert nothing.returncode == several.returncode == 2
    assert "There is no test of clip to save: " in nothing.stderr
    assert "Name one: FILE::NAME." in several.stderr
