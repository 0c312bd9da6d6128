"""Which functions have changed since a revision, asked of real repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay_engine.check.changes import states
from support.changing import EVERYTHING, HELPER, MODULE, branched, changed
from support.repositories import Repository, repository


@pytest.fixture
def own(tmp_path: Path) -> Repository:
    return branched(tmp_path / "own")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("number + 1", "number + 2", {"plain"}),
        ("number / 2", "number // 2", {"half", "scaled"}),
        ("SCALE = 3", "SCALE = 4", {"scaled"}),
        ("SCALE = 3", "import os\n\nSCALE = 3  # as ever", set()),
        ("Add one.", "Add 1.", {"plain"}),
        ("self.count += 1", "self.count = self.count + 1", {"Counter.up"}),
        ("class Counter", "# A comment.\n\n\nclass Counter", set()),
        ("self.count = start", "self.count: int = start", {"Counter.__init__", "Counter.up"}),
        (MODULE, f'"""A module."""\n\n{MODULE}\nLAST = 1\n', set()),
        (HELPER, "", {"scaled"}),
    ],
)
def test_a_function_has_changed_with_what_its_trial_takes_of_the_file(
    own: Repository, before: str, after: str, expected: set[str]
) -> None:
    assert before in MODULE
    own.write("module.py", MODULE.replace(before, after))
    assert changed(own.folder) == expected


def test_a_function_that_was_moved_in_its_file_has_not_changed(own: Repository) -> None:
    head, plain, tail = MODULE.partition('def plain(number):\n    """Add one."""\n')
    body = "    return number + 1\n"
    moved = f"{plain}{body}\n\n{head}{tail.removeprefix(body).lstrip()}"
    own.write("module.py", moved)
    assert changed(own.folder) == set()


def test_nothing_has_changed_in_a_fresh_branch(own: Repository) -> None:
    assert changed(own.folder) == set()


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("committed", [True, False])
def test_the_work_tree_counts_whatever_is_staged(
    own: Repository, staged: bool, committed: bool
) -> None:
    path = own.write("module.py", MODULE.replace("number + 1", "number + 2"))
    if staged:
        own.git("add", "--all")
    if committed:
        own.commit()
    assert changed(own.folder) == {"plain"}
    path.write_text(MODULE, encoding="utf-8")
    assert changed(own.folder) == set()


def test_what_is_new_there_has_not_changed_here(own: Repository) -> None:
    own.commit(module=MODULE.replace("Add one.", "Add 1."))
    own.git("switch", "--quiet", "main")
    own.commit(module=MODULE.replace("Scale a number.", "Scale it."), more="def m():\n    return 1")
    own.git("switch", "--quiet", "feature")
    assert changed(own.folder) == {"plain"}
    # The merge base is that of HEAD, which has come to hold both.
    own.git("merge", "--quiet", "--strategy-option", "ours", "main")
    assert changed(own.folder) == {"plain"}
    assert changed(own.folder, since="HEAD") == set()


def test_untracked_and_renamed_files_are_new(own: Repository) -> None:
    own.write("untracked.py", "def f():\n    return 1\n")
    assert changed(own.folder) == {"f"}
    own.git("mv", "module.py", "renamed.py")
    assert changed(own.folder) == EVERYTHING | {"f"}


def test_a_deleted_function_is_not_there_and_a_second_one_of_its_name_is(own: Repository) -> None:
    twice = 'def plain(number):\n    """Add two."""\n    return number + 2\n'
    own.write("module.py", f"{MODULE}\n\n{twice}")
    assert changed(own.folder) == {"plain#2"}
    own.commit()
    own.write("module.py", MODULE)
    assert changed(own.folder, since="HEAD") == set()


@pytest.mark.parametrize("name", ["with space.py", "große/λ.py", "a\nb.py", "quote'\".py", "-x.py"])
def test_any_name_of_a_file_is_found_again(tmp_path: Path, name: str) -> None:
    own = repository(tmp_path / "with space")
    own.write(name, MODULE)
    own.commit()
    path = own.write(name, MODULE.replace("number + 1", "number + 2"))
    assert changed(own.folder, since="HEAD") == {"plain"}
    assert changed(path, since="HEAD") == {"plain"}


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there")
def test_a_name_that_is_no_text_is_found_again(tmp_path: Path) -> None:
    own = repository(tmp_path)
    name = os.fsdecode(b"caf\xe9.py")
    own.write(name, MODULE)
    own.commit()
    assert changed(own.folder, since="HEAD") == set()


def test_line_ends_and_marks_are_no_change(own: Repository) -> None:
    crlf = MODULE.replace("\n", "\r\n")
    own.write("module.py", crlf)
    assert changed(own.folder) == set()
    own.write("module.py", crlf.replace("number + 1", "number + 2"), "utf-8-sig")
    assert changed(own.folder) == {"plain"}


def test_a_file_may_come_to_have_another_encoding(tmp_path: Path) -> None:
    own = repository(tmp_path)
    text = f"# é\n{MODULE}"
    own.write("module.py", f"# coding: latin-1\n{text}", "latin-1")
    own.commit()
    own.write("module.py", f"# coding: utf-8\n{text}")
    assert changed(own.folder, since="HEAD") == set()
    own.write("module.py", f"# coding: none\n{text}")
    own.commit()
    own.write("module.py", text)
    # What could not be read held no function.
    assert changed(own.folder, since="HEAD") == EVERYTHING


def test_what_is_named_narrows_it_further(own: Repository) -> None:
    path = own.write("module.py", MODULE.replace("Add one.", "Add 1.").replace("/ 2", "// 2"))
    assert changed(f"{path}::plain") == {"plain"}
    assert changed(f"{path}::Counter.up") == set()
    assert changed(f"{path}:13", f"{path}::half") == {"plain", "half"}


def test_each_file_is_compared_in_its_own_repository(own: Repository, tmp_path: Path) -> None:
    other = repository(tmp_path / "other")
    other.commit(second=MODULE)
    inner = other.write("second.py", MODULE.replace("Add one.", "Add 1."))
    own.write("module.py", MODULE.replace("/ 2", "// 2"))
    assert changed(own.folder, inner) == {"half", "scaled", "plain"}


def test_submodules_and_work_trees_are_repositories_of_their_own(
    own: Repository, tmp_path: Path
) -> None:
    library = repository(tmp_path / "library")
    library.commit(library=MODULE)
    own.git("submodule", "--quiet", "add", str(library.folder), "vendored")
    own.commit()
    own.write("vendored/library.py", MODULE.replace("Add one.", "Add 1."))
    assert changed(own.folder) == {"plain"}
    own.git("worktree", "add", "--quiet", str(tmp_path / "beside"), "main")
    beside = Repository(tmp_path / "beside")
    beside.write("module.py", MODULE.replace("/ 2", "// 2"))
    assert changed(beside.folder, since="feature") == {"half", "scaled"}


@pytest.mark.skipif(os.name == "nt", reason="making links takes a privilege there")
def test_a_link_is_compared_as_the_file_that_it_leads_to(own: Repository) -> None:
    path = own.write("module.py", MODULE.replace("Add one.", "Add 1."))
    (own.folder / "linked.py").symlink_to(path)
    assert changed(own.folder / "linked.py") == {"plain"}


def test_a_state_is_the_same_under_every_python() -> None:
    """A baseline that one Python wrote is read by another (`make test-newest` runs this, too)."""
    text = (
        "N = 1.5\n\n\nclass C:\n    async def f(self, a: int, *b, c=None, **d) -> str | None:\n"
        '        """Say."""\n        match a:\n            case 1 | [2, *_]:\n'
        '                return f"{a!r:>{N}}"\n        return lambda: (yield)\n'
    )
    assert states(text) == {
        "C.f": "ea83e2f5b3159c29cbd53bd57f0016f41b1125e445612e3fcb61c267e5d5efeb"
    }
