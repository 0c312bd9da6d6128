"""Tells the story in VS Code: its server with a fresh profile, our .vsix, and a browser."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from story import (
    EDITORS,
    EXAMPLES,
    FUNCTION,
    MODULE,
    OUT,
    REPOSITORY,
    STORY_SECONDS,
    TRANSCRIPT,
    WAIT_SECONDS,
    Told,
    environment,
    executable,
)

HERE = Path(__file__).parent / "vscode"
CODE_SERVER = EDITORS / "code-server" / "run"
EXTENSION = REPOSITORY / "vscode-client" / "assay.vsix"
START_SECONDS = 60
STOP_SECONDS = 15


def tell(folder: Path, browser: str) -> Told:
    out = OUT / "vscode"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    file = Path(shutil.copy(EXAMPLES / MODULE, folder))
    with _code_server(folder.parent, out) as url:
        story = {
            "url": url,
            "folder": os.fspath(folder),
            "module": MODULE,
            "function": FUNCTION,
            "out": os.fspath(out),
            "browser": browser,
            "waitSeconds": WAIT_SECONDS,
        }
        subprocess.run(
            ["node", HERE / "story.mjs", json.dumps(story)],
            stdin=subprocess.DEVNULL,
            timeout=STORY_SECONDS,
            check=True,
        )
    return Told(json.loads((out / "seen.json").read_text(encoding="utf-8")), file)


@contextmanager
def _code_server(home: Path, out: Path) -> Iterator[str]:
    port = _free_port()
    options = _profile(home, port)
    variables = environment(home) | {
        # Without a gallery nothing is looked up outside this machine.
        "EXTENSIONS_GALLERY": "{}",
    }
    subprocess.run(
        [CODE_SERVER, *options, "--install-extension", EXTENSION],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=START_SECONDS,
        check=True,
    )
    with (out / "code-server.log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            [CODE_SERVER, *options, "--disable-telemetry", "--disable-update-check"],
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_healthy(url, server)
            yield url
        finally:
            server.terminate()
            try:
                server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(STOP_SECONDS)


def _profile(home: Path, port: int) -> list[str]:
    data = home / "data"
    (data / "User").mkdir(parents=True)
    (data / "Machine").mkdir()
    shutil.copy(HERE / "settings.json", data / "User")
    # The user's settings may arrive only after the extension has started; the machine's do not.
    machine = {"assay.path": [executable()], "assay.replay": os.fspath(TRANSCRIPT)}
    (data / "Machine" / "settings.json").write_text(json.dumps(machine), encoding="utf-8")
    config = home / "code-server.yaml"
    config.write_text(f"bind-addr: 127.0.0.1:{port}\nauth: none\n", encoding="utf-8")
    return [
        f"--config={config}",
        f"--user-data-dir={data}",
        f"--extensions-dir={home / 'extensions'}",
        "--disable-workspace-trust",
        "--disable-getting-started-override",
    ]


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, "code-server has ended: see code-server.log"
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"code-server did not answer within {START_SECONDS} s")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
