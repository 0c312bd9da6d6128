"""Clients that can do little, or that know more than is known here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.raw_client import RawClient
from support.waiting import eventually

TEXT = 'def one(n):\n    """Return one. [differs]"""\n    return 0\n'
NAME = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 7}}


def found(client: RawClient, folder: Path, capabilities: dict[str, Any]) -> str:
    """The URI of a file with a finding, for a client that can do this."""
    answer = client.initialize(folder, capabilities=capabilities)
    assert "result" in answer, answer
    uri = (folder / "m.py").as_uri()
    client.open(uri, TEXT)
    client.save(uri)
    client.notification("textDocument/publishDiagnostics")
    return uri


def test_a_client_that_announces_nothing_is_given_the_fixes_whole(
    client: RawClient, tmp_path: Path
) -> None:
    uri = found(client, tmp_path, {})
    assert "edit" in client.actions(uri, 0, 5)[0]


@pytest.mark.parametrize(
    "unknown",
    [
        {"workspace": {"symbol": {"symbolKind": {"valueSet": [1, 99]}}}},
        {"workspace": {"workspaceEdit": {"failureHandling": "wait", "documentChanges": True}}},
        {"textDocument": {"semanticTokens": {"formats": ["absolute"]}}},
        {"textDocument": {"publishDiagnostics": {"tagSupport": {"valueSet": [1, 2, 3]}}}},
        {"textDocument": 5},
        {"window": {"workDoneProgress": {"a": 1}}, "general": {"positionEncodings": [5]}},
    ],
    ids=str,
)
def test_a_client_that_knows_more_is_served(
    client: RawClient, tmp_path: Path, unknown: dict[str, Any]
) -> None:
    uri = found(client, tmp_path, unknown)
    assert client.actions(uri, 0, 5)


def test_what_is_known_of_a_client_that_knows_more_counts(
    client: RawClient, tmp_path: Path
) -> None:
    uri = found(
        client,
        tmp_path,
        {
            "workspace": {"workspaceEdit": {"failureHandling": "wait", "documentChanges": True}},
            "textDocument": {
                "hover": {"contentFormat": ["html", "markdown"]},
                "codeAction": {"tagSupport": {"valueSet": [1, 9]}},
            },
        },
    )
    where = {"textDocument": {"uri": uri}, "position": NAME["start"]}
    hover = client.request("textDocument/hover", where)["result"]
    assert hover["contents"]["kind"] == "markdown"
    fix = client.actions(uri, 0, 5)[0]
    assert fix["tags"] == [1]
    assert "documentChanges" in fix["edit"]


@pytest.mark.parametrize(
    "said", [{"tags": [1, 9]}, {"severity": 7}, {"relatedInformation": [{}]}, {"range": None}]
)
def test_what_others_say_of_a_line_keeps_no_action_away(
    client: RawClient, tmp_path: Path, said: dict[str, Any]
) -> None:
    uri = found(client, tmp_path, {})
    (own,) = client.notification("textDocument/publishDiagnostics")["diagnostics"]
    others = {"range": NAME, "message": "unused", "source": "other", **said}
    params = {
        "textDocument": {"uri": uri},
        "range": NAME,
        "context": {"diagnostics": [others, own], "only": ["quickfix"]},
    }
    actions = client.request("textDocument/codeAction", params)["result"]
    assert [each["message"] for each in actions[0]["diagnostics"]] == [own["message"]]


@pytest.mark.parametrize("number", [2**32 - 1, 2**22 - 1], ids=["of another system", "elsewhere"])
def test_a_client_whose_number_is_not_of_a_process_here_is_served(
    client: RawClient, tmp_path: Path, number: int
) -> None:
    answer = client.initialize(tmp_path, processId=number)
    assert "result" in answer, answer
    command = {"command": "assay.server.status"}
    assert "result" in client.request("workspace/executeCommand", command)


def test_a_change_whose_range_is_null_is_one_of_the_whole_text(
    client: RawClient, tmp_path: Path
) -> None:
    uri = found(client, tmp_path, {})
    change = {"range": None, "rangeLength": None, "text": f"# above\n{TEXT}"}
    document = {"uri": uri, "version": 2}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    client.wait_for(lambda m: m.get("params", {}).get("version") == 2)
    assert shown(client, uri) == [1]


def shown(client: RawClient, uri: str) -> list[int]:
    """The lines of the findings that a client shows that goes by the letters of a URI."""
    told = [
        each["params"]["diagnostics"]
        for each in tuple(client.received)
        if each.get("method") == "textDocument/publishDiagnostics" and each["params"]["uri"] == uri
    ]
    return [each["range"]["start"]["line"] for each in told[-1]] if told else []


def test_findings_are_taken_back_by_the_name_that_they_were_told_by(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path)
    path = tmp_path / "été.py"
    path.write_text(TEXT)
    one, other = path.as_uri(), f"file://{path}"
    assert one != other
    command = {"command": "assay.server.checkFile", "arguments": [one]}
    client.request("workspace/executeCommand", command)
    eventually(lambda: shown(client, one) == [0])
    client.open(other, TEXT)
    eventually(lambda: (shown(client, one), shown(client, other)) == ([], [0]))
    client.notify("textDocument/didClose", {"textDocument": {"uri": one}})
    # What is stored about its file is shown on.
    eventually(lambda: (shown(client, one), shown(client, other)) == ([0], []))
