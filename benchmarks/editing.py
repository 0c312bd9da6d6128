"""How soon the server answers an editor while it checks, beside jedi-language-server.

    python -m benchmarks.editing [--rounds 200]

Wants jedi-language-server installed beside Assay. Both have the same file of 5,000 lines open. One
of its functions has a report. Meanwhile Assay checks four functions of other files at a time, whose
candidates a server on this machine gives it. Each round asks Assay for a hover, the code actions
and all lenses, and jedi-language-server for a hover on the same function. Every second round types
a line above it first. Prints milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

FUNCTIONS = 300
BODY = "".join(f"    value_{number} = n + {number}\n" for number in range(12))
LARGE = "".join(
    f'def add_{number}(n: int) -> int:\n    """Return n plus {number}."""\n{BODY}'
    f"    return n + {number}\n\n"
    for number in range(FUNCTIONS)
)
FILES = 4
ANSWER_SECONDS = 0.3
PATIENCE_SECONDS = 120.0
# As the usual editors, it has an edit computed when it is chosen.
RESOLVES = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}
CAPABILITIES = {"textDocument": {"codeAction": RESOLVES}}


class Model(BaseHTTPRequestHandler):
    """Answers each request with what it asks for, after a while."""

    def do_POST(self) -> None:
        prompt = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = prompt["messages"][-1]["content"]
        name = text[text.index("def add_") + 4 :].partition("(")[0]
        code = f"def {name}(n):\n    return n + {name.removeprefix('add_')}\n"
        if "Choose inputs" in text:
            code = "".join(f"{name}({each})\n" for each in range(9))
        time.sleep(ANSWER_SECONDS)
        message = {"role": "assistant", "content": f"```python\n{code}```"}
        body = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        data = json.dumps({"id": "1", "object": "chat.completion", "model": "m"} | body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with suppress(ConnectionError):  # The server was killed at the end.
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class Client:
    """Speaks to a language server as an editor does."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._answers = Queue[dict[str, Any]]()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.request("initialize", {"rootUri": folder.as_uri(), "capabilities": CAPABILITIES})
        self.send("initialized", {})

    def request(self, method: str, params: object) -> Any:
        self._number += 1
        self._write({"id": self._number, "method": method, "params": params})
        while True:
            answer = self._answers.get(timeout=PATIENCE_SECONDS)
            if answer["id"] == self._number:
                return answer.get("result")

    def send(self, method: str, params: object) -> None:
        self._write({"method": method, "params": params})

    def open(self, uri: str, text: str) -> None:
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            if header.lower().startswith(b"content-length:"):
                length = int(header.partition(b":")[2])
                while stream.readline().strip():
                    pass
                message = json.loads(stream.read(length))
                if "id" in message and "method" not in message:
                    self._answers.put(message)


@contextmanager
def model() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


def measured(assay: Client, jedi: Client, uri: str, rounds: int) -> dict[str, list[float]]:
    line, found = 0, dict[str, list[float]]()
    document = {"uri": uri}
    for number in range(rounds):
        if number % 2:
            start = {"line": 0, "character": 0}
            change = {"range": {"start": start, "end": start}, "text": "#\n"}
            line += 1
            for client in (assay, jedi):
                versioned = document | {"version": line + 1}
                params = {"textDocument": versioned, "contentChanges": [change]}
                client.send("textDocument/didChange", params)
        at = {"line": line, "character": 5}
        hover = {"textDocument": document, "position": at}
        context = {"range": {"start": at, "end": at}, "context": {"diagnostics": []}}
        for name, client, method, params in (
            ("hover", assay, "textDocument/hover", hover),
            ("code actions", assay, "textDocument/codeAction", hover | context),
            ("all lenses", assay, "textDocument/codeLens", {"textDocument": document}),
            ("hover of jedi-language-server", jedi, "textDocument/hover", hover),
        ):
            started = time.perf_counter()
            if not client.request(method, params):
                raise SystemExit(f"{name}: no answer in round {number}")
            found.setdefault(name, []).append(1000 * (time.perf_counter() - started))
    return found


def checking(assay: Client) -> bool:
    command = {"command": "assay.server.status", "arguments": []}
    return bool(assay.request("workspace/executeCommand", command)["checks"]["running"])


def check(assay: Client, uri: str, *more: object) -> None:
    kind = "Function" if more else "File"
    command = {"command": f"assay.server.check{kind}", "arguments": [uri, *more]}
    assay.request("workspace/executeCommand", command)


def main() -> None:
    parser = argparse.ArgumentParser(description="How soon the server answers while it checks.")
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as temporary, model() as address:
        folder = Path(temporary)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": temporary,
            "ASSAY_BASE_URL": address,
            "ASSAY_MODEL": "m",
        }
        options = {"askAbove": 1_000_000}
        assay = Client([sys.executable, "-m", "assay_engine", "server"], folder, environment)
        assay.send("workspace/didChangeConfiguration", {"settings": {"assay": options}})
        jedi = Client(
            [str(Path(sys.executable).with_name("jedi-language-server"))], folder, environment
        )
        uri = (folder / "large.py").as_uri()
        for client in (assay, jedi):
            client.open(uri, LARGE)
        check(assay, uri, {"line": 0, "character": 5})
        while checking(assay):
            time.sleep(0.1)
        for number in range(FILES):
            other = (folder / f"other_{number}.py").as_uri()
            # Other functions in each, which no report is stored of.
            assay.open(other, LARGE.replace("n plus", f"n, once more ({number}), plus"))
            check(assay, other)
        time.sleep(2)
        found = measured(assay, jedi, uri, rounds)
        if not checking(assay):
            raise SystemExit("the checks ended before the measurement did")
        assay.end()
        jedi.end()
    print("| | median | p99 |\n|---|---:|---:|")
    for name, times in found.items():
        p99 = statistics.quantiles(times, n=100)[-1]
        print(f"| {name} | {statistics.median(times):.1f} | {p99:.1f} |")


if __name__ == "__main__":
    main()
