"""A model that is asked by a command, as somebody has it who has a coding agent and no key."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.check_workspace import KEY, MODULE, RIGHT_MODULE, answering, workspace
from support.forking import forked
from support.openai_server import OpenAIServer
from support.raw_client import RawClient

STAND_IN = Path(__file__).resolve().parents[1] / "support" / "stand_in_command.py"
# What would bill a key, and what an agent leaves behind that starts Assay.
VARIABLES = {
    "ANTHROPIC_API_KEY": KEY,
    "OPENAI_API_KEY": KEY,
    "ANTHROPIC_AUTH_TOKEN": KEY,
    "CLAUDE_CODE_USE_BEDROCK": "1",
    "CLAUDECODE": "1",
}


class Home:
    """Somebody whose settings name a command, and a project of theirs."""

    def __init__(self, folder: Path, behaviour: str, *, module: str = MODULE) -> None:
        self.folder = folder
        self.log = folder / "started.jsonl"
        self.programs = folder / "programs"
        self.programs.mkdir()
        self.words = [sys.executable, str(STAND_IN), str(self.log), behaviour]
        self.project = folder / "project"
        self.project.mkdir()
        self.module = self.project / "limits.py"
        self.module.write_text(module, encoding="utf-8")
        self.settings = folder / "settings.toml"
        self.settle(self.words)

    def settle(self, command: str | Sequence[str], more: str = "", seconds: float = 30) -> None:
        self.settings.write_text(
            f"[endpoint]\ncommand = {json.dumps(command)}\n{more}\n"
            f"[sampling]\nrequest_seconds = {seconds}\ndraw_seconds = 40\n",
            encoding="utf-8",
        )

    def install(self, name: str) -> None:
        """Put the stand-in on the `PATH`, by the name of a command that Assay knows."""
        program = self.programs / name
        words = " ".join(f"'{word}'" for word in self.words)
        program.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
        program.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join([".", str(self.programs), "/usr/bin", "/bin"]),
            "HOME": str(self.folder),
            "ASSAY_SETTINGS": str(self.settings),
            "ASSAY_STORE": str(self.folder / "store" / "assay.db"),
            **VARIABLES,
        }

    def assay(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*forked("-m", "assay_engine"), *arguments],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    @property
    def started(self) -> list[dict[str, Any]]:
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    def running(self) -> list[int]:
        """What still runs of all that was started, once there was time for it to end."""
        processes = [each for start in self.started for each in start["processes"]]
        until = time.monotonic() + 20
        while (found := list(filter(_runs, processes))) and time.monotonic() < until:
            time.sleep(0.05)
        return found


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_command_in_the_users_settings_gives_a_verdict(tmp_path: Path) -> None:
    home = Home(tmp_path, "answers late")
    ran = home.assay("check", "limits.py", "--verbose")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "clamp: suspect" in ran.stdout
    asked = [each for each in home.started if each["prompt"]]
    # Nobody pays for tokens: what it costs is requests.
    assert f"{len(asked)} requests now" in ran.stdout + ran.stderr
    assert "tokens" not in ran.stdout + ran.stderr
    # Eight requests may be under way, but no more than four processes.
    assert max(start["beside"] for start in asked) <= 4
    for start in asked:
        assert "def clamp" in start["prompt"]
        assert not any("clamp" in word for word in start["arguments"])
        assert not start["files"]
        assert not start["has_terminal"]
        assert not Path(start["folder"]).exists()
        assert not VARIABLES.keys() & start["variables"].keys()
        assert not [name for name in start["variables"] if name.startswith("ASSAY_")]
    assert not home.running()
    again = home.assay("check", "limits.py")
    assert again.returncode == 1
    assert len(home.started) == len(asked)


def test_what_is_known_by_its_name_is_started_without_tools(tmp_path: Path) -> None:
    home = Home(tmp_path, "answers as Claude Code", module=RIGHT_MODULE)
    # A program in the project is none that is on the `PATH`.
    (home.project / "claude").write_text("#!/bin/sh\nexit 9\n")
    (home.project / "claude").chmod(0o755)
    home.install("claude")
    home.settle("claude", 'model = "haiku"')
    ran = home.assay("check", "limits.py", "--format", "json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (report,) = json.loads(ran.stdout)["reports"]
    assert report["model"] == "claude/haiku"
    looked, *asked = home.started
    assert looked["is_status"]
    for start in asked:
        words = start["arguments"]
        assert words[words.index("--tools") + 1] == ""
        assert words[words.index("--model") + 1] == "haiku"
        assert {"-p", "--strict-mcp-config", "--no-session-persistence"} < set(words)
        assert start["variables"]["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"


# What the command does, and what is said of it.
FAULTS = {
    "never answers": "did not answer within 1 s; try again, raise request_seconds, or run `",
    "ignores its signals": "did not answer within 1 s",
    "prints nothing": "printed nothing; run `",
    "prints 5 MB": "printed more than 1,000,000 bytes, which were dropped",
    "fails with escape sequences": 'failed with exit status 3: "\\x1b]0;owned\\x07\\x1b[31mno',
    "reports an error as Claude Code": 'reports an error: "You\'ve hit[1m your limit"',
    "is signed out": "Nobody is signed in to Claude Code; run `claude auth login`.",
    "is not installed": "The command claude is not installed; install it, or run `assay setup`.",
    "is unknown": "The command 'cursor' is not one that Assay knows to be harmless: name claude, ",
}


@pytest.mark.parametrize("behaviour", FAULTS)
def test_each_fault_has_its_message_and_leaves_nothing_running(
    tmp_path: Path, behaviour: str
) -> None:
    home = Home(tmp_path, behaviour)
    if "Claude" in behaviour or behaviour.startswith("is "):
        if behaviour != "is not installed":
            home.install("claude")
        home.settle("cursor" if behaviour == "is unknown" else "claude")
    elif "1 s" in FAULTS[behaviour]:
        home.settle(home.words, seconds=1)
    ran = home.assay("check", "limits.py")
    said = ran.stdout + ran.stderr
    assert ran.returncode == 2, said
    assert FAULTS[behaviour] in said
    assert "\x1b" not in said
    assert not home.running()


def test_what_a_command_has_started_ends_with_it(tmp_path: Path) -> None:
    home = Home(tmp_path, "forks")
    ran = home.assay("check", "limits.py")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert all(len(start["processes"]) == 3 for start in home.started)
    assert not home.running()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_it_ends_however_assay_ends(tmp_path: Path, number: signal.Signals) -> None:
    home = Home(tmp_path, "ignores its signals")
    with subprocess.Popen(
        [sys.executable, "-m", "assay_engine", "check", "limits.py"],
        cwd=home.project,
        env=home.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        until = time.monotonic() + 60
        while not home.started and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(number)
        process.wait(30)
    # Those that had only begun may have come to their log since.
    assert home.started
    assert not home.running()


def test_a_project_names_no_command(tmp_path: Path) -> None:
    home = Home(tmp_path, "answers late")
    table = f"[tool.assay.endpoint]\ncommand = {json.dumps(home.words)}\n"
    (home.project / "pyproject.toml").write_text(table, encoding="utf-8")
    home.settings.write_text("", encoding="utf-8")
    ran = home.assay("check", "limits.py")
    assert ran.returncode == 2
    assert "has no setting 'endpoint'" in ran.stderr
    assert not home.started


def test_a_workspace_that_is_not_trusted_starts_none(tmp_path: Path) -> None:
    home = Home(tmp_path, "answers")
    uri = home.module.as_uri()
    command = {"command": "assay.server.checkFile", "arguments": [uri]}
    for trusted in (False, True):
        with RawClient(
            forked("-m", "assay_engine", "server", "--stdio"), home.environment
        ) as client:
            client.initialize(home.project, initializationOptions={"trusted": trusted})
            client.open(uri, MODULE)
            client.request("workspace/executeCommand", command)
            if not trusted:
                assert "not trusted" in client.notification("window/showMessage")["message"]
            until = time.monotonic() + 30
            while trusted and not home.started and time.monotonic() < until:
                time.sleep(0.05)
            client.request("shutdown")
        assert bool(home.started) == trusted
    assert not home.running()


def test_a_limit_counts_requests(tmp_path: Path) -> None:
    home = Home(tmp_path, "answers", module=RIGHT_MODULE)
    with home.settings.open("a", encoding="utf-8") as file:
        file.write("[budget]\nrequests_per_day = 3\ntokens_per_check = 0\n")
    ran = home.assay("check", "limits.py")
    assert len(home.started) == 3
    assert "The budget of today is 3 requests, 3 are spent or reserved" in ran.stdout + ran.stderr


def test_a_panel_mixes_commands_and_endpoints(tmp_path: Path) -> None:
    home = Home(tmp_path, "answers")
    with OpenAIServer(answering()) as server:
        made = workspace(tmp_path / "other" if (tmp_path / "other").mkdir() else tmp_path, server)
        home.settle(
            home.words,
            'model = "stand-in"\n'
            f'[[endpoint.also]]\nbase_url = "{made.base_url}"\nmodel = "test-model"',
        )
        ran = home.assay("check", "limits.py", "--format", "json")
        assert server.requests
    (report,) = json.loads(ran.stdout)["reports"]
    assert report["model"] == "stand-in + test-model"
    assert home.started
    (theirs,) = [each for each in report["classes"] if not each["has_original"]]
    assert set(theirs["models"]) == {"stand-in", "test-model"}


def test_doctor_and_setup_begin_with_what_is_installed(tmp_path: Path) -> None:
    home = Home(tmp_path, "answers as Claude Code")
    home.install("claude")
    home.settings.write_text("", encoding="utf-8")
    doctor = home.assay("doctor")
    assert "found: Claude Code, signed in: assay setup --command claude" in doctor.stdout
    listed = json.loads(home.assay("setup", "--choices", "--json").stdout)
    (found,) = listed["commands"]
    assert (found["name"], found["signed_in"]) == ("claude", True)
    ran = home.assay("setup", "--command", "claude")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "answered in" in ran.stdout
    assert 'command = "claude"' in home.settings.read_text("utf-8")
    assert home.assay("check", "limits.py").returncode == 1
    doctor = home.assay("doctor", "--probe")
    assert "endpoint     claude (a command; code goes wherever it sends it)" in doctor.stdout
    assert " of 1,000 requests made today" in doctor.stdout
    assert "tokens" not in doctor.stdout
