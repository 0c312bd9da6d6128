"""A client that writes bytes and reads JSON: for what no well-behaved client would do."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

PATIENCE_SECONDS = 30.0


class RawClient:
    """Speaks to a server process over its standard streams."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        self.received: list[dict[str, Any]] = []
        self.errors = bytearray()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: object = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object = None) -> dict[str, Any]:
        """The whole answer, be it a result or an error."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self.answer(self._number)

    def answer(self, number: object) -> dict[str, Any]:
        return self.wait_for(lambda m: m.get("id") == number and "method" not in m)

    def notification(self, method: str) -> dict[str, Any]:
        return self.wait_for(lambda m: m.get("method") == method)["params"]

    def wait_for(self, wanted: Any) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for message in tuple(self.received):
                if wanted(message):
                    return message
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError(f"no such message; stderr: {bytes(self.errors).decode()[-2000:]}")

    def initialize(self, folder: Path, **params: object) -> dict[str, Any]:
        answer = self.request(
            "initialize",
            {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}, **params},
        )
        self.notify("initialized", {})
        return answer

    def open(self, uri: str, text: str) -> None:
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def save(self, uri: str) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def actions(self, uri: str, line: int, character: int) -> list[dict[str, Any]]:
        here = {"line": line, "character": character}
        params = {
            "textDocument": {"uri": uri},
            "range": {"start": here, "end": here},
            "context": {"diagnostics": []},
        }
        answer = self.request("textDocument/codeAction", params)
        assert "result" in answer, answer
        return answer["result"]

    def exit_status(self, seconds: float = PATIENCE_SECONDS) -> int:
        return self.process.wait(seconds)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                while stream.readline().strip():
                    pass
                self.received.append(json.loads(stream.read(int(value))))

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        while data := self.process.stderr.read1():
            self.errors += data
