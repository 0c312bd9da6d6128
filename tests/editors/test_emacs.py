"""Emacs itself with its own eglot, with what `docs/editors.md` says and nothing else."""

from __future__ import annotations

import drive_emacs
import pytest
from story import MODULE, Told, assert_only_the_function_changed

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("emacs") / "project"
    folder.mkdir()
    return drive_emacs.tell(folder)


def test_the_warning_is_marked_beside_the_function(told: Told) -> None:
    assert "Flymake" in told.seen["warning"]


def test_the_hover_shows_the_report(told: Told) -> None:
    assert "Assay: suspect" in told.seen["hover"]


def test_the_quick_fix_is_offered_first(told: Told) -> None:
    assert "default Replace with the candidate" in told.seen["menu"]


def test_the_saved_file_has_the_candidate_and_is_otherwise_untouched(told: Told) -> None:
    assert_only_the_function_changed(told.file)


def test_nothing_is_left_behind(told: Told) -> None:
    assert [entry.name for entry in told.file.parent.iterdir()] == [MODULE]
    assert told.left_behind == ()
