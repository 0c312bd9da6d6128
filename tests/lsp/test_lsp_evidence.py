"""Evidence as a page of the editor's."""

from __future__ import annotations

import shutil
from pathlib import Path

from support.forking import forked
from support.lsp_editor import SCRIPTED_SERVER
from support.raw_client import RawClient

TEXT = 'def one(n):\n    """Return one. [differs]"""\n    return 0\n'


def shown(client: RawClient, folder: Path) -> dict[str, object]:
    """The command to show what a finding rests on, of a client that shows documents."""
    client.initialize(folder, capabilities={"window": {"showDocument": {"support": True}}})
    uri = (folder / "m.py").as_uri()
    client.open(uri, TEXT)
    client.save(uri)
    client.notification("textDocument/publishDiagnostics")
    return {"command": "assay.server.showEvidence", "arguments": [uri, "one"]}


def test_who_does_not_say_that_it_is_shown_is_not_waited_for(
    client: RawClient, tmp_path: Path
) -> None:
    command = shown(client, tmp_path)
    assert client.request("workspace/executeCommand", command)["result"] is None
    question = client.wait_for(lambda m: m.get("method") == "window/showDocument")
    assert not any(each.get("method") == "window/showMessage" for each in client.received)
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"success": False}})
    said = client.notification("window/showMessage")["message"]
    assert "cannot be shown; it is in /" in said


def test_it_has_a_folder_though_the_system_has_tidied_up(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with RawClient(forked(SCRIPTED_SERVER), {"TMPDIR": str(temporary)}) as client:
        command = shown(client, tmp_path)
        for _ in range(2):
            answer = client.request("workspace/executeCommand", command)
            assert "result" in answer, answer
            (page,) = temporary.glob("assay-evidence-*/one-*.html")
            assert "<h1" in page.read_text()
            shutil.rmtree(page.parent)
