"""Candidates that do nothing in the sandbox and something else once they stand in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.check_workspace import MODULE, answering, workspace
from support.forking import forked
from support.lsp_editor import own_surroundings, start_editor, stop_editor
from support.openai_server import OpenAIServer

_BODY = "return max(low, min(value, high))"
_START = "__import__('os').system('touch owned')"
# Right by what they return, each with the code that would do something outside.
SLEEPING = {
    "at import": (
        f"""\
import os
import sys

_HERE = '__assay__' in sys.modules or os.system('touch owned')


def clamp(value, low, high):
    _HERE
    {_BODY}
""",
        "os.system('touch owned')",
    ),
    "in a default": (
        f"""\
def helper(value, here={_START}):
    return value


def clamp(value, low, high):
    return helper(max(low, min(value, high)))
""",
        _START,
    ),
    "in the body": (
        f"""\
def clamp(value, low, high):
    try:
        {_START}
    except Exception:
        pass
    {_BODY}
""",
        "__import__",
    ),
    "through a module of a module": (
        f"""\
import enum


def clamp(value, low, high):
    try:
        enum.bltns.exec("import os; os.system('touch owned')")
    except Exception:
        pass
    {_BODY}
""",
        "enum.bltns.exec",
    ),
    "in a condition on such a day": (
        f"""\
def clamp(value, low, high):
    if value < 20270101:
        {_BODY}
    while value.bit_length():
        pass
""",
        "while value.bit_length()",
    ),
    "on a day that no input has": (
        f"""\
def clamp(value, low, high):
    if value == 20270101:
        return 0
    {_BODY}
""",
        "return 0",
    ),
}
# Further from what stands in the file than those, but for what they bring along.
LONGER = """\
def clamp(value, low, high):
    limited = min(value, high)
    return max(limited, low)
"""


@pytest.fixture(params=SLEEPING)
def sleeping(request: pytest.FixtureRequest) -> tuple[str, str]:
    return SLEEPING[request.param]


def test_a_sleeping_candidate_is_not_written(tmp_path: Path, sleeping: tuple[str, str]) -> None:
    candidate, code = sleeping
    with OpenAIServer(answering([candidate])) as server:
        own = workspace(tmp_path, server)
        run = own.assay("check", "limits.py", "--apply")
        (report,) = json.loads(own.assay("check", "limits.py", "--format=json").stdout)["reports"]
        sarif = own.assay("check", "limits.py", "--format=sarif").stdout
    assert own.module.read_text() == MODULE
    assert "limits.py: clamp not replaced: caution, line " in run.stdout
    (replacement,) = report["replacements"]
    line = replacement["candidate"].splitlines()[replacement["caution"]["line"] - 1]
    assert code in line.replace('"', "'")
    assert code in replacement["caution"]["code"]
    (fix,) = json.loads(sarif)["runs"][0]["results"][0]["fixes"]
    assert "; caution, line " in fix["description"]["text"]


def test_a_candidate_that_needs_no_caution_is_preferred(
    tmp_path: Path, sleeping: tuple[str, str]
) -> None:
    with OpenAIServer(answering([sleeping[0], sleeping[0], LONGER])) as server:
        own = workspace(tmp_path, server)
        run = own.assay("check", "limits.py", "--apply")
    assert "limits.py: clamp replaced" in run.stdout
    assert "limited = min(value, high)" in own.module.read_text()
    assert sleeping[1] not in own.module.read_text()


async def test_the_quick_fix_says_the_line(tmp_path: Path, sleeping: tuple[str, str]) -> None:
    candidate, code = sleeping
    title = await _quick_fix(tmp_path, MODULE, [candidate])
    assert "; caution, line " in title
    assert code in title.replace('"', "'")


async def _quick_fix(tmp_path: Path, module: str, candidates: Sequence[str]) -> str:
    """The title of the quick fix that replaces `clamp`."""
    with OpenAIServer(answering(candidates)) as server:
        folder = workspace(tmp_path, server, module).folder
        editor = await start_editor(
            forked("-m", "assay_engine", "server", "--stdio"),
            folder,
            tmp_path / "journal",
            environment=own_surroundings(tmp_path, server.base_url),
        )
        editor.path = Path("limits.py")
        await editor.open(module)
        await editor.save()
        await editor.until(lambda: "ASY101" in editor.codes(), "the finding")
        line = module[: module.index("def clamp")].count("\n")
        titles = [each.title for each in await editor.actions(line, 5)]
        await stop_editor(editor)
    (title,) = [each for each in titles if each.startswith("Replace with the candidate")]
    return title


# Each changes what others share, or makes code of a text, by a way that names nothing of that.
TABLES = MODULE.replace("low + 1", "low + limits()['low']").replace(
    "def",
    """\
LIMITS = {"low": 1}


def limits(low: int = 1):
    LIMITS["low"] = low
    return LIMITS


def""",
    1,
)
ROUNDABOUT = {
    "from dataclasses import dataclass": 'dataclass(type("Box", (), {"__annotations__": {}}))',
    "from pathlib import PurePath": 'getattr(PurePath("x"), "parser", None)',
    "import typing": "typing.List[\"__import__('os').system('touch owned')\"]",
    "import json": 'setattr(json.JSONDecoder, "decode", len)',
    "import logging": "logging.getLogger().setLevel(1000)",
    "import math": 'table = LIMITS\n    table["low"] = 2',
    "import re": "dict.update(LIMITS, low=2)",
}


def _roundabout() -> list[str]:
    return [
        f"{top}\n\n\ndef clamp(value, low, high):\n    {each}\n    {_BODY}\n"
        for top, each in ROUNDABOUT.items()
    ]


def test_no_roundabout_candidate_is_written(tmp_path: Path) -> None:
    with OpenAIServer(answering(_roundabout())) as server:
        own = workspace(tmp_path, server, TABLES)
        run = own.assay("check", "limits.py::clamp", "--apply")
    # One that carries no caution would have been preferred.
    assert "limits.py: clamp not replaced: caution, line " in run.stdout
    assert own.module.read_text() == TABLES


async def test_nor_offered_without_a_caution(tmp_path: Path) -> None:
    assert "; caution, line " in await _quick_fix(tmp_path, TABLES, _roundabout())


def test_what_is_seen_to_change_for_others_is_named(tmp_path: Path) -> None:
    with OpenAIServer(
        answering([f"def clamp(value, low, high):\n    limits(9)\n    {_BODY}\n"])
    ) as server:
        own = workspace(tmp_path, server, TABLES)
        run = own.assay("check", "limits.py::clamp", "--apply")
    assert "caution, line 1 of it (`def clamp(value, low, high):`) changes LIMITS for" in run.stdout
    assert own.module.read_text() == TABLES
