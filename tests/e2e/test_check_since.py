"""`assay check --since`, as somebody with a pull request runs it."""

from __future__ import annotations

import json
from pathlib import Path

from support.check_workspace import MODULE, PROJECT, RIGHT_MODULE, Workspace, answering
from support.openai_server import OpenAIServer
from support.repositories import ENVIRONMENT, Repository, repository
from support.workflow_commands import commands_in

UNCHANGED = "no function has changed since main."


def pull_request(folder: Path, base_url: str) -> tuple[Workspace, Repository]:
    """A branch on which nothing has been done yet."""
    made = repository(folder)
    made.write("pyproject.toml", PROJECT)
    made.write(".gitignore", "store/\n")
    made.commit(limits=MODULE, other=MODULE.replace("clamp", "other"))
    made.git("switch", "--quiet", "--create", "feature")
    return Workspace(folder, base_url), made


def test_what_has_not_changed_costs_nothing(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own, made = pull_request(tmp_path, server.base_url)
        run = own.assay("check", "--since", "main", **ENVIRONMENT)
        assert (run.returncode, run.stdout) == (0, "0 functions: nothing to check\n")
        assert UNCHANGED in run.stderr
        assert not server.requests
        assert not (tmp_path / "store").exists()
        made.write("limits.py", f"import os\n\n{MODULE.replace('low + 1', 'low + 2')}")
        run = own.assay("check", "--since", "main", "--format", "github", **ENVIRONMENT)
        asked = len(server.requests)
        (finding,) = commands_in(run.stdout)
        again = own.assay("check", "--since", "main", "--format", "json", **ENVIRONMENT)
        assert len(server.requests) == asked > 0
    assert run.returncode == 1
    assert (finding.properties["file"], finding.properties["line"]) == ("limits.py", "3")
    assert [each["qualname"] for each in json.loads(again.stdout)["reports"]] == ["clamp"]


def test_what_was_mended_is_checked_and_fine(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own, made = pull_request(tmp_path, server.base_url)
        made.commit(limits=RIGHT_MODULE)
        run = own.assay("check", ".", "--since", "main", **ENVIRONMENT)
    assert run.returncode == 0
    assert run.stdout.startswith("limits.py:1 clamp: trusted")
    assert "other" not in run.stdout


def test_nothing_changed_is_said_in_every_format(tmp_path: Path) -> None:
    own, _ = pull_request(tmp_path, "")
    for style in ("json", "github", "sarif"):
        run = own.assay("check", "--since", "main", "--format", style, **ENVIRONMENT)
        assert run.returncode == 0
        assert UNCHANGED in run.stderr
        if style == "github":
            assert run.stdout == "0 functions: nothing to check\n"
        else:
            json.loads(run.stdout)


def test_a_revision_that_is_not_there_stops_all_of_it(tmp_path: Path) -> None:
    with OpenAIServer(answering()) as server:
        own, made = pull_request(tmp_path, server.base_url)
        made.write("limits.py", MODULE.replace("low + 1", "low + 2"))
        run = own.assay("check", "--since", "origin/main", **ENVIRONMENT)
        assert not server.requests
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("assay: --since origin/main: there is no such commit in ")


def test_a_name_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    own, made = pull_request(tmp_path, "")
    run = own.assay("check", "limits.py::clam", "other.py", "--since", "main", **ENVIRONMENT)
    assert run.returncode == 2
    assert "limits.py has no function clam; there is clamp" in run.stderr
    made.write("broken.py", "def f(:\n")
    run = own.assay("check", "--since", "main", **ENVIRONMENT)
    assert run.returncode == 2
    assert "broken.py: " in run.stderr
    made.commit()
    run = own.assay("check", "--since", "HEAD", **ENVIRONMENT)
    assert (run.returncode, run.stdout) == (0, "0 functions: nothing to check\n")


def test_the_former_version_says_what_is_new_and_costs_nothing(tmp_path: Path) -> None:
    """A mistake is a regression or was there before; another change of behaviour is told."""
    worse = MODULE.replace("low + 1", "low + 2")
    forgetful = RIGHT_MODULE.replace("max(low, min(value, high))", "min(value, high)")
    turned = MODULE.replace("max(value, low + 1)", "max(low + 1, value)")
    former = {"new": RIGHT_MODULE, "old": MODULE, "worse": MODULE, "mended": forgetful}
    now = {"new": MODULE, "old": turned, "worse": worse, "mended": RIGHT_MODULE}
    failing = MODULE.replace("return min", "return 1 + min")
    former["failing"], now["failing"] = RIGHT_MODULE, failing
    with OpenAIServer(answering()) as server:
        made = repository(tmp_path)
        made.write("pyproject.toml", PROJECT)
        made.write(".gitignore", "store/\n")
        made.commit(**former)
        made.git("switch", "--quiet", "--create", "feature")
        for name, text in now.items():
            made.write(f"{name}.py", text)
        own = Workspace(tmp_path, server.base_url)
        run = own.assay("check", "--since", "main", "--format", "json", **ENVIRONMENT)
        asked = len(server.requests)
        own.assay("check", *(f"{name}.py" for name in now), **ENVIRONMENT)
        assert len(server.requests) == asked, "the former version is no reason to ask anew"
    reports = {Path(each["path"]).stem: each for each in json.loads(run.stdout)["reports"]}
    told = {name: [each["message"] for each in of["findings"]] for name, of in reports.items()}
    (new,), (old,), (worse,), (mended,), (failing,) = (told[name] for name in now)
    commit = made.git("rev-parse", "main").strip()[:12]
    assert new.endswith(f"; a regression: the version at main ({commit}) returns 0")
    assert old.endswith(f"; so did the version at main ({commit})")
    assert worse.endswith(f"; the version at main ({commit}) returns 1")
    assert "the version at main" in mended
    assert failing.endswith(f"; a regression: the version at main ({commit}) met it")
    found = reports["mended"]
    assert (found["verdict"]["status"], found["findings"][0]["code"]) == ("trusted", "ASY105")
    assert found["findings"][0]["severity"] == "information"
    lines = reports["new"]["findings"][0]["witness"]["outcomes"]
    assert lines[-1]["who"] == f"the version at main ({commit})"
