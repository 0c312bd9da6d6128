"""Settings that come late, in heaps, or not at all."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from support.raw_client import PATIENCE_SECONDS, RawClient

ANSWERS = {"workspace": {"configuration": True}}


def settings(client: RawClient) -> dict[str, Any]:
    command = {"command": "assay.server.status"}
    return client.request("workspace/executeCommand", command)["result"]["settings"]


def questions(client: RawClient) -> list[dict[str, Any]]:
    return [each for each in client.received if each.get("method") == "workspace/configuration"]


def answer(client: RawClient, question: dict[str, Any], section: object) -> None:
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": [section]})


def test_settings_that_come_late_count(client: RawClient, tmp_path: Path) -> None:
    client.initialize(tmp_path, capabilities=ANSWERS)
    # Waits for as long as the server does.
    assert settings(client)["offline"] is False
    (question,) = questions(client)
    answer(client, question, {"offline": True})
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not settings(client)["offline"]:
        assert time.monotonic() < deadline, "the answer is not heard"


def test_a_late_answer_does_not_undo_a_later_one(client: RawClient, tmp_path: Path) -> None:
    client.initialize(tmp_path, capabilities=ANSWERS)
    settings(client)
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.wait_for(lambda _: len(questions(client)) == 2)
    first, second = questions(client)
    answer(client, second, {"trigger": "manual"})
    settings(client)
    answer(client, first, {"trigger": "save"})
    for _ in range(3):
        assert settings(client)["trigger"] == "manual"


def test_who_never_answers_is_asked_once_for_many_changes(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path, capabilities=ANSWERS)
    for _ in range(10):
        client.notify("workspace/didChangeConfiguration", {"settings": None})
    settings(client)
    assert len(questions(client)) == 2


def messages(client: RawClient) -> list[str]:
    said = [each for each in client.received if each.get("method") == "window/showMessage"]
    return [each["params"]["message"] for each in said]


def test_however_much_is_wrong_with_settings_is_one_message(
    client: RawClient, tmp_path: Path
) -> None:
    options = {**{f"option_{number}": number for number in range(20)}, "trigger": 5, "offline": 3}
    client.initialize(tmp_path, initializationOptions=options)
    client.notify("workspace/didChangeConfiguration", {"settings": {"assay": {}}})
    settings(client)
    (message,) = messages(client)
    assert len(message) < 500
    for word in ("'option_0'", "17 more", "trigger should be", "offline should be"):
        assert word in message


def test_a_path_that_no_system_knows_is_said(client: RawClient, tmp_path: Path) -> None:
    unusable = {"logFile": "a\0b"}
    answer = client.initialize(tmp_path, initializationOptions=unusable)
    assert "result" in answer, answer
    client.notify("workspace/didChangeConfiguration", {"settings": {"assay": unusable}})
    assert settings(client)["log_file"] is None
    (message,) = messages(client)
    assert "logFile should be a path" in message


def test_a_folder_that_no_system_knows_is_none(client: RawClient, tmp_path: Path) -> None:
    options = {"replay": "./replies.jsonl"}
    client.initialize(tmp_path, rootUri=f"{tmp_path.as_uri()}%00", initializationOptions=options)
    assert settings(client)["replay"] == "./replies.jsonl"


def test_settings_of_others_are_no_settings(client: RawClient, tmp_path: Path) -> None:
    client.initialize(tmp_path)
    others = {"python": {"analysis": {}}, "pyright": {}, "ruff": {}}
    for pushed in ({**others, "assay": {"trigger": "manual"}}, others, {"trigger": "manual"}, {}):
        client.notify("workspace/didChangeConfiguration", {"settings": pushed})
        expected = "manual" if "manual" in str(pushed) else "save"
        assert settings(client)["trigger"] == expected
    assert messages(client) == []
