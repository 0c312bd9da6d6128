"""Texts that a project brings are measured before anybody walks them, and hold up nobody."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assay_engine.bounds import (
    CHAIN_MAX,
    DOCSTRING_CHARACTERS_MAX,
    DOCSTRING_LINE_CHARACTERS_MAX,
    KEY_PARTS_MAX,
    NAME_PARTS_MAX,
    PATTERN_CHARACTERS_MAX,
    PATTERNS_BYTES_MAX,
    SETTINGS_BYTES_MAX,
    STATEMENTS_MAX,
)
from support.check_workspace import PROJECT, Workspace, answering, workspace
from support.forking import forked
from support.lsp_editor import own_surroundings, start_editor, stop_editor
from support.openai_server import OpenAIServer
from support.repositories import repository

ONE = '''\
def one() -> int:
    """Return one.

    >>> one()
    1
    """
    return 2
'''


def shown(text: str) -> str:
    """The same function with something more in its docstring."""
    return ONE.replace("    >>> one()\n    1\n", f"    >>> one()\n    1\n{text}")


def chain(length: int) -> str:
    """Functions of which each calls the next, and the one that calls the first."""
    links = "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n\n\n" for n in range(length))
    first = 'def first(x: int) -> int:\n    """Return it."""\n    return f0(x)\n\n\n'
    return f"{links}def f{length}(x):\n    return x\n\n\n{first}{ONE}"


def dotted(parts: int) -> str:
    return ".".join(["a"] * parts)


# The file with the text, ten times beyond its bound or so that it took hours, and what is said.
TEXTS = {
    "blanks": (
        ".gitignore",
        f"a{' ' * 1_500_000}b\n",
        ".gitignore is not used: larger than 128 kB",
    ),
    "blanks in a small file": (
        ".gitignore",
        f"one\na{' ' * (PATTERNS_BYTES_MAX - 100)}b\n",
        f"line 2 is not used: it has more than {PATTERN_CHARACTERS_MAX} characters",
    ),
    "sets": (".gitignore", f"{'[' + '[:' * 2000}\n" * 30, ""),
    "key": ("pyproject.toml", f"{dotted(900_000)} = 1\n", "cannot be read: larger than 512 kB"),
    "key in a small file": (
        "pyproject.toml",
        f"{dotted(SETTINGS_BYTES_MAX // 2 - 100)} = 1\n",
        f"it has a key of more than {KEY_PARTS_MAX} parts",
    ),
    "examples": (
        "limits.py",
        shown("    >>> one()\n    1\n" * (10 * STATEMENTS_MAX)),
        f"after {STATEMENTS_MAX} statements",
    ),
    "docstring": (
        "limits.py",
        shown(f"    {'word ' * 30}\n" * (10 * DOCSTRING_CHARACTERS_MAX // 150)),
        f"after {DOCSTRING_CHARACTERS_MAX:,} characters",
    ),
    "options of an example": (
        "limits.py",
        shown(f"    >>> one()  {'# doctest:' * 9000}'\n    1\n"),
        f"in lines of more than {DOCSTRING_LINE_CHARACTERS_MAX:,} characters",
    ),
    "chain": ("limits.py", chain(10 * CHAIN_MAX), f"`first` needs more than {CHAIN_MAX}"),
    "name": (
        "limits.py",
        f"import {dotted(10 * NAME_PARTS_MAX)}\n{ONE}",
        f"a name of more than {NAME_PARTS_MAX:,} parts",
    ),
    "credentials": ("limits.py", f'text = "{"eyJ-" * 400_000}"\n{ONE}', ""),
}
# Without its settings, a project is not checked: its bounds would not hold.
REFUSED = ("key", "key in a small file")


@pytest.fixture(params=TEXTS)
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path, case: str) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "limits.py").write_text(ONE)
    (folder / "pyproject.toml").write_text(PROJECT)
    name, text, _ = TEXTS[case]
    (folder / name).write_text(text)
    return folder


def test_a_check_goes_on_and_says_what_it_leaves_out(project: Path, case: str) -> None:
    targets = ["limits.py::one", "limits.py::first"] if case == "chain" else ["."]
    run = Workspace(project, "").assay("check", *targets, "--offline", "-v", ASSAY_BASE_URL="")
    assert TEXTS[case][2] in run.stdout + run.stderr
    assert ("1 suspect" in run.stdout) is (case not in REFUSED), run.stdout + run.stderr


async def test_the_server_answers_meanwhile_where_nothing_is_trusted(
    project: Path, case: str
) -> None:
    editor = await start_editor(
        forked("-m", "assay_engine", "server", "--stdio"),
        project,
        project.parent / "journal",
        options={"offline": True, "trusted": False},
        environment=own_surroundings(project.parent, ""),
    )
    editor.path = Path("limits.py")
    await editor.open((project / "limits.py").read_text())
    await editor.save()
    await asyncio.wait_for(editor.hover(0, 5), 60)
    assert await asyncio.wait_for(editor.command("status"), 60)
    await stop_editor(editor)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs", "objects/info/alternates"])
def test_git_waits_for_no_pipe(tmp_path: Path, name: str) -> None:
    own = repository(tmp_path)
    (tmp_path / "limits.py").write_text(ONE)
    own.git("add", ".")
    own.git("commit", "-qm", "one")
    path = tmp_path / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    run = Workspace(tmp_path, "").assay("check", "--since", "HEAD", "--offline", ASSAY_BASE_URL="")
    assert f"{path} is a pipe or a device, which would make git wait. Remove it." in run.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "limits.py").write_text(ONE)
    for name in (".gitignore", "other.py", "near/__init__.py", "near/pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        os.mkfifo(tmp_path / name)
    run = Workspace(tmp_path, "").assay("check", ".", "--offline", ASSAY_BASE_URL="")
    assert ".gitignore is not used: not a regular file" in run.stderr
    assert "other.py: not a regular file" in run.stderr
    assert "1 function: 1 suspect" in run.stdout


VIEW = (
    "DROP TABLE consents",
    (
        "CREATE VIEW consents AS WITH RECURSIVE endless(n) AS"
        " (SELECT 1 UNION ALL SELECT n + 1 FROM endless)"
        " SELECT n AS base_url, n AS model, n AS used FROM endless WHERE n < 0"
    ),
)
ENTRIES = "CREATE TABLE entries (kind TEXT, key TEXT, value TEXT, size INTEGER, used INTEGER, {0})"
NESTED, LONG = f"'{'[' * 200_000}'", "zeroblob(20000000)"
FOREIGN, USED_UP = "holds tables, views or triggers that are not Assay's", "cannot be used"
# What is done to a store, and what is said then.
HURTS = {
    "a view": (VIEW, FOREIGN),
    "a column": (
        ("DROP TABLE entries", ENTRIES.format("more TEXT AS (hex(zeroblob(400000000))) STORED")),
        FOREIGN,
    ),
    "long values": ((f"UPDATE entries SET value = {LONG} WHERE kind = 'report'",), USED_UP),
    "odd values": (
        (
            f"UPDATE entries SET value = {NESTED}",
            "UPDATE totals SET bytes = 9e18, turn = 9223372036854775807",
            "UPDATE ledger SET tokens = -9e999, requests = -1, price = 'y'",
        ),
        "",
    ),
}


@pytest.mark.parametrize("hurt", HURTS)
def test_a_store_that_was_made_to_hurt_is_not_used(tmp_path: Path, hurt: str) -> None:
    statements, said = HURTS[hurt]
    with OpenAIServer(answering()) as server:
        here = workspace(tmp_path, server)
        here.assay("check", "limits.py")
        with closing(sqlite3.connect(tmp_path / "store" / "assay.db")) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        run = here.assay("check", "limits.py")
    assert said in run.stderr
    assert "internal error" not in run.stderr
    assert "1 function: 1 suspect" in run.stdout, run.stdout + run.stderr
