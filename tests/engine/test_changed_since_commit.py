"""What a save checks: what is new or changed since the last commit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay_engine.check.changes import changed_since_commit, settled
from assay_engine.files.git import GitUnusable
from assay_engine.types import SourceText
from support.changing import MODULE
from support.repositories import ENVIRONMENT, repository

# `half` has no docstring, but stands where others can call it.
OF_THE_CLASS = {"Counter.__init__", "Counter.up", "Counter.up_twice", "Counter.down"}
ALL = {"half", "scaled", "plain", *OF_THE_CLASS}
MORE = (
    MODULE
    + '''
    def up_twice(self):
        """Count up by two."""
        self.up()
        self.up()

    def down(self):
        """Return the opposite of the count."""
        return -self.count
'''
)


def changed(path: Path, text: str) -> set[str]:
    return set(changed_since_commit(SourceText(str(path), text), ENVIRONMENT))


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("", "", set()),
        ("\n", "\r\n", set()),
        ("Add one.", "Add 1.", {"plain"}),
        ("SCALE = 3", "SCALE = 4", {"scaled"}),
        ("number / 2", "number // 2", {"half", "scaled"}),
        ("return number + 1", "return number + 1   \n    # So it is.", set()),
        ("Add one.", "Add one.  \n    ", set()),
        ("self.count += 1", "self.count += 2", {"Counter.up", "Counter.up_twice"}),
        ("return -self.count", "return 0 - self.count", {"Counter.down"}),
        ("self.count = start", "self.count = start + 0", OF_THE_CLASS),
        ("SCALE = 3", "import os\n\nSCALE = 3", set()),
        ("def plain(number):", "def plain(number):  # assay: ignore", set()),
    ],
)
def test_only_what_the_last_commit_had_otherwise_is_due(
    tmp_path: Path, old: str, new: str, names: set[str]
) -> None:
    repository(tmp_path).commit(module=MORE)
    text = MORE.replace(old, new) if old else MORE
    assert changed(tmp_path / "module.py", text) == names


@pytest.mark.parametrize("logged", ["true", "false"])
def test_the_last_commit_is_always_the_one_of_now(tmp_path: Path, logged: str) -> None:
    made = repository(tmp_path)
    made.git("config", "core.logAllRefUpdates", logged)
    path, other = tmp_path / "module.py", MORE.replace("Add one.", "Add 1.")
    made.commit(module=MORE)
    assert changed(path, MORE) == set()
    made.commit(module=other)
    assert changed(path, MORE) == {"plain"}
    made.git("reset", "--quiet", "--soft", "HEAD~")
    assert changed(path, MORE) == set()
    made.git("commit", "--quiet", "--amend", "--no-edit")
    assert changed(path, MORE) == {"plain"}
    made.git("switch", "--quiet", "--create", "other")
    made.commit(module=MORE)
    assert changed(path, other) == {"plain"}
    made.git("switch", "--quiet", "main")
    assert changed(path, other) == set()


@pytest.mark.parametrize("state", ["no repository", "no commit", "not in the commit", "a link"])
def test_everything_is_due_where_no_commit_has_the_file(tmp_path: Path, state: str) -> None:
    if state != "no repository":
        made = repository(tmp_path)
        if state == "a link":
            (tmp_path / "module.py").symlink_to("elsewhere.py")
        if state != "no commit":
            made.commit(other="")
    (tmp_path / "module.py").unlink(missing_ok=True)
    (tmp_path / "module.py").write_text(MORE)
    assert changed(tmp_path / "module.py", MORE) == ALL


def test_a_repository_that_cannot_be_read_is_no_reason_to_check_everything(tmp_path: Path) -> None:
    made = repository(tmp_path)
    made.commit(module=MORE)
    shutil.rmtree(tmp_path / ".git" / "objects")
    with pytest.raises(GitUnusable, match="cannot read the last commit"):
        changed(tmp_path / "module.py", MORE)


def test_nothing_that_the_repository_configures_is_run(tmp_path: Path) -> None:
    made, ran = repository(tmp_path), tmp_path / "ran"
    made.write(".gitattributes", "*.py filter=own diff=own\n")
    made.commit(module=MORE)
    for setting in ("filter.own.smudge", "filter.own.clean", "diff.own.textconv", "core.fsmonitor"):
        made.git("config", setting, f"touch {ran}")
    assert changed(tmp_path / "module.py", MORE.replace("Add one.", "Add 1.")) == {"plain"}
    assert not ran.exists()


@pytest.mark.parametrize(
    ("docstring", "is_finished"),
    [
        ("Return the", False),
        ("Return the sum. If", False),
        ("Return the sum", False),
        ("Add one.", True),
        ("Return the sum.", True),
        ("Return the sum, as in `sum()`.", True),
        ("Return the sum (of both).\n\n    Args:\n        number: a num", True),
    ],
)
def test_what_has_rested_with_a_finished_docstring_is_settled(
    tmp_path: Path, docstring: str, is_finished: bool
) -> None:
    repository(tmp_path).commit(module=MORE)
    text = MORE.replace("Add one.", docstring)
    source = SourceText(str(tmp_path / "module.py"), text)
    assert ("plain" in settled(source, text, ENVIRONMENT)) == is_finished
    # What it uses has to rest, too.
    earlier = text.replace("number / 2", "number // 2").replace("plain", "plXXain")
    left = {"plain"} if is_finished else set()
    assert settled(source, earlier, ENVIRONMENT) == OF_THE_CLASS
    assert settled(source, text, ENVIRONMENT) == ALL - {"plain"} | left
