"""One function in two files, or before and after a change elsewhere: a report for each place."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from assay_engine.config.configuration import EngineOptions
from assay_engine.engine import Engine
from assay_engine.types import Report, SourceText
from support.check_workspace import MODULE, Workspace, answering, workspace
from support.openai_server import OpenAIServer

# It uses a builtin that the function itself does not.
MIDDLE = "def clamp(value, low, high):\n    return sorted((low, value, high))[1]\n"
SHADOWED = f"{MODULE}\n\ndef sorted(items):\n    return items\n"
REFUSED = "`clamp` cannot be replaced: it uses the builtin `sorted`"
# Ten candidates, one set of inputs, and what the docstring says of the one that differs.
REQUESTS = 13


def said_of_clamp(own: Workspace, *files: str) -> dict[str, tuple[list[str], int]]:
    """By file: the messages of problems, and the number of replacements."""
    found = json.loads(own.assay("check", *files, "--format", "json").stdout)
    return {
        report["path"]: (
            [problem["message"] for problem in report["problems"]],
            len(report["replacements"]),
        )
        for report in found["reports"]
        if report["qualname"] == "clamp"
    }


@pytest.mark.parametrize("files", [["limits.py", "shadowed.py"], ["shadowed.py", "limits.py"]])
def test_what_one_file_cannot_hold_another_is_offered(tmp_path: Path, files: list[str]) -> None:
    with OpenAIServer(answering([MIDDLE])) as server:
        own = workspace(tmp_path, server)
        (tmp_path / "shadowed.py").write_text(SHADOWED, encoding="utf-8")
        for _ in range(2):
            said = said_of_clamp(own, *files)
            assert said["limits.py"] == ([], 1)
            (message,), offered = said["shadowed.py"]
            assert message.startswith(REFUSED)
            assert not offered
        assert len(server.requests) == REQUESTS


def test_what_was_refused_is_offered_once_the_file_can_hold_it(tmp_path: Path) -> None:
    with OpenAIServer(answering([MIDDLE])) as server:
        own = workspace(tmp_path, server, SHADOWED)
        assert said_of_clamp(own, "limits.py")["limits.py"][1] == 0
        own.module.write_text(MODULE, encoding="utf-8")
        assert said_of_clamp(own, "limits.py")["limits.py"] == ([], 1)
        assert len(server.requests) == REQUESTS


def test_what_was_refused_is_not_tried_again_in_an_unchanged_file(tmp_path: Path) -> None:
    with OpenAIServer(answering([MIDDLE])) as server:
        own = workspace(tmp_path, server, SHADOWED)
        calls: list[int] = []
        for _ in range(2):
            found = json.loads(own.assay("check", "limits.py", "--format", "json").stdout)
            calls.append(found["reports"][0]["cost"]["program_calls"])
    assert calls[0] > 0 == calls[1]


async def test_a_trial_that_two_files_wait_for_speaks_for_each_of_them(tmp_path: Path) -> None:
    with OpenAIServer(answering([MIDDLE])) as server:
        environment = {"ASSAY_BASE_URL": server.base_url, "ASSAY_MODEL": "test-model"}
        options = EngineOptions(
            store_path=str(tmp_path / "assay.db"), environment=environment, root=str(tmp_path)
        )

        async def checked(engine: Engine, name: str, text: str) -> Report:
            source = SourceText(str(tmp_path / name), text, str(tmp_path))
            reports = [each async for each in engine.check(source)]
            return reports[0]

        with Engine.open(options) as engine:
            shadowed, plain = await asyncio.gather(
                checked(engine, "shadowed.py", SHADOWED), checked(engine, "limits.py", MODULE)
            )
        assert len(server.requests) == REQUESTS
    assert (len(shadowed.problems), len(shadowed.replacements)) == (1, 0)
    assert (len(plain.problems), len(plain.replacements)) == (0, 1)
