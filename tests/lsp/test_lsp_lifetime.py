"""However the client goes, the server and all its children are gone within two seconds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from support.lsp_editor import SCRIPTED_SERVER
from support.raw_client import RawClient
from support.waiting import eventually

GONE_SECONDS = 10.0
# Started as they are, each for itself: how they end is the subject.
COMMAND = (sys.executable, SCRIPTED_SERVER)
SLOW = 'def slow(n):\n    """[slow]"""\n'
# A server with a child that ignores every polite request, and a thread that never ends.
STUBBORN = f"""
import signal, subprocess, sys, threading, time, os
sys.path[:0] = [{str(Path(SCRIPTED_SERVER).parents[1])!r}]
from support.scripted_engine import ScriptedEngine, journal
from assay_lsp.serving import serve

class Stubborn(ScriptedEngine):
    async def check(self, source, **how):
        child = subprocess.Popen([sys.executable, "-c",
            "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"])
        threading.Thread(target=lambda: time.sleep(600)).start()
        journal(f"child {{child.pid}}")
        time.sleep(600)
        yield

serve(os.environ, open_engine=Stubborn)
"""


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def client(tmp_path: Path, journal: Path) -> Iterator[RawClient]:
    environment = {"ASSAY_TEST_JOURNAL": str(journal)}
    with RawClient(COMMAND, environment) as client:
        client.initialize(tmp_path)
        yield client


def busy(client: RawClient, folder: Path, journal: Path, word: str) -> str:
    """Have the server check something that does not end; the journal's line about it."""
    uri = (folder / "m.py").as_uri()
    client.open(uri, SLOW)
    client.save(uri)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        lines = journal.read_text().splitlines() if journal.exists() else []
        found = [line for line in lines if line.startswith(word)]
        if found:
            return found[0]
        time.sleep(0.01)
    raise AssertionError("the check did not start")


def assert_gone(client: RawClient, *, within: float = GONE_SECONDS) -> int:
    started = time.monotonic()
    try:
        status = client.exit_status(within)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"still there after {within} s") from late
    assert time.monotonic() - started <= within
    return status


def test_shutdown_and_exit_is_status_zero(client: RawClient) -> None:
    client.request("shutdown")
    client.notify("exit")
    assert assert_gone(client) == 0


def test_exit_without_shutdown_is_status_one(client: RawClient) -> None:
    client.notify("exit")
    assert assert_gone(client) == 1


def test_exit_right_behind_shutdown_does_not_overtake_it(
    client: RawClient, tmp_path: Path, journal: Path
) -> None:
    busy(client, tmp_path, journal, "check slow")
    messages = ({"id": "last", "method": "shutdown"}, {"method": "exit"})
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages]
    client.write(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in bodies))
    assert assert_gone(client) == 0
    eventually(lambda: {"jsonrpc": "2.0", "id": "last", "result": None} in client.received)


def test_the_end_of_the_stream_ends_a_busy_server_and_its_engine(
    client: RawClient, tmp_path: Path, journal: Path
) -> None:
    busy(client, tmp_path, journal, "check slow")
    client.process.stdin.close()
    assert assert_gone(client) == 0
    assert journal.read_text().splitlines()[-2:] == ["cancelled slow", "close"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_end_the_server_in_order(
    client: RawClient, tmp_path: Path, journal: Path, number: signal.Signals
) -> None:
    busy(client, tmp_path, journal, "check slow")
    client.process.send_signal(number)
    assert assert_gone(client) == 128 + number
    assert "close" in journal.read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_end_a_server_whose_client_does_not_read(number: signal.Signals) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "nothing", "params": {}}'
    message = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(COMMAND, **streams) as server:
        server.stdin.write(message)
        server.stdin.flush()
        # It is there, and hears signals.
        assert server.stdout.read(1)
        os.set_blocking(server.stdin.fileno(), False)
        last = time.monotonic()
        # Until it takes nothing more, since it has nowhere to put its answers.
        while time.monotonic() - last < 1.0:
            try:
                os.write(server.stdin.fileno(), message)
                last = time.monotonic()
            except BlockingIOError:
                time.sleep(0.01)
        server.send_signal(number)
        assert server.wait(GONE_SECONDS) == 128 + number


def test_a_pipe_is_no_log(tmp_path: Path) -> None:
    pipe = tmp_path / "log"
    os.mkfifo(pipe)
    with RawClient(COMMAND) as client:
        client.initialize(tmp_path, initializationOptions={"logFile": str(pipe)})
        assert "logFile is a pipe" in client.notification("window/showMessage")["message"]


def test_stuck_children_and_threads_do_not_keep_it(tmp_path: Path, journal: Path) -> None:
    environment = {"ASSAY_TEST_JOURNAL": str(journal)}
    with RawClient([sys.executable, "-c", STUBBORN], environment) as client:
        client.initialize(tmp_path)
        child = int(busy(client, tmp_path, journal, "child").split()[1])
        assert psutil.pid_exists(child)
        client.process.stdin.close()
        assert_gone(client)
        assert not psutil.pid_exists(child)


def test_the_death_of_the_parent_ends_the_server_although_the_wire_stays_open(
    tmp_path: Path,
) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with RawClient(COMMAND) as client:
        client.initialize(tmp_path, processId=parent.pid)
        command = {"command": "assay.server.status"}
        assert "result" in client.request("workspace/executeCommand", command)
        parent.kill()
        parent.wait()
        assert_gone(client)


def test_a_client_that_closes_its_ear_is_gone(tmp_path: Path) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "nothing", "params": {}}'
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(COMMAND, **streams) as server:
        server.stdout.close()
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        server.stdin.flush()
        assert server.wait(30) == 0
        assert b"Traceback" not in server.stderr.read()


def test_neither_prints_nor_children_reach_the_wire(tmp_path: Path) -> None:
    program = STUBBORN[: STUBBORN.index("class")] + (
        "class Loud(ScriptedEngine):\n"
        "    def recall(self, source):\n"
        "        print('stray print')\n"
        "        os.system('echo stray child; cat')\n"
        "        return ()\n"
        "serve(os.environ, open_engine=Loud)\n"
    )
    with RawClient([sys.executable, "-c", program], {"PYTHONUNBUFFERED": "1"}) as client:
        client.initialize(tmp_path)
        client.open((tmp_path / "m.py").as_uri(), SLOW)
        command = {"command": "assay.server.status"}
        assert "result" in client.request("workspace/executeCommand", command)
        deadline = time.monotonic() + 20
        while b"stray child" not in client.errors and time.monotonic() < deadline:
            time.sleep(0.01)
        assert b"stray print" in client.errors
        assert b"stray child" in client.errors


def test_no_key_gets_into_the_log_or_onto_the_wire(tmp_path: Path) -> None:
    key = "sk-not-for-your-eyes-0123456789"
    program = STUBBORN[: STUBBORN.index("class")] + (
        "class Careless(ScriptedEngine):\n"
        "    def recall(self, source):\n"
        "        raise RuntimeError(os.environ['ASSAY_API_KEY'])\n"
        "serve(os.environ, open_engine=Careless)\n"
    )
    with RawClient([sys.executable, "-c", program], {"ASSAY_API_KEY": key}) as client:
        client.initialize(tmp_path, initializationOptions={"logLevel": "debug"})
        client.open((tmp_path / "m.py").as_uri(), SLOW)
        deadline = time.monotonic() + 20
        while b"[redacted]" not in client.errors and time.monotonic() < deadline:
            time.sleep(0.01)
        assert b"[redacted]" in client.errors
        assert key.encode() not in client.errors
        assert key not in str(client.received)


def test_the_command_line_starts_the_same_server(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "assay_engine",
        "server",
        "--stdio",
        f"--clientProcessId={os.getpid()}",
    ]
    with RawClient(command) as client:
        answer = client.initialize(tmp_path)
        assert answer["result"]["serverInfo"]["name"] == "assay"
        client.request("shutdown")
        client.notify("exit")
        assert assert_gone(client) == 0
