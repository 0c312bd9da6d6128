"""Parameters that nobody means: every request has an answer, and what follows has its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay_lsp.wire import DIGITS_KEPT, LEVELS_KEPT, Garbage, MessageFrames, salvaged
from support.raw_client import RawClient

TEXT = 'def one(n):\n    """Return one. [differs]"""\n    return 0\n'
HERE = '{"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 5}}'
# %s stands for what is absurd.
REQUESTS = (
    ("codeAction/resolve", '{"title": "x", "data": %s}'),
    ("codeAction/resolve", '{"title": "x", "data": {"uri": %s, "function": "one", "report": ""}}'),
    ("workspace/executeCommand", '{"command": "assay.server.checkFile", "arguments": [%s]}'),
    ("textDocument/hover", '{"textDocument": {"uri": "file:///m.py"}, "position": %s}'),
    ("textDocument/hover", "%s"),
    (
        "textDocument/codeAction",
        '{"textDocument": {"uri": "file:///m.py"}, "range": HERE, "context": {"diagnostics": [{'
        '"range": HERE, "source": "assay", "message": "", "data": {"report": %s}}]}}'.replace(
            "HERE", HERE
        ),
    ),
    ("assay/nonsense", "%s"),
)


def lists(depth: int) -> str:
    return "[" * depth + "]" * depth


def objects(depth: int) -> str:
    return '{"a": ' * depth + "1" + "}" * depth


def send(client: RawClient, identifier: int, method: str, params: bytes) -> None:
    head = b'{"jsonrpc": "2.0", "id": %d, "method": "%s", "params": ' % (
        identifier,
        method.encode(),
    )
    body = head + params + b"}"
    client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


@pytest.mark.parametrize("depth", [300, 900, 1800, 100_000])
def test_a_request_has_an_answer_however_deeply_it_is_nested(
    client: RawClient, tmp_path: Path, depth: int
) -> None:
    client.initialize(tmp_path)
    client.open("file:///m.py", TEXT)
    client.save("file:///m.py")
    client.notification("textDocument/publishDiagnostics")
    identifier = 1000
    for nested in (lists(depth), objects(depth)):
        for method, params in REQUESTS:
            identifier += 1
            send(client, identifier, method, (params % nested).encode())
            answer = client.answer(identifier)
            assert "result" in answer or answer["error"]["code"] in (-32601, -32602, -32603)
    assert client.actions("file:///m.py", 0, 5)
    # Nor is what was sent gone through in the log.
    assert len(client.errors) < 100_000


@pytest.mark.parametrize("absurd", [b"9" * 5000, b'"\xff"', b'"\xed\xa0\x80"', b"-1e999", b"NaN"])
def test_a_request_has_an_answer_whatever_its_values_are(
    client: RawClient, tmp_path: Path, absurd: bytes
) -> None:
    client.initialize(tmp_path)
    client.open("file:///m.py", TEXT)
    for identifier, (method, params) in enumerate(REQUESTS, 1000):
        send(client, identifier, method, params.encode().replace(b"%s", absurd))
        answer = client.answer(identifier)
        assert {"result", "error"} & set(answer)
        # Nor is anything answered that is no JSON.
        json.dumps(answer, allow_nan=False)
    command = {"command": "assay.server.status"}
    assert "result" in client.request("workspace/executeCommand", command)


def test_a_document_of_which_a_change_is_nested_too_deeply_is_lost(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path)
    uri = (tmp_path / "m.py").as_uri()
    client.open(uri, TEXT)
    body = (
        f'{{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {{"textDocument": '
        f'{{"uri": "{uri}", "version": 2}}, "contentChanges": [{lists(100_000)}]}}}}'
    ).encode()
    client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    said = client.notification("window/showMessage")["message"]
    assert "m.py" in said
    assert "open it again" in said


def test_settings_that_are_nested_too_deeply_are_not_waited_for(
    client: RawClient, tmp_path: Path
) -> None:
    client.initialize(tmp_path, capabilities={"workspace": {"configuration": True}})
    question = client.wait_for(lambda m: m.get("method") == "workspace/configuration")
    body = f'{{"jsonrpc": "2.0", "id": "{question["id"]}", "result": [{lists(100_000)}]}}'.encode()
    client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    client.request("workspace/executeCommand", {"command": "assay.server.status"})
    assert b"the client does not answer workspace/configuration" in client.errors


def test_what_is_kept_of_an_unreadable_message_is_what_is_not_absurd() -> None:
    for levels in (LEVELS_KEPT - 1, LEVELS_KEPT, LEVELS_KEPT + 1):
        found = salvaged(b'{"id": 1, "a": %s, "b": "]"}' % lists(levels).encode())
        assert found is not None
        assert (found["id"], found["b"]) == (1, "]")
        assert str(found["a"]).count("[") == min(levels, LEVELS_KEPT - 1)
    kept, left = b"9" * DIGITS_KEPT, b"9" * (DIGITS_KEPT + 1)
    assert salvaged(b'{"a": %s, "b": %s}' % (kept, left)) == {"a": int(kept), "b": None}
    assert salvaged(b'{"a": "\xff["}') == {"a": "\ufffd["}
    assert salvaged(b'{"a": "\\') is None
    assert salvaged(b"[" * 100_000) is None


def test_a_text_full_of_quotes_that_has_no_end_takes_no_longer_than_one_that_has() -> None:
    body = b'{"a": "' + b'x\\"y[{' * 1_000_000
    message = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    (found,) = MessageFrames().feed(message)
    assert isinstance(found, Garbage)
