"""Patterns of files: they say what Git says, and take no longer than their length explains."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assay_engine.bounds import PATTERN_CHARACTERS_MAX
from assay_engine.files.patterns import Patterns, is_pattern

# Signs that patterns are made of, and few letters, so that patterns match now and then.
_LINE = st.text(st.sampled_from("aab/**?[]!^-\\ .#:"), max_size=9)
_NAMES = [first + second for first in "ab-]" for second in ("", "a", "b", ".b", "[", "\\", " ")]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    for above in ("", "a", "b", "a/b", "b/a"):
        for name in _NAMES:
            path = folder / above / name
            if name in ("a", "b") and above.count("/") < 1:
                path.mkdir(exist_ok=True, parents=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
    return folder


@given(st.lists(_LINE | st.sampled_from(["**/a", "a/**", "a/**/b", "[[:alpha:]]*"]), max_size=3))
@example(["a/**/b", "!a/b"])
@example(["[]a]b", "[!b-]*", "[a-"])
@example(["***/b"])
@example(["*a*.b/"])
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_pattern_leaves_out_what_git_ignores(repository: Path, lines: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(lines))
    names = sorted(
        path.relative_to(repository).as_posix()
        for path in repository.rglob("*")
        if ".git" not in path.parts and path.name != ".gitignore"
    )
    told = subprocess.run(
        ["git", "-C", repository, "check-ignore", "--stdin", "-z", "--no-index"],
        env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        input="\0".join(names).encode(),
        capture_output=True,
        check=False,
    )
    patterns = Patterns(lines)
    out: set[str] = set()
    for name in names:
        above = name.rpartition("/")[0]
        is_folder = (repository / name).is_dir()
        if above in out or patterns.leave_out(name, is_folder=is_folder):
            out.add(name)
    assert out == set(told.stdout.decode().split("\0")[:-1])


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 100 + "b", "a" * 250),
        ("*a*" * 60 + "?" * 60 + "b", "a" * 250),
        ("**/*a" * 40 + "/b", "/".join(["a" * 20] * 40)),
        ("a/**/" * 200 + "b", "/".join("a" * 1000)),
        ("*[a-z]" * 100 + "b", "a" * 250),
        ("*" * 4000 + "b", "a" * 250),
    ],
)
def test_no_pattern_keeps_anybody_waiting(pattern: str, path: str) -> None:
    began = time.process_time()
    assert Patterns([pattern]).leave_out(path, is_folder=False) is None
    # Each would take ages if what matched were tried again. The bound is for a busy machine.
    assert time.process_time() - began < 5


def test_what_can_be_no_pattern_is_told() -> None:
    none = ["!", "\\", "[a", "[[:nothing:]]", "/", "a" * (PATTERN_CHARACTERS_MAX + 1)]
    assert not any(map(is_pattern, none))
    assert all(map(is_pattern, ["", "# comment", "a/", "[z-a]", "*", "\\!", "!a"]))
