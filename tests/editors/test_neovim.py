"""Neovim itself, with lsp/assay.lua on its 'runtimepath' and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import drive_neovim
import pytest
from story import FUNCTION, MODULE, Told, assert_only_the_function_changed

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]


def project(factory: pytest.TempPathFactory) -> Path:
    folder = factory.mktemp("neovim") / "project"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return drive_neovim.tell(project(tmp_path_factory))


def test_the_warning_marks_the_functions_name(told: Told) -> None:
    (warning,) = told.seen["before"]
    assert warning["marked"] == FUNCTION
    assert warning["source"] == "assay"
    assert warning["code"].startswith("ASY")
    assert FUNCTION in warning["message"]


def test_the_verdict_stands_over_the_function(told: Told) -> None:
    (warning,) = told.seen["before"]
    said = re.fullmatch(
        r"(.+): all 10 candidates return (.+), this returns (.+)", warning["message"]
    )
    assert said, warning["message"]
    call, theirs, own = said.groups()
    assert f"suspect: {call} gives {own}, candidates {theirs}" in told.seen["lens"]


def test_a_status_line_can_say_what_was_found(told: Told) -> None:
    assert "suspect" in told.seen["status"]


def test_the_hover_shows_the_report(told: Told) -> None:
    assert "candidates" in told.seen["hover"]


def test_the_quick_fix_is_offered(told: Told) -> None:
    assert any("Replace with the candidate" in title for title in told.seen["actions"])


def test_the_candidate_is_checked_in_its_turn(told: Told) -> None:
    assert "candidates" in told.seen["hover_after"]
    assert told.seen["hover_after"] != told.seen["hover"]


def test_the_saved_file_has_the_candidate_and_is_otherwise_untouched(told: Told) -> None:
    assert_only_the_function_changed(told.file)
    assert told.file.read_text(encoding="utf-8").splitlines() == told.seen["buffer"]


def test_nothing_else_is_left_in_the_project(told: Told) -> None:
    assert [entry.name for entry in told.file.parent.iterdir()] == [MODULE]


def test_no_process_outlives_the_editor(told: Told) -> None:
    assert told.left_behind == ()


def test_the_commands_that_are_no_code_actions_exist(told: Told) -> None:
    names = {"LspAssayCheckFile", "LspAssayCheckFunction", "LspAssayCancelAll"}
    names |= {"LspAssayTriangulateFunction", "LspAssayAskConsent"}
    assert names <= set(told.seen["commands"])


def test_one_function_is_checked_on_demand(told: Told) -> None:
    assert told.seen["on_demand"] == told.seen["before"]


def test_a_terminal_shows_warning_hover_and_menu(tmp_path_factory: pytest.TempPathFactory) -> None:
    screens = drive_neovim.capture(project(tmp_path_factory))
    warning, hover, menu = screens.split("--- ")[1:]
    assert "■" in warning
    assert "candidates" in hover
    assert "Replace with the candidate" in menu
