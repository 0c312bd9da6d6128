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


def test_settings_of_others_change_none_of_ours(client: RawClient, tmp_path: Path) -> None:
    client.initialize(tmp_path)
    others = {"python": {"analysis": {}}, "pyright": {}, "ruff": {}}
    for pushed, offline in (
        ({**others, "assay": {"offline": True}}, True),
        (others, True),
        ({}, True),
        ({"offline": False}, False),
        ({"offline": True}, True),
        ({**others, "assay": None}, False),
    ):
        client.notify("workspace/didChangeConfiguration", {"settings": pushed})
        assert settings(client)["offline"] is offline
    assert messages(client) == []


def test_a_save_waits_for_settings_that_may_forbid_to_check(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path, capabilities=ANSWERS)
    uris = [(tmp_path / name).as_uri() for name in ("m.py", "n.py")]
    for uri in uris:
        client.open(uri, 'def f():\n    """[differs]"""\n')
    client.save(uris[0])
    # For as long as the server waits with everything, and then some.
    settings(client)
    time.sleep(0.5)
    assert not published(client)
    (question,) = questions(client)
    answer(client, question, {"trigger": "manual"})
    while settings(client)["trigger"] != "manual":
        time.sleep(0.01)
    assert not published(client)
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.wait_for(lambda _: len(questions(client)) == 2)
    client.save(uris[1])
    answer(client, questions(client)[1], {"trigger": "save"})
    client.wait_for(lambda _: published(client) == {uris[1]})


def published(client: RawClient) -> set[str]:
    """The documents that have findings."""
    said = [
        each["params"]
        for each in client.received
        if each.get("method") == "textDocument/publishDiagnostics"
    ]
    return {each["uri"] for each in said if each["diagnostics"]}
