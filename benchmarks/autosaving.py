"""How many requests are spent while somebody types with auto-save on.

    python -m benchmarks.autosaving

Plays an editor that saves one second after each pause, as VS Code does with
`"files.autoSave": "afterDelay"`, on a project that is committed: a docstring typed in five pieces,
a function renamed by hand, and one method of a class of ten rewritten, also with blanks behind it.
A half hour of work, without the time in which nothing is typed. A server on this machine stands in
for the model. Prints the requests of each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.editing import Client

AFTER_DELAY = 2
SAVE_SECONDS = 1.0
# A thought between two pieces of a sentence, and the time after the last.
THOUGHT_SECONDS = 6.0
LAST_SECONDS = 15.0

FUNCTIONS = "".join(
    f'def add_{number}(value: int) -> int:\n    """Return the value plus {number}."""\n'
    f"    return value + {number}\n\n\n"
    for number in range(5)
)
METHODS = "class Sums:\n    factor = 1\n\n" + "\n".join(
    f"    def add_{number}(self, value: int) -> int:\n"
    f'        """Return the value plus {number}."""\n'
    f"        return value * self.factor + {number}\n"
    for number in range(10)
)
# Each step replaces the first text by the second, and is followed by a pause.
Steps = Sequence[tuple[str, str, float]]
DOCSTRING: Steps = (
    ("Return the value plus 1.", "Return", THOUGHT_SECONDS),
    ('"""Return"""', '"""Return the sum"""', THOUGHT_SECONDS),
    ('"""Return the sum"""', '"""Return the sum of the value"""', THOUGHT_SECONDS),
    ('sum of the value"""', 'sum of the value and"""', THOUGHT_SECONDS),
    ('sum of the value and"""', 'sum of the value and 1."""', LAST_SECONDS),
)
RENAMING: Steps = (
    ("def add_1(", "def add_XX1(", SAVE_SECONDS + 1),
    ("def add_XX1(", "def add_0XX1(", SAVE_SECONDS + 1),
    ("def add_0XX1(", "def add_0x1(", LAST_SECONDS),
)
METHOD: Steps = (
    ("value * self.factor + 3", "3 + value", THOUGHT_SECONDS),
    ("3 + value", "3 + value * self.factor", THOUGHT_SECONDS),
    ("3 + value * self.factor\n", "3 + value * self.factor   \n", LAST_SECONDS),
)


class Model(BaseHTTPRequestHandler):
    """Answers each request with what it asks for, and counts."""

    requests = 0

    def do_POST(self) -> None:
        prompt = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Model.requests += 1
        text = prompt["messages"][-1]["content"]
        name = text[text.rindex("def add_") + 4 :].partition("(")[0]
        number = "".join(each for each in name.removeprefix("add_0x") if each.isdigit())
        receiver = "self, " if "class Sums" in text else ""
        code = f"def {name}({receiver}value):\n    return value + {number}\n"
        if "Choose inputs" in text:
            owner = "Sums()." if receiver else ""
            code = "".join(f"{owner}{name}({each})\n" for each in range(9))
        message = {"role": "assistant", "content": f"```python\n{code}```"}
        body = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        data = json.dumps({"id": "1", "object": "chat.completion", "model": "m"} | body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with suppress(ConnectionError):  # The check was cancelled.
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def typed(address: str, text: str, steps: Steps) -> int:
    """The requests that are sent while the steps are typed."""
    Model.requests = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "project")
        folder.mkdir()
        path = folder / "module.py"
        path.write_text(text)
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "first")):
            subprocess.run(["git", *words], cwd=folder, check=True)
        environment = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            "HOME": temporary,
            "ASSAY_BASE_URL": address,
            "ASSAY_MODEL": "m",
        }
        client = Client([sys.executable, "-m", "assay_engine", "server"], folder, environment)
        # What is spent without a question, whatever it is.
        client.send(
            "workspace/didChangeConfiguration", {"settings": {"assay": {"askAbove": 1_000}}}
        )
        client.open(path.as_uri(), text)
        document = {"uri": path.as_uri()}
        for version, (old, new, pause) in enumerate(steps, 2):
            assert old in text, old
            text = text.replace(old, new)
            changed = {"textDocument": document | {"version": version}}
            client.send("textDocument/didChange", changed | {"contentChanges": [{"text": text}]})
            time.sleep(SAVE_SECONDS)
            saved = {"textDocument": document}
            client.send("textDocument/willSave", saved | {"reason": AFTER_DELAY})
            path.write_text(text)
            client.send("textDocument/didSave", saved)
            time.sleep(pause - SAVE_SECONDS)
        status = {"command": "assay.server.status", "arguments": []}
        while any(client.request("workspace/executeCommand", status)["checks"].values()):
            time.sleep(0.2)
        client.end()
    return Model.requests


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    print("| | requests |\n|---|---:|")
    for what, text, steps in (
        ("a docstring typed in five pieces", FUNCTIONS, DOCSTRING),
        ("a function renamed by hand", FUNCTIONS, RENAMING),
        ("one method of ten rewritten", METHODS, METHOD),
    ):
        print(f"| {what} | {typed(address, text, steps)} |", flush=True)
    server.shutdown()


if __name__ == "__main__":
    main()
