"""Whatever comes down the wire: requests are answered, and the server lives."""

from __future__ import annotations

import time
from pathlib import Path

from support.forking import forked
from support.lsp_editor import SCRIPTED_SERVER
from support.raw_client import PATIENCE_SECONDS, RawClient

TEXT = 'def one(n):\n    """Return one. [differs]"""\n    return 0\n'


def assert_alive(client: RawClient) -> None:
    command = {"command": "assay.server.status", "arguments": []}
    assert "result" in client.request("workspace/executeCommand", command)


def test_requests_before_initialize_are_refused(client: RawClient, tmp_path: Path) -> None:
    hover = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", hover)["error"]["code"] == -32002
    client.notify("textDocument/didSave", {"textDocument": {"uri": "file:///a.py"}})
    client.initialize(tmp_path)
    assert client.request("initialize", {"capabilities": {}})["error"]["code"] == -32600
    assert_alive(client)


def test_garbage_of_every_kind_is_survived(client: RawClient, tmp_path: Path) -> None:
    client.initialize(tmp_path)
    for junk in (
        b"hello\r\n\r\n",
        b"Content-Length: 5\r\n\r\n{not}",
        b"Content-Length: 7\r\n\r\n[1,2,3]",
        b'Content-Length: 10\r\n\r\n{"a": 1}\r\n',
        b"Content-Length: -3\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Content-Length: 100000\r\n\r\n" + b"[" * 100000,
        b"\x00" * 10000 + b"\r\n\r\n",
    ):
        client.write(junk)
        assert_alive(client)


def test_unknown_methods_and_invalid_parameters_get_an_answer(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path)
    assert client.request("assay/nonsense", {})["error"]["code"] == -32601
    client.notify("assay/nonsense", {})
    client.notify("$/whatever", {})
    for params in ({"textDocument": {}}, [], None, {"textDocument": 3, "position": "x"}):
        assert client.request("textDocument/hover", params)["error"]["code"] == -32602
        client.notify("textDocument/didOpen", params)
        client.notify("textDocument/didChange", params)
    assert client.request("workspace/executeCommand", {"command": "rm"})["error"]
    client.send({"jsonrpc": "2.0", "id": "nobody asked", "result": 1})
    client.send({"jsonrpc": "2.0", "id": [1], "method": "textDocument/hover"})
    client.send({"jsonrpc": "2.0", "id": 7})
    client.send({"id": 8, "method": "textDocument/hover"})
    client.notify("$/cancelRequest", {"id": 12345})
    assert_alive(client)
    assert b"Traceback" not in client.errors
    assert "traceback" not in str(client.received)


def test_what_no_file_is_called_is_left_alone_and_no_argument(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path)
    beyond = {"line": 2**31, "character": 0}
    for uri in ("", "file:///a%00b.py", "file:///a\ud800.py"):
        client.open(uri, TEXT)
        client.save(uri)
        for name, *others in (("checkFile",), ("checkFunction", beyond), ("showEvidence", "one")):
            command = {"command": f"assay.server.{name}", "arguments": [uri, *others]}
            answer = client.request("workspace/executeCommand", command)
            assert answer["error"]["code"] == -32602
    uri = (tmp_path / "m.py").as_uri()
    command = {"command": "assay.server.checkFunction", "arguments": [uri, beyond]}
    assert client.request("workspace/executeCommand", command)["error"]["code"] == -32602
    assert_alive(client)
    said = [each.get("method") for each in client.received]
    assert not {"window/showMessage", "textDocument/publishDiagnostics"} & set(said)


def test_a_command_that_is_cancelled_does_nothing(client: RawClient, tmp_path: Path) -> None:
    # Whose settings are never told: the command waits for them, and is cancelled meanwhile.
    client.initialize(tmp_path, capabilities={"workspace": {"configuration": True}})
    uri = (tmp_path / "m.py").as_uri()
    client.open(uri, TEXT)
    params = {"command": "assay.server.checkFile", "arguments": [uri]}
    messages = (
        {"id": "check", "method": "workspace/executeCommand", "params": params},
        {"method": "$/cancelRequest", "params": {"id": "check"}},
    )
    for message in messages:
        client.send({"jsonrpc": "2.0", **message})
    assert client.answer("check")["error"]["code"] == -32800
    for _ in range(3):
        status = {"command": "assay.server.status"}
        checks = client.request("workspace/executeCommand", status)["result"]["checks"]
        assert not any(checks.values())
    assert not any("publishDiagnostics" in str(each.get("method")) for each in client.received)


def test_a_command_that_is_cancelled_leaves_the_checks_of_others_to_the_next_engine(
    tmp_path: Path,
) -> None:
    journal = tmp_path / "journal"
    uri = (tmp_path / "m.py").as_uri()

    def checks(count: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not journal.exists() or journal.read_text().count("check one") < count:
            assert time.monotonic() < deadline, journal.read_text()
            time.sleep(0.02)

    with RawClient(forked(SCRIPTED_SERVER), {"ASSAY_TEST_JOURNAL": str(journal)}) as client:
        client.initialize(tmp_path)
        client.open(uri, TEXT.replace("one.", "one. [slow] [slow-to-end]"))
        client.save(uri)
        checks(1)
        (tmp_path / "pyproject.toml").write_text("[tool.assay]")
        status = {"command": "assay.server.status"}
        client.send(
            {"jsonrpc": "2.0", "id": "a", "method": "workspace/executeCommand", "params": status}
        )
        # The check takes half a second to end, which the new engine waits for.
        time.sleep(0.2)
        client.notify("$/cancelRequest", {"id": "a"})
        client.request("workspace/executeCommand", status)
        checks(2)


def test_changes_that_make_no_sense_are_survived(client: RawClient, tmp_path: Path) -> None:
    client.initialize(tmp_path)
    uri = (tmp_path / "m.py").as_uri()
    position = {"line": 99, "character": 99}
    change = {"range": {"start": position, "end": {"line": 0, "character": 0}}, "text": "x"}
    document = {"uri": uri, "version": 2}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    client.open(uri, TEXT)
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///nowhere.py"}})
    client.save("file:///nowhere.py")
    for other in ("untitled:Untitled-1", "git:/a.py?x", "", "file://", "vscode-notebook-cell:/x#1"):
        client.open(other, TEXT)
        client.save(other)
        client.request("textDocument/hover", {"textDocument": {"uri": other}, "position": position})
    assert_alive(client)


def test_code_actions_carry_commands_as_the_protocol_has_it(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path)
    uri = (tmp_path / "m.py").as_uri()
    client.open(uri, TEXT)
    client.save(uri)
    client.notification("textDocument/publishDiagnostics")
    actions = client.actions(uri, 0, 5)
    assert [action.get("command", {}).get("command") for action in actions] == [
        None,
        "assay.server.showDifference",
        None,
        None,
        "assay.server.showEvidence",
        None,
        "assay.server.showDifference",
        "assay.server.checkFunction",
        "assay.server.compareFunction",
        "assay.server.triangulateFunction",
    ]
    again = actions[7]["command"]["arguments"]
    assert again == [uri, {"line": 0, "character": 4}, True, "one"]


def test_after_shutdown_everything_but_exit_is_refused(client: RawClient, tmp_path: Path) -> None:
    client.initialize(tmp_path)
    assert client.request("shutdown")["result"] is None
    assert client.request("shutdown")["error"]["code"] == -32600
    client.notify("exit")
    assert client.exit_status() == 0
