"""VS Code itself, driven by its own keys, with our .vsix in it and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import drive_vscode
import pytest
from recorded_endpoint import MODEL, recorded_endpoint
from story import (
    EXAMPLES,
    FUNCTION,
    MODULE,
    OUT,
    TRANSCRIPT,
    Told,
    assert_only_the_function_changed,
    executable,
)

from support.openai_server import Behaviour, OpenAIServer, Request, answer, ok

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]


# Where LM Studio listens, if it runs.
LOCAL_PORT = 1234


def local_server(request: Request) -> Behaviour:
    models = {"object": "list", "data": [{"id": "local-model", "owned_by": "organization_owner"}]}
    return answer(models) if request.method == "GET" else ok("no program")


def project(factory: pytest.TempPathFactory) -> Path:
    folder = factory.mktemp("vscode") / "project"
    folder.mkdir()
    return folder


def tally(folder: Path) -> dict[str, str]:
    return {"tally": str(folder.parent / "starts")}


def tallied(folder: Path) -> str:
    """An `assay` that writes its process id on a line whenever it is started."""
    program = folder.parent / "assay"
    starts = tally(folder)["tally"]
    program.write_text(f'#!/bin/sh\necho $$ >>"{starts}"\nexec "{executable()}" "$@"\n')
    program.chmod(0o755)
    return str(program)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    settings = drive_vscode.recorded(executable())
    return drive_vscode.tell("story", project(tmp_path_factory), settings=settings)


def test_the_problems_panel_names_the_function_and_the_code(told: Told) -> None:
    (row,) = told.seen["before"]
    assert FUNCTION in row
    assert "assay" in row
    assert "ASY" in row


def test_the_hover_shows_the_report(told: Told) -> None:
    assert FUNCTION in told.seen["hover"]
    assert "candidates" in told.seen["hover"]


def test_the_quick_fixes_are_offered(told: Told) -> None:
    replace, difference, *others = told.seen["actions"]
    assert "Replace with the candidate" in replace
    assert difference == "Show the difference"
    assert any("evidence" in title for title in others)


def test_the_code_leads_to_its_page(told: Told) -> None:
    assert told.seen["page"].startswith("ASY101: differs from the consensus")


def test_the_evidence_opens_beside_the_module(told: Told) -> None:
    assert FUNCTION in told.seen["evidence"]
    assert "candidates" in told.seen["evidence"]


def test_the_evidence_follows_its_function(told: Told) -> None:
    now, between = (
        told.seen[each].partition("Confidence")[0] for each in ("evidence", "evidenceBetween")
    )
    for button in ("Show the Difference", "Replace", "Save as Test", "Check Again"):
        assert (button in now) == (button != "Check Again")
        assert (button in between) == (button == "Check Again")
    assert "has changed since" not in told.seen["evidenceAfter"]


def test_the_candidate_is_checked_in_its_turn(told: Told) -> None:
    assert "candidates" in told.seen["hoverAfter"]
    assert told.seen["hoverAfter"] != told.seen["hover"]


def test_the_saved_file_has_the_candidate_and_is_otherwise_untouched(told: Told) -> None:
    assert_only_the_function_changed(told.file)


def test_nothing_else_is_left_in_the_project(told: Told) -> None:
    assert [entry.name for entry in told.file.parent.iterdir()] == [MODULE]


def test_no_process_outlives_the_editor(told: Told) -> None:
    assert told.left_behind == ()


@pytest.mark.parametrize(
    "name", ["squiggle", "hover", "problems", "quick-fix", "evidence", "fixed"]
)
def test_a_picture_is_kept(told: Told, name: str) -> None:
    picture = OUT / "vscode" / "story" / f"{name}.png"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_commands_check_what_they_say(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = project(tmp_path_factory)
    settings = drive_vscode.recorded(tallied(folder), trigger="manual")
    told = drive_vscode.tell("commands", folder, settings=settings, more=tally(folder))
    assert told.seen == {
        "squigglesAfterSave": 0,
        "squigglesAfterFunction": 1,
        "saidOfFunction": "1 checked: 1 suspect; no requests",
        "saidOfFile": "3 checked: 1 trusted, 2 suspect; no requests",
        "starts": 2,
        "notifications": [],
    }
    assert told.left_behind == ()


def test_an_untrusted_folder_starts_none_of_its_programs(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = project(tmp_path_factory)
    # The workspace names what is to be started, which counts once it is trusted.
    theirs = {"assay.path": [tallied(folder)]}
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "settings.json").write_text(json.dumps(theirs), encoding="utf-8")
    settings = drive_vscode.recorded(executable())
    told = drive_vscode.tell(
        "untrusted", folder, settings=settings, trust_asked=True, more=tally(folder)
    )
    assert told.seen == {
        "startsUntrusted": 0,
        "squigglesUntrusted": 0,
        "outcome": "3 checked: 1 trusted, 2 suspect; no requests",
        "startsTrusted": 1,
    }


def test_the_walkthroughs_sample_needs_no_model(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = project(tmp_path_factory)
    told = drive_vscode.tell("tour", folder, settings={"assay.path": [executable()]})
    assert len(told.seen["steps"]) == 4
    said = re.match(
        r"(wrap_words\(.+\)): all 10 candidates return (.+), this returns (.+)assayASY101",
        told.seen["hover"],
    )
    assert said, told.seen["hover"]
    call, theirs, own = said.groups()
    assert told.seen["lens"] == f"suspect: {call} gives {own}, candidates {theirs}"
    assert told.seen["squiggles"] == 1
    assert [entry.name for entry in folder.iterdir()] == [MODULE]
    assert told.left_behind == ()


def test_what_a_killed_server_was_checking_is_made_up_for(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = project(tmp_path_factory)
    settings = {"assay.path": [tallied(folder)]}
    with recorded_endpoint(TRANSCRIPT, "a-key") as endpoint:
        variables = {"ASSAY_BASE_URL": endpoint.base_url, "ASSAY_MODEL": MODEL}
        told = drive_vscode.tell(
            "killed",
            folder,
            settings=settings,
            variables=variables | {"ASSAY_API_KEY": "a-key"},
            more=tally(folder),
        )
    assert told.seen["notifications"] == []
    assert told.seen["starts"] == 4
    assert told.seen["buttons"] == ["Show Logs"]
    assert told.left_behind == ()


def test_the_question_for_consent_is_found_again_in_the_status(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = project(tmp_path_factory)
    with OpenAIServer(local_server, LOCAL_PORT):
        settings = {"assay.path": [executable()], "assay.askAbove": 1}
        told = drive_vscode.tell("consent", folder, settings=settings)
        assert told.seen["status"] == f"Assay: may it use 127.0.0.1:{LOCAL_PORT}?"
        for word in (f"127.0.0.1:{LOCAL_PORT}", "local-model", "ignatures and docstrings"):
            assert word in told.seen["question"]
        assert told.seen["menu"][0] == "Answer the Question…"
        assert "ignatures and docstrings" in told.seen["dialog"]
        # What a check may cost waits for its answer as well, and is asked of who asks for it.
        assert re.fullmatch(
            r"Assay: check \d+ functions? of .* About \d+ requests", told.seen["cost"]
        )
        assert f"local-model at 127.0.0.1:{LOCAL_PORT}" in told.seen["costDialog"]


def test_a_cell_of_a_notebook_has_what_a_module_has(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = project(tmp_path_factory)
    # The module's own text, in one cell, so that the recorded replies fit.
    source = (EXAMPLES / MODULE).read_text(encoding="utf-8").splitlines(keepends=True)
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    language = {"language_info": {"name": "python"}}
    notebook = {
        "cells": [cell | {"id": "a", "source": source}],
        "metadata": language,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (folder / "notes.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    settings = drive_vscode.recorded(executable())
    told = drive_vscode.tell("notebook", folder, settings=settings)
    assert any(each.startswith("suspect") for each in told.seen["lenses"])
    assert "Replace with the candidate" in told.seen["actions"][0]


def test_a_save_before_the_server_answers_is_checked(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = project(tmp_path_factory)
    slow = folder.parent / "slow"
    slow.write_text(f'#!/bin/sh\nsleep 5\nexec "{executable()}" "$@"\n')
    slow.chmod(0o755)
    settings = drive_vscode.recorded(str(slow), trigger="save")
    told = drive_vscode.tell("early", folder, settings=settings)
    assert told.seen == {"statusAtSave": "Assay: starting"}
