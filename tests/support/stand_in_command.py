"""Stands in for a command that asks a model: reads standard input, and behaves as it is told.

    python stand_in_command.py LOG BEHAVIOUR [ARGUMENT...]

It writes down how it was started, one JSON object for each time, and answers as a good model does
for a check of the module in `check_workspace.py`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.check_workspace import INPUTS, RIGHT
from support.clamp_judge import preference
from support.judging_reader import read

FOR_EVER = 1000


def answer_to(prompt: str) -> str:
    if "Two functions" in prompt:
        return preference(read(prompt)[1])
    return f"```python\n{INPUTS if 'Choose inputs' in prompt else RIGHT}```"


def main(log: str, behaviour: str, *arguments: str) -> int:
    # A process that waits in a group and a session of its own.
    lingering = [sys.executable, "-c", f"import time; time.sleep({FOR_EVER})"]
    left = []
    if behaviour == "forks":
        left = [subprocess.Popen(lingering), subprocess.Popen(lingering, start_new_session=True)]
    if behaviour == "ignores its signals":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    running = Path(f"{log}.running")
    running.mkdir(exist_ok=True)
    here = running / str(os.getpid())
    here.touch()
    is_status = arguments[:2] == ("auth", "status")
    started = {
        "arguments": arguments,
        "is_status": is_status,
        "folder": str(Path.cwd()),
        "files": os.listdir(),
        "variables": dict(os.environ),
        "has_terminal": os.path.exists("/dev/tty") and _opens("/dev/tty"),
        "beside": len(list(running.iterdir())),
        "processes": [os.getpid(), *(each.pid for each in left)],
        # Only the end of its input ends this.
        "prompt": sys.stdin.read(),
    }
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps(started) + "\n")
    text = answer_to(started["prompt"])
    match behaviour:
        case "never answers" | "ignores its signals":
            time.sleep(FOR_EVER)
        case "answers late":
            time.sleep(0.3)
            sys.stdout.write(text)
            here.unlink()
        case "prints nothing":
            pass
        case "prints 5 MB":
            sys.stdout.write("x" * 5_000_000)
        case "fails with escape sequences":
            sys.stderr.write("\x1b]0;owned\x07\x1b[31mno quota\x1b[0m " + "e" * 5_000_000)
            return 3
        case "answers as Claude Code":
            sys.stdout.write(json.dumps({"is_error": False, "result": text}))
        case "reports an error as Claude Code":
            said = {
                "is_error": True,
                "result": "You've hit\x1b[1m your limit",
                "api_error_status": 429,
            }
            sys.stdout.write(json.dumps(said))
        case "is signed out":
            return 1
        case _:
            sys.stdout.write(text)
    return 0


def _opens(path: str) -> bool:
    try:
        with open(path, "rb"):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
