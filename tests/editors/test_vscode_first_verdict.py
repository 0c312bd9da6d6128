"""From installed to a first verdict in VS Code, by each way to a model: how many steps it takes."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import drive_vscode
import pytest
from recorded_endpoint import MODEL, recorded_endpoint
from story import TRANSCRIPT, executable

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]

KEY = "sk-first-verdict-c0ffee5eed"
OLLAMA_PORT = 11434
# Claude Code as Assay starts it: it is signed in, and passes on what it is asked.
CLAUDE = """
import json, sys, urllib.request
url, key, model, *words = sys.argv[1:]
if words[:2] != ["auth", "status"]:
    messages = [{"role": "user", "content": sys.stdin.read()}]
    body = json.dumps({"model": model, "messages": messages}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/chat/completions", body, headers)
    reply = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
    print(json.dumps({"is_error": False, "result": reply}))
"""


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize(
    ("way", "steps"), [("local", 3), ("command", 5), ("editor", 6), ("key", 8)]
)
def test_a_first_verdict_takes_few_steps(
    tmp_path_factory: pytest.TempPathFactory, way: str, steps: int
) -> None:
    home = tmp_path_factory.mktemp("vscode")
    folder, stand_in = home / "project", home / "stand-in"
    folder.mkdir()
    stand_in.mkdir()
    shutil.copy(TRANSCRIPT, stand_in)
    variables: dict[str, str] = {"STAND_IN": os.fspath(stand_in)}
    more: dict[str, Any] = {"way": way, "key": KEY, "model": MODEL}
    if way == "local" and not is_free(OLLAMA_PORT):
        pytest.skip("something listens on Ollama's port on this machine")
    key = None if way == "local" else KEY
    with recorded_endpoint(TRANSCRIPT, key, OLLAMA_PORT if way == "local" else 0) as endpoint:
        if way == "command":
            words = [sys.executable, "-c", CLAUDE, endpoint.base_url, KEY, MODEL]
            script = f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'
            program = drive_vscode.program(home / "programs" / "claude", script)
            path = os.pathsep.join([os.fspath(program.parent), os.environ["PATH"]])
            variables |= drive_vscode.with_path(folder, path)
            # Those of a home that the password file does not know are not used unless named.
            own = home / "settings.toml"
            own.touch()
            variables["ASSAY_SETTINGS"] = os.fspath(own)
        told = drive_vscode.tell(
            "first_verdict",
            folder,
            settings={"assay.path": [executable()], "assay.trigger": "manual"},
            user={"chat.disableAIFeatures": way != "editor"},
            extension=Path(__file__).parent / "vscode" / "provider" if way == "editor" else None,
            variables=variables,
            shown_as=f"first_verdict-{way}",
            more=more | {"baseUrl": endpoint.base_url},
        )
    assert len(told.seen["steps"]) == steps
    assert told.left_behind == ()
