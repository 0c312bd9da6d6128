"""A model of VS Code's own, which another extension provides, with VS Code's consent and no key."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import drive_vscode
import pytest
from story import FUNCTION, TRANSCRIPT, executable

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]

PROVIDER = Path(__file__).parent / "vscode" / "provider"


def test_a_model_of_vs_codes_own_gives_the_first_verdict(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("vscode")
    folder, stand_in = home / "project", home / "stand-in"
    folder.mkdir()
    stand_in.mkdir()
    shutil.copy(TRANSCRIPT, stand_in)
    told = drive_vscode.tell(
        "editor_model",
        folder,
        settings={"assay.path": [executable()], "assay.trigger": "manual"},
        user={"chat.disableAIFeatures": False},
        extension=PROVIDER,
        variables={"STAND_IN": os.fspath(stand_in)},
        more={"standIn": os.fspath(stand_in), "other": "add_months"},
    )
    seen = told.seen
    assert seen["choices"][0].startswith("Use stand-inStand-in Large")
    assert "Assay" in seen["consent"]
    assert "what it does on a few inputs; never the body" in seen["consent"]
    assert "you have not allowed Assay to use Stand-in Large" in seen["refused"]
    assert "Stand-in Large answers" in seen["accepted"]
    assert "its quota is spent" in seen["quota"]
    assert "premium requests" in seen["quota"]
    assert seen["quotaButtons"] == ["Try Again", "Set Up a Model"]

    asked = [json.loads(line) for line in (stand_in / "asked.jsonl").read_text().splitlines()]
    probe, quota, *others = asked
    assert probe["ended"] == "answered"
    # It is asked no more once the quota is spent.
    assert quota["ended"] == "failed"
    cancelled, *answered = others
    assert cancelled["ended"] == "cancelled"
    assert {each["ended"] for each in answered} == {"answered"}
    # There are no system messages: each request is one message of the user's.
    assert all(each["roles"] == [1] for each in asked)
    assert all(f"def {FUNCTION}" in each["prompt"] for each in answered)

    assert seen["summary"] == f"1 checked: 1 suspect; {len(answered)} requests"
    assert "Model: stand-in/large" in seen["tooltip"]
    # Nobody pays by the token.
    assert f"Spent today: {len(others) + 1} requests" in seen["tooltip"]
    assert "tokens" not in seen["tooltip"]
    assert told.left_behind == ()
