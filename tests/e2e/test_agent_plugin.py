"""The plugin for coding agents: its manifests, and the hook that checks what a turn has changed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from assay_engine.version import own_version
from support.check_workspace import MODULE, RIGHT_MODULE, answering
from support.openai_server import OpenAIServer
from support.repositories import ENVIRONMENT, Repository, repository

INTEGRATIONS = Path(__file__).resolve().parents[2] / "integrations"
PLUGIN = INTEGRATIONS / "assay"


def stopped(made: Repository, base_url: str, *arguments: str, on: bool = True, **event: Any) -> Any:
    """What the hook answers when a turn ends, as an agent reads it; None if it says nothing."""
    run = subprocess.run(
        [sys.executable, str(PLUGIN / "hooks" / "stop.py"), *arguments],
        input=json.dumps({"hook_event_name": "Stop", **event}),
        cwd=made.folder.parent,
        env=ENVIRONMENT
        | {
            "PATH": f"{made.folder.parent}:{ENVIRONMENT['PATH']}",
            "ASSAY_STORE": str(made.folder.parent / "store.db"),
            "ASSAY_BASE_URL": base_url,
            "ASSAY_MODEL": "test-model",
            "ASSAY_API_KEY": "none",
            **({"ASSAY_HOOK": "on"} if on else {}),
        },
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return json.loads(run.stdout) if run.stdout else None


def test_a_turn_that_leaves_a_wrong_function_is_told_once(tmp_path: Path) -> None:
    made = repository(tmp_path / "project")
    made.write("pyproject.toml", "")
    made.commit(limits=RIGHT_MODULE, other=MODULE.replace("clamp", "other"))
    shim = tmp_path / "assay"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m assay_engine "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    here = {"cwd": str(made.folder)}
    with OpenAIServer(answering()) as server:
        assert stopped(made, server.base_url, **here) is None
        made.write("limits.py", MODULE)
        assert stopped(made, server.base_url, on=False, **here) is None
        assert not server.requests
        answer = stopped(made, server.base_url, **here)
        spent = len(server.requests)
        again = stopped(made, server.base_url, "cursor", workspace_roots=[str(made.folder)])
        assert stopped(made, server.base_url, stop_hook_active=True, **here) is None
        assert len(server.requests) == spent == 13
    assert answer["decision"] == "block"
    assert "- limits.py:1 clamp\n  clamp(-4, 0, 3): all 10 candidates return" in answer["reason"]
    assert "other" not in answer["reason"]
    assert again == {"followup_message": answer["reason"]}
    # The endpoint is down now: that is no pass, and no reason to go on.
    made.write("limits.py", MODULE.replace("range", "interval"))
    answer = stopped(made, server.base_url, **here)
    assert [*answer] == ["systemMessage"]
    assert answer["systemMessage"].startswith("Assay: NOT CHECKED: 127.0.0.1:")


def test_the_manifests_name_what_is_there() -> None:
    portable = json.loads((PLUGIN / "plugin.json").read_text("utf-8"))
    claude = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    servers = json.loads((PLUGIN / "mcp.json").read_text("utf-8"))["mcpServers"]
    assert portable["version"] == claude["version"] == own_version()
    command = [servers["assay"]["command"], *servers["assay"]["args"]]
    assert command == ["assay", "mcp"]
    assert [claude["mcpServers"]["assay"][each] for each in ("command", "args")] == [
        "assay",
        ["mcp"],
    ]
    for skill in (PLUGIN / "skills").iterdir():
        # A skill is named like its folder, or it is left out.
        assert f"\nname: {skill.name}\n" in (skill / "SKILL.md").read_text("utf-8")
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    assert "${CLAUDE_PLUGIN_ROOT}/hooks/stop.py" in hooks["Stop"][0]["hooks"][0]["command"]
    for copied in ("copilot/assay.json", "cursor/hooks.json"):
        text = (INTEGRATIONS / copied).read_text("utf-8")
        assert json.loads(text)["version"] == 1
        assert "assay_stop.py" in text
        assert (
            f"integrations/{copied}".rpartition("/")[2] in (INTEGRATIONS / "README.md").read_text()
        )
