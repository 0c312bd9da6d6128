"""`--since` in repositories that have nothing to compare with, or mean harm."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay_engine.cli.since import NoBase
from assay_engine.files import git
from assay_engine.files.git import GitUnusable
from support.changing import EVERYTHING, MODULE, branched, changed
from support.repositories import ENVIRONMENT, Repository, repository


@pytest.fixture
def own(tmp_path: Path) -> Repository:
    return branched(tmp_path / "own")


def refusal(targets: Sequence[Path], since: str, environment: dict[str, str] | None = None) -> str:
    with pytest.raises((NoBase, GitUnusable)) as raised:
        changed(*targets, since=since, environment=environment)
    return str(raised.value)


@pytest.mark.parametrize("revision", ["nowhere", "main^{tree}", "main..feature", "^main", "f" * 40])
def test_a_revision_that_is_none_is_said_to_be_none(own: Repository, revision: str) -> None:
    said = refusal([own.folder], revision)
    assert said.startswith(f"--since {revision}: there is no such commit in {own.folder}.")
    assert "fetch-depth: 0" in said


@pytest.mark.parametrize("revision", ["", "--output=x", "-h"])
def test_an_option_is_no_revision(own: Repository, revision: str) -> None:
    assert "Name a branch or a commit." in refusal([own.folder], revision)


def test_a_file_in_no_repository_is_named(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(MODULE, encoding="utf-8")
    said = refusal([path], "main")
    assert said == (
        f"{path} is not in a git repository, which --since needs. Check it without --since."
    )


def test_a_repository_without_a_commit_has_nothing_to_compare(tmp_path: Path) -> None:
    own = repository(tmp_path)
    own.write("module.py", MODULE)
    for name in ("HEAD", "main"):
        assert "has no commit yet" in refusal([own.folder], name)


def test_a_shallow_clone_asks_for_more_history(own: Repository, tmp_path: Path) -> None:
    own.commit(module=MODULE.replace("Add one.", "Add 1."))
    own.git("switch", "--quiet", "main")
    own.commit(other="def f():\n    return 1\n")
    clone = Repository(tmp_path / "clone")
    url = own.folder.as_uri()
    own.git("clone", "--quiet", "--depth=1", "--no-single-branch", url, str(clone.folder))
    said = refusal([clone.folder], "origin/feature")
    assert "Fetch more history: `git fetch --unshallow`" in said
    assert "fetch it (`git fetch --unshallow`" in refusal([clone.folder], "HEAD~1")
    clone.git("fetch", "--quiet", "--unshallow")
    assert changed(clone.folder, since="origin/feature") == {"f"}


def test_histories_with_nothing_in_common_are_no_base(own: Repository) -> None:
    own.git("switch", "--quiet", "--orphan", "other")
    own.write("module.py", MODULE)
    assert "has no commit yet" in refusal([own.folder], "main")
    own.commit(other=MODULE)
    assert "no history in common" in refusal([own.folder], "main")


def test_without_git_it_says_so(own: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Install it" in refusal([own.folder], "main", {"PATH": str(own.folder)})
    # A relative path would lead into what is checked.
    (own.folder / "git").write_text("#!/bin/sh\n", encoding="utf-8")
    (own.folder / "git").chmod(0o755)
    monkeypatch.chdir(own.folder)
    assert "Install it" in refusal([own.folder], "main", {"PATH": f".{os.pathsep}"})


def test_a_work_tree_elsewhere_is_told(own: Repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    own.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    assert "is outside of" in refusal([own.folder], "main")


def test_what_git_cannot_read_is_told_in_its_words(own: Repository) -> None:
    shutil.rmtree(own.folder / ".git")
    own.write(".git", "gitdir: /nowhere/at/all\n")
    said = refusal([own.folder], "main")
    assert said.startswith(f"git cannot read {own.folder}: fatal: not a git repository")


def test_variables_of_a_hook_lead_to_no_other_repository(own: Repository, tmp_path: Path) -> None:
    other = repository(tmp_path / "other")
    other.commit(module="")
    variables = {"GIT_DIR": str(other.folder / ".git"), "GIT_WORK_TREE": str(other.folder)}
    assert changed(own.folder, environment=ENVIRONMENT | variables) == set()


@pytest.mark.parametrize("bound", ["time", "bytes"])
def test_git_is_waited_for_and_listened_to_within_bounds(
    own: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bound: str
) -> None:
    program = tmp_path / "slow" / "git"
    program.parent.mkdir()
    what = "exec sleep 60" if bound == "time" else "exec yes"
    program.write_text(f"#!/bin/sh\n{what}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(git, "GIT_SECONDS", 0.5 if bound == "time" else 60.0)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    said = refusal([own.folder], "main", {"PATH": path})
    assert ("took too long" if bound == "time" else "printed more than 65,536 bytes") in said


def test_nothing_that_the_repository_configures_is_run(own: Repository, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{seen}'\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    own.write(".gitattributes", "*.py filter=own diff=own text eol=crlf\n")
    own.commit()
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.alternateRefsCommand"):
        own.git("config", name, str(script))
    for name in ("filter.own.smudge", "filter.own.clean", "diff.own.textconv", "diff.external"):
        own.git("config", name, str(script))
    for name in ("rev-parse", "merge-base", "cat-file", "ls-tree"):
        own.git("config", f"alias.{name}", f"!{script}")
        own.git("config", f"pager.{name}", str(script))
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "post-checkout",
        "reference-transaction",
    ):
        shutil.copy(script, hooks / name)
    own.git("config", "core.hooksPath", str(hooks))
    seen.unlink(missing_ok=True)
    own.write("module.py", MODULE.replace("Add one.", "Add 1."))
    assert changed(own.folder) == {"plain"}
    assert not seen.exists()
    own.git("status")
    assert seen.exists()


def test_what_a_partial_clone_lacks_is_not_fetched(own: Repository, tmp_path: Path) -> None:
    own.commit(module=MODULE.replace("Add one.", "Add 1."))
    own.git("config", "uploadpack.allowFilter", "true")
    clone = Repository(tmp_path / "clone")
    own.git("clone", "--quiet", "--filter=blob:none", own.folder.as_uri(), str(clone.folder))
    seen = tmp_path / "seen"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch '{seen}'\nexec git-upload-pack \"$@\"\n", "utf-8")
    script.chmod(0o755)
    clone.git("config", "remote.origin.uploadpack", str(script))
    said = refusal([clone.folder], "origin/main")
    assert "`git fetch --refetch --no-filter`" in said
    assert not seen.exists()
    clone.git("fetch", "--quiet", "--refetch", "--no-filter")
    assert seen.exists()
    assert changed(clone.folder, since="origin/main") == {"plain"}


def test_a_folder_that_looks_like_a_repository_is_none(own: Repository, tmp_path: Path) -> None:
    own.git("clone", "--quiet", "--bare", ".", str(own.folder / "bare"))
    own.write("bare/inside.py", MODULE)
    assert changed(own.folder / "bare" / "inside.py") == EVERYTHING
