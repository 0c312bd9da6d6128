"""The story that every editor is driven through, and what has to be true when it has been told."""

from __future__ import annotations

import ast
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

REPOSITORY = Path(__file__).resolve().parents[2]
EDITORS = REPOSITORY / ".editors"
OUT = EDITORS / "out"
EXAMPLES = REPOSITORY / "examples"
TRANSCRIPT = EXAMPLES / "replies.jsonl"

MODULE = "calendars.py"
FUNCTION = "iso_week_label"

# For one wait inside an editor: a cold start on a busy machine takes tens of seconds.
WAIT_SECONDS = 90
# For a whole story, from starting the editor to ending it.
STORY_SECONDS = 400
# For a server to notice that its editor has gone, and to take its children with it.
LEAVE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Told:
    """What an editor's driver wrote down, the file as it is now, and processes that live on."""

    seen: dict[str, Any]
    file: Path
    left_behind: tuple[str, ...]


def executable() -> str:
    """The `assay` under test: the checkout's, unless the environment names an installed one."""
    named = os.environ.get("ASSAY", os.fspath(REPOSITORY / ".venv" / "bin" / "assay"))
    found = shutil.which(named)
    assert found, f"{named} is missing: install the project first"
    return os.path.abspath(found)


def environment(home: Path) -> dict[str, str]:
    """This environment with a home of its own and no keys: nothing is remembered, nobody asked."""
    foreign = ("ASSAY", "OPENAI_", "XDG_", "VIM", "NVIM", "VSCODE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return kept | {"HOME": str(home)}


def left_behind(folder: Path) -> tuple[str, ...]:
    """Command lines that still run in the project's folder some seconds after the editor's end."""
    deadline = time.monotonic() + LEAVE_SECONDS
    while (found := _working_in(folder)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def _working_in(folder: Path) -> tuple[str, ...]:
    return tuple(
        " ".join(process.info["cmdline"] or ())
        for process in psutil.process_iter(["cwd", "cmdline"])
        if process.info["cwd"] and Path(process.info["cwd"]).is_relative_to(folder)
    )


def assert_only_the_function_changed(file: Path) -> None:
    """Byte for byte: signature and docstring stay, and so does all that is not the function."""
    before = (EXAMPLES / MODULE).read_bytes().decode()
    after = file.read_bytes().decode()
    body, end = _body(before)
    assert after.startswith(before[:body])
    assert after.endswith(before[end:])
    assert after[body : len(after) - len(before[end:])] != before[body:end]


def _body(text: str) -> tuple[int, int]:
    """Where the function's statements after its docstring begin and end."""
    function = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == FUNCTION
    )
    lines = text.splitlines(keepends=True)
    docstring_end, function_end = function.body[0].end_lineno, function.end_lineno
    return sum(map(len, lines[:docstring_end])), sum(map(len, lines[:function_end]))
