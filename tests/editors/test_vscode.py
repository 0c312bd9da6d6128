"""VS Code itself, driven by its own keys, with our .vsix in it and nothing else."""

from __future__ import annotations

from pathlib import Path

import drive_vscode
import pytest
from story import (
    FUNCTION,
    MODULE,
    OUT,
    Told,
    assert_only_the_function_changed,
    executable,
)

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]


def project(factory: pytest.TempPathFactory) -> Path:
    folder = factory.mktemp("vscode") / "project"
    folder.mkdir()
    return folder


def tally(folder: Path) -> dict[str, str]:
    return {"tally": str(folder.parent / "starts")}


def tallied(folder: Path) -> str:
    """An `assay` that writes a line whenever it is started."""
    program = folder.parent / "assay"
    starts = tally(folder)["tally"]
    program.write_text(f'#!/bin/sh\necho started >>"{starts}"\nexec "{executable()}" "$@"\n')
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
        "starts": 2,
        "notifications": [],
    }
    assert told.left_behind == ()


def test_an_untrusted_folder_starts_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = project(tmp_path_factory)
    settings = drive_vscode.recorded(tallied(folder))
    told = drive_vscode.tell(
        "untrusted", folder, settings=settings, trust_asked=True, more=tally(folder)
    )
    assert told.seen == {"startsUntrusted": 0, "startsTrusted": 1}


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
