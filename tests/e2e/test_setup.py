"""`assay setup` as an editor or a script drives it, and as somebody at a terminal does.

Whichever way a key is given, it goes into one header of requests and nowhere else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.check_workspace import MODULE, PROJECT
from support.forking import forked
from support.openai_server import Behaviour, OpenAIServer, Request, answer, status
from support.played_endpoints import Played, good, playing
from support.raw_client import RawClient

KEY = "sk-marked-Key+0123456789/abcdef"
MODELS = {
    "object": "list",
    "data": [
        {
            "id": "test-model",
            "context_length": 131072,
            "pricing": {"prompt": "0.000002", "completion": "0.00001"},
        },
        {"id": "other"},
    ],
}
TESTS = Path(__file__).resolve().parents[1]


def provider(played: Played, request: Request) -> Behaviour:
    """An endpoint that wants its key, and lists its models."""
    if request.headers.get("authorization") != f"Bearer {KEY}":
        return status(401, "Incorrect API key provided")
    if request.method == "GET":
        return answer(MODELS) if request.path == "/v1/models" else status(404)
    return good(played, request)


class Home:
    """The home of somebody who has set up nothing yet, and a project of theirs.

    A key ring of files takes an interpreter that is told of it as it starts.
    """

    def __init__(self, folder: Path, *, has_ring: bool = False) -> None:
        self.folder = folder
        self._has_ring = has_ring
        self.project = folder / "project"
        self.project.mkdir()
        (self.project / "limits.py").write_text(MODULE, encoding="utf-8")
        (self.project / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
        # Where keys are kept; the user's own business.
        self.kept = folder / "kept"
        self.kept.mkdir()
        (self.kept / "key").write_text(f"{KEY}\n", encoding="utf-8")
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ASSAY_STORE": str(folder / "store" / "assay.db"),
            # This is not the home that the system knows.
            "ASSAY_SETTINGS": str(self.settings),
        }
        if has_ring:
            self.environment |= self._ring()

    def _ring(self) -> dict[str, str]:
        return {
            "PYTHONPATH": str(TESTS),
            "PYTHON_KEYRING_BACKEND": "support.file_keyring.FileKeyring",
            "FILE_KEYRING": str(self.kept / "ring.json"),
        }

    @property
    def settings(self) -> Path:
        return self.folder / ".config" / "assay" / "settings.toml"

    def command(self, *arguments: str) -> tuple[str, ...]:
        command = ("-m", "assay_engine", *arguments)
        return (sys.executable, *command) if self._has_ring else forked(*command)

    def assay(self, *arguments: str, typed: str = "", **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.project,
            env=self.environment | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def said(self, *arguments: str, typed: str = "", **variables: str) -> tuple[int, str, str]:
        with self.assay(*arguments, **variables) as process:
            out, err = process.communicate(typed, timeout=90)
        return process.returncode, out, err

    def written(self) -> Iterator[tuple[Path, bytes]]:
        for path in self.folder.rglob("*"):
            if path.is_file() and self.kept not in path.parents:
                yield path, path.read_bytes()


@contextmanager
def watching_command_lines() -> Iterator[list[str]]:
    """The command lines of all processes, as anybody on the machine can read them."""
    seen: list[str] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    line = path.read_bytes()
                except OSError:
                    continue
                if KEY.encode() in line:
                    seen.append(line.decode())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


def options_for(way: str, home: Home) -> tuple[list[str], str, Mapping[str, str]]:
    """The arguments for a way to give the key, what is typed, and the variables that are set."""
    match way:
        case "keyring":
            return ["--key-from", "keyring"], f"{KEY}\n", {}
        case "command":
            return ["--key-command", f"cat '{home.kept / 'key'}'"], "", {}
        case _:
            return ["--key-variable", "MY_KEY"], "", {"MY_KEY": KEY}


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("way", ["keyring", "command", "variable"])
def test_a_key_is_used_and_found_nowhere(tmp_path: Path, way: str) -> None:
    home = Home(tmp_path, has_ring=way == "keyring")
    arguments, typed, variables = options_for(way, home)
    told: list[str] = []
    with playing(provider) as server, watching_command_lines() as command_lines:
        code, out, err = home.said(
            *("setup", "--base-url", server.base_url, "--model", "test-model", "--json"),
            *arguments,
            typed=typed,
            **variables,
        )
        told += [out, err]
        outcome = json.loads(out)
        assert (code, outcome["written"], outcome["problem"] if code else None) == (0, True, None)
        assert (outcome["key_from"], outcome["test"]["context"]) == (way, 131072)
        for command in (
            ("check", "limits.py", "--record", "replies.jsonl", "--verbose"),
            ("check", "limits.py", "--format", "json"),
            ("doctor", "--probe"),
        ):
            code, out, err = home.said(*command, **variables)
            told += [out, err]
            assert code == (0 if command[0] == "doctor" else 1), out + err
        told.append(in_an_editor(home, variables))
        assert len(server.requests) > 12
        asked = [each for each in server.requests if each.method == "POST"]
        assert {each.headers["authorization"] for each in asked} == {f"Bearer {KEY}"}
    written = dict(home.written())
    assert {"settings.toml", "assay.db", "replies.jsonl", "server.log"} <= {
        path.name for path in written
    }
    assert not command_lines
    assert not [text for text in told if KEY in text]
    assert not [path for path, data in written.items() if KEY.encode() in data]


def in_an_editor(home: Home, variables: Mapping[str, str]) -> str:
    """All that the protocol carried, and what the server wrote to standard error."""
    command = home.command("server", "--stdio")
    options = {"logLevel": "debug", "logFile": str(home.folder / "server.log")}
    uri = (home.project / "limits.py").as_uri()
    with RawClient(command, home.environment | dict(variables)) as client:
        client.initialize(home.project, initializationOptions=options)
        client.open(uri, MODULE + "\n")
        (home.project / "limits.py").write_text(MODULE + "\n", encoding="utf-8")
        client.save(uri)
        client.wait_for(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"]["diagnostics"]
            )
        )
        return json.dumps(client.received) + bytes(client.errors).decode()


def test_the_settings_hold_the_rest_and_variables_go_first(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.settings.parent.mkdir(parents=True)
    home.settings.write_text("# mine\njudge = 'off'\n\n[sampling]\ncandidates = 8 # few\n")
    with playing(provider) as server, OpenAIServer([status(500)]) as other:
        code, out, _ = home.said(
            *("setup", "--base-url", server.base_url, "--model", "test-model"),
            *("--key-variable", "MY_KEY", "--header", "X-Title=mine"),
            *("--extra-body", '{"seed": 7}'),
            MY_KEY=KEY,
        )
        assert code == 0, out
        assert "context: 131,072 tokens" in out
        home.said("check", "limits.py", MY_KEY=KEY)
        sent = [each for each in server.requests if each.method == "POST"][1:]
        assert len(sent) >= 10
        assert {each.headers["x-title"] for each in sent} == {"mine"}
        assert {each.body["seed"] for each in sent} == {7}
        asked = len(server.requests)
        _, out, _ = home.said(
            *("check", "limits.py", "--again"),
            MY_KEY=KEY,
            ASSAY_BASE_URL=other.base_url,
            ASSAY_MODEL="m",
        )
        assert len(server.requests) == asked
        # What belongs to one address goes to no other.
        assert not [each for each in other.requests if "x-title" in each.headers]
        assert not [each for each in other.requests if KEY in str(each.headers)]
    text = home.settings.read_text()
    assert text.startswith("# mine\njudge = 'off'\n\n[sampling]\ncandidates = 8 # few\n")
    assert home.settings.stat().st_mode & 0o077 == 0


def test_a_project_cannot_name_an_endpoint(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.settings.parent.mkdir(parents=True)
    home.settings.touch()
    with OpenAIServer([status(500)]) as server:
        table = f'[tool.assay.endpoint]\nbase_url = "{server.base_url}"\nmodel = "m"\n'
        (home.project / "pyproject.toml").write_text(table, encoding="utf-8")
        code, _, err = home.said("check", "limits.py")
        assert not server.requests
    assert code == 2
    assert "has no setting 'endpoint'" in err


UNUSABLE: dict[str, tuple[list[str], str]] = {
    "no model": (["--key-from", "none"], "Give --model"),
    "no key": (["--key-from", "none", "--model", "m"], "asks for an API key and none is set"),
    "nothing typed": (["--key-from", "keyring", "--model", "m"], "Write the key to standard input"),
    "no variable": (["--key-variable", "NO_KEY", "--model", "m"], "NO_KEY is not set"),
    "no command": (["--key-command", "no-such-command", "--model", "m"], "cannot be started"),
    "a command that fails": (["--key-command", "false", "--model", "m"], "ended with 1"),
    "a header": (["--header", "X", "--key-from", "none"], "NAME=VALUE"),
    "a body": (["--extra-body", "[", "--key-from", "none"], "--extra-body is not a JSON object"),
}


@pytest.mark.parametrize(("arguments", "said"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_cannot_be_used_is_said_and_not_written(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    home = Home(tmp_path, has_ring="keyring" in arguments)
    with playing(provider) as server:
        code, out, _ = home.said("setup", "--base-url", server.base_url, "--json", *arguments)
    outcome: dict[str, Any] = json.loads(out)
    assert (code, outcome["written"]) == (2, False)
    assert said in outcome["problem"]
    assert not home.settings.exists()


def test_what_could_be_chosen_is_listed_for_an_editor(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with playing(provider) as server:
        address = ("--base-url", server.base_url, "--key-variable", "MY_KEY")
        code, out, _ = home.said("setup", "--choices", "--json", *address, MY_KEY=KEY)
    found = json.loads(out)
    assert code == 0
    assert found["models"] == ["test-model", "other"]
    assert found["providers"][0]["name"] == "OpenAI"


def test_an_editor_tries_an_endpoint_and_keeps_it_itself(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with playing(provider) as played:
        command = ["setup", "--json", "--no-write", "--base-url", played.base_url]
        command += ["--model", "test-model", "--key-from", "variable", "--key-variable", "GIVEN"]
        code, out, _ = home.said(*command, GIVEN=KEY)
        assert code == 0
        outcome = json.loads(out)
        assert not outcome["written"]
        assert outcome["test"]["problem"] is None
        code, out, _ = home.said(*command, GIVEN="sk-wrong")
        assert code == 2
        assert "key" in json.loads(out)["problem"]
    assert not home.settings.exists()


def test_it_says_if_what_it_has_written_is_not_used(tmp_path: Path) -> None:
    home = Home(tmp_path)
    # A folder that the system does not know for this user's home may have come with a project.
    del home.environment["ASSAY_SETTINGS"]
    words = ("--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--key-from", "none")
    where = tmp_path / ".config" / "assay" / "settings.toml"
    _, out, _ = home.said("setup", *words, "--no-test", "--json")
    assert json.loads(out)["settings"] == str(where)
    assert f"{where} is not used" in json.loads(out)["note"]
    _, _, err = home.said("setup", *words, "--no-test")
    assert "To use it, name it in ASSAY_SETTINGS." in err
    _, out, _ = home.said("setup", *words, "--no-test", "--json", ASSAY_SETTINGS=str(where))
    assert "note" not in json.loads(out)


def test_somebody_at_a_terminal_is_asked_one_thing_after_the_other(tmp_path: Path) -> None:
    import pty

    home = Home(tmp_path, has_ring=True)
    with playing(provider) as server:
        near, far = pty.openpty()
        with subprocess.Popen(
            home.command("setup"),
            cwd=home.project,
            env=home.environment,
            stdin=far,
            stdout=far,
            stderr=far,
        ) as process:
            os.close(far)
            said = read_until(near, b"Which model server")
            number = next(line.split()[0] for line in said.splitlines() if b"another" in line)
            os.write(near, number + b"\n")
            read_until(near, b"Its address")
            os.write(near, server.base_url.encode() + b"\n")
            said = read_until(near, b"Where is its key")
            number = next(line.split()[0] for line in said.splitlines() if b"key ring" in line)
            os.write(near, number + b"\n")
            read_until(near, b"The key")
            os.write(near, KEY.encode() + b"\n")
            read_until(near, b"The model's name or number")
            os.write(near, b"1\n")
            said = read_until(near, b"is written into")
            process.wait(30)
        os.close(near)
    assert KEY.encode() not in said
    assert process.returncode == 0
    assert 'model = "test-model"' in home.settings.read_text()


def read_until(descriptor: int, wanted: bytes) -> bytes:
    said = b""
    while wanted not in said:
        said += os.read(descriptor, 4096)
    return said
