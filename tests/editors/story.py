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


def assert_only_the_function_changed(before: str, after: str) -> None:
    """The quick fix may touch the function and the imports; everything else is the user's."""
    old, new = _parts(before), _parts(after)
    assert new.function != old.function
    assert new.others == old.others
    assert after.startswith(before[: before.index("import")])


@dataclass(frozen=True, slots=True)
class _Parts:
    function: str
    others: tuple[str, ...]


def _parts(text: str) -> _Parts:
    statements = ast.parse(text).body
    sources = [ast.get_source_segment(text, statement) or "" for statement in statements]
    position = next(
        index
        for index, statement in enumerate(statements)
        if isinstance(statement, ast.FunctionDef) and statement.name == FUNCTION
    )
    return _Parts(
        sources[position],
        tuple(
            source
            for index, (source, statement) in enumerate(zip(sources, statements, strict=True))
            if index != position and not isinstance(statement, ast.Import | ast.ImportFrom)
        ),
    )
