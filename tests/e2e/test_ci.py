"""What CI takes from `assay check`: JUnit's XML and a baseline, with real processes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import junitparser

from support.check_workspace import MODULE, Workspace, answering, workspace
from support.openai_server import OpenAIServer, status

ROOT = Path(__file__).resolve().parents[2]
REPLIES = ROOT / "examples" / "replies.jsonl"
HOSTILE = '''\
def fails(number: int) -> int:
    """Add one.

    >>> fails(1)
    2
    """
    raise ValueError("]]>\\x00\\x1b[0m\\ud800<&\\n::add-mask::x ##[debug]z")


def ask(name: str) -> object:
    """Ask."""
    return socket.socket(name)
'''


def log_of(text: str) -> ElementTree.Element:
    """The log, with the counts that a reader of such logs finds by itself."""
    log = ElementTree.fromstring(text)
    read = junitparser.JUnitXml.fromstring(text)
    assert [each.tag for each in log] == ["testsuite"] * len(log)
    counts = (read.tests, read.failures, read.errors)
    read.update_statistics()
    for suite in read:
        counted = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        assert counted == (suite.tests, suite.failures, suite.errors, suite.skipped)
    assert counts == (read.tests, read.failures, read.errors)
    return log


def test_junit_has_a_test_for_each_function(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    own = Workspace(tmp_path, "")
    arguments = ("check", "examples", "--replay", str(REPLIES), "--format")
    run = own.assay(*arguments, "junit")
    assert run.returncode == 1, run.stderr
    log = log_of(run.stdout)
    reports = json.loads(own.assay(*arguments, "json").stdout)["reports"]
    cases = {
        (suite.attrib["name"], case.attrib["name"]): case
        for suite in log
        for case in suite.iter("testcase")
    }
    kinds = {
        place: {each.tag for each in case} - {"system-out"} or {"passed"}
        for place, case in cases.items()
    }
    expected = {
        (each["path"], each["qualname"]): {
            "suspect": {"failure"},
            "unsupported": {"skipped"},
            "abstained": {"skipped"},
        }.get(each["verdict"]["status"], {"passed"})
        for each in reports
        if all(problem["kind"] != "no-docstring" for problem in each["problems"])
    }
    assert kinds == expected
    (failure,) = cases["examples/text.py", "wrap_words"].findall("failure")
    assert failure.attrib["type"] == "ASY101"
    told = str(failure.text)
    # The input, and both outcomes.
    assert "wrap_words('ab cd ef gh', 5)" in told
    assert "all 10 candidates" in told
    assert "this function" in told
    assert all(each.get("message") for case in cases.values() for each in case.iter("skipped"))
    assert str(tmp_path) not in run.stdout
    assert own.assay(*arguments, "junit").stdout == run.stdout


def test_junit_holds_what_programs_and_paths_say(tmp_path: Path) -> None:
    folder = tmp_path / 'a&b <"c">'
    folder.mkdir()
    (folder / "d.py").write_text(f"import socket\n\n\n{HOSTILE}", encoding="utf-8")
    (folder / "broken.py").write_text("def f(:\n", encoding="utf-8")
    run = Workspace(tmp_path, "").assay("check", ".", "--format", "junit", "--offline")
    assert run.returncode == 2
    log = log_of(run.stdout)
    assert run.stdout.isascii()
    assert "##[" not in run.stdout
    assert not any(line.lstrip().startswith("::") for line in run.stdout.splitlines())
    suite, rest = log
    assert suite.attrib["name"] == 'a&b <"c">/d.py'
    fails, ask = suite
    assert "]]>" in str(fails.find("failure").attrib["message"])
    assert [each.tag for each in ask] == ["skipped"]
    assert "broken.py" in rest[0][0].attrib["message"]
    assert (log.attrib["failures"], log.attrib["errors"]) == ("1", "1")


def test_junit_tells_a_failing_endpoint_from_a_failing_function(tmp_path: Path) -> None:
    with OpenAIServer([status(500)]) as server:
        run = workspace(tmp_path, server).assay("check", ".", "--format", "junit")
    ((case,),) = log_of(run.stdout)
    assert [(each.tag, each.attrib["type"]) for each in case] == [("error", "model-unavailable")]
    assert run.returncode == 2


def test_a_baseline_leaves_out_what_was_there_until_it_changes(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        failing = own.assay("check", ".")
        written = own.assay("check", ".", "--write-baseline", "known.json")
        quiet = own.assay("check", ".", "--baseline", "known.json", "--quiet", "--apply")
        before = own.module.read_text("utf-8")
        own.module.write_text(f"import os\n\n\n{before}\n\n# The end.\n", "utf-8")
        moved = own.assay("check", ".", "--baseline", "known.json", "--format", "sarif")
        own.module.write_text(MODULE.replace("low + 1", "low + 2"), "utf-8")
        changed = own.assay("check", ".", "--baseline", "known.json", "--format", "json")
        partly = own.assay("check", ".", "gone.py", "--write-baseline", "other.json")
    known = json.loads((tmp_path / "known.json").read_text("utf-8"))
    (function,) = known["functions"]
    assert (function["file"], function["function"]) == ("limits.py", "clamp")
    assert function["codes"] == ["ASY101"]
    assert (failing.returncode, written.returncode, quiet.returncode) == (1, 0, 0)
    assert "ASY101" in written.stdout
    assert "known.json is written: the findings of 1 function\n" in written.stderr
    assert "1 finding left out: in known.json\n" in quiet.stderr
    assert "clamp" not in quiet.stdout
    assert before == MODULE
    assert moved.returncode == 0
    assert json.loads(moved.stdout)["runs"][0]["results"] == []
    assert changed.returncode == 1
    (report,) = json.loads(changed.stdout)["reports"]
    assert [each["code"] for each in report["findings"]] == ["ASY101"]
    assert partly.returncode == 2
    assert not (tmp_path / "other.json").exists()


def test_what_is_no_baseline_is_named(tmp_path: Path) -> None:
    own = Workspace(tmp_path, "")
    own.module.write_text(MODULE, "utf-8")
    for content, said in (
        (None, "cannot be read"),
        ("[]", "is not a baseline"),
        ('{"assay_baseline": 7, "functions": []}', "was written by another version"),
    ):
        if content is not None:
            (tmp_path / "known.json").write_text(content, "utf-8")
        run = own.assay("check", ".", "--offline", "--baseline", "known.json")
        assert run.returncode == 2
        assert f"--baseline known.json {said}" in run.stderr
        assert "Write one with --write-baseline known.json." in run.stderr
