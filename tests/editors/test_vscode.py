"""VS Code itself, driven by its own keys, with our .vsix in it and nothing else."""

from __future__ import annotations

import shutil

import drive_vscode
import pytest
from story import EXAMPLES, FUNCTION, MODULE, OUT, Told, assert_only_the_function_changed

pytestmark = [
    pytest.mark.editors,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        not (drive_vscode.CODE_SERVER.exists() and drive_vscode.EXTENSION.exists()),
        reason="VS Code is not installed under .editors: make test-editors does it",
    ),
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    browser = shutil.which("chromium")
    assert browser, "chromium is not on the PATH: make test-editors installs it"
    folder = tmp_path_factory.mktemp("vscode") / "project"
    folder.mkdir()
    told = drive_vscode.tell(folder, browser)
    assert "failed" not in told.seen, told.seen["failed"]
    return told


def test_the_problems_panel_names_the_input_and_both_outputs(told: Told) -> None:
    (row,) = told.seen["before"]
    assert FUNCTION in row
    assert "assay" in row
    assert "ASY" in row


def test_the_hover_shows_the_report(told: Told) -> None:
    assert FUNCTION in told.seen["hover"]
    assert "candidates" in told.seen["hover"]


def test_the_quick_fixes_are_offered(told: Told) -> None:
    assert any("Replace with the candidate" in title for title in told.seen["actions"])
    assert any("evidence" in title for title in told.seen["actions"])


def test_the_candidate_is_checked_in_its_turn(told: Told) -> None:
    assert "candidates" in told.seen["hoverAfter"]
    assert told.seen["hoverAfter"] != told.seen["hover"]


def test_the_saved_file_has_the_candidate_and_is_otherwise_untouched(told: Told) -> None:
    before = (EXAMPLES / MODULE).read_text(encoding="utf-8")
    assert_only_the_function_changed(before, told.file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["squiggle", "hover", "problems", "quick-fix", "fixed"])
def test_a_picture_is_kept(told: Told, name: str) -> None:
    picture = OUT / "vscode" / f"{name}.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
