"""Tells stories in VS Code: its server with a fresh profile, our .vsix, and a browser before it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    left_behind,
)

HERE = Path(__file__).parent / "vscode"
CODE_SERVER = EDITORS / "code-server" / "run"
EXTENSION = REPOSITORY / "vscode-client" / "assay.vsix"
START_SECONDS = 60
STOP_SECONDS = 15


# No index answers here, and nothing that this machine has beside an index counts.
OFFLINE = {
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
    "PIP_FIND_LINKS": "",
    "PIP_EXTRA_INDEX_URL": "",
}


def recorded(assay: str, **more: str) -> dict[str, Any]:
    """Settings with which `assay` is started, and replies come from the recorded ones."""
    settings = {"path": [assay], "replay": os.fspath(TRANSCRIPT)} | more
    return {f"assay.{name}": value for name, value in settings.items()}


def storage(folder: Path) -> Path:
    """Where VS Code keeps what our extension stores, for a project in `folder`."""
    return folder.parent / "data" / "User" / "globalStorage" / "assay.assay"


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def with_path(folder: Path, path: str) -> dict[str, str]:
    """Variables with this PATH. VS Code asks a login shell for its own, which has no say here."""
    script = '#!/bin/sh\nfor last; do :; done\nexec /bin/sh -c "$last"\n'
    return {"PATH": path, "SHELL": str(program(folder.parent / "shell", script))}


def tell(
    name: str,
    folder: Path,
    *,
    settings: Mapping[str, Any] | None = None,
    user: Mapping[str, Any] | None = None,
    trust_asked: bool = False,
    extension: Path | None = None,
    variables: Mapping[str, str] | None = None,
    under: Sequence[str] = (),
    shown_as: str | None = None,
    more: Mapping[str, Any] | None = None,
) -> Told:
    """Tell the story `name`.mjs in `folder`.

    `settings` are the machine's and `user` the user's, `extension` is the folder of one beside
    ours, `variables` replace those of VS Code's environment, `under` is a command that runs
    another, `shown_as` names the folder for pictures, and `more` is what this story needs to know
    besides.
    """
    browser = shutil.which("chromium")
    assert browser, "chromium is not on the PATH: make test-editors installs it"
    out = OUT / "vscode" / (shown_as or name)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    file = Path(shutil.copy(EXAMPLES / MODULE, folder))
    # The user's settings may arrive only after the extension has started; the machine's do not.
    data = folder.parent / "data"
    _write_settings(data / "Machine", settings or {})
    common = json.loads((HERE / "settings.json").read_text(encoding="utf-8"))
    common["security.workspace.trust.enabled"] = trust_asked
    _write_settings(data / "User", common | dict(user or {}))
    if extension is not None:
        shutil.copytree(extension, folder.parent / "extensions" / extension.name)
    with _code_server(folder.parent, out, variables or {}, under) as url:
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
            ["node", HERE / f"{name}.mjs", json.dumps(story | dict(more or {}))],
            stdin=subprocess.DEVNULL,
            timeout=STORY_SECONDS,
            check=True,
        )
    for log in (data / "logs").glob("**/*Assay.log"):
        shutil.copy(log, out / "assay.log")
    seen = json.loads((out / "seen.json").read_text(encoding="utf-8"))
    assert "failed" not in seen, f"{seen['failed']}\n(see {out})"
    # Servers work in the extension's own folder, which lies beside the project's.
    return Told(seen, file, left_behind(folder.parent))


def _write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


@contextmanager
def _code_server(
    home: Path, out: Path, more: Mapping[str, str], under: Sequence[str]
) -> Iterator[str]:
    port = _free_port()
    config = home / "code-server.yaml"
    config.write_text(f"bind-addr: 127.0.0.1:{port}\nauth: none\n", encoding="utf-8")
    options = [
        f"--config={config}",
        f"--user-data-dir={home / 'data'}",
        f"--extensions-dir={home / 'extensions'}",
    ]
    # Without a gallery nothing is looked up outside this machine.
    variables = environment(home) | {"EXTENSIONS_GALLERY": "{}"}
    subprocess.run(
        [CODE_SERVER, *options, "--install-extension", EXTENSION],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=START_SECONDS,
        check=True,
    )
    quiet = ["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"]
    with (out / "code-server.log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            [*under, CODE_SERVER, *options, *quiet],
            env=variables | dict(more),
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
