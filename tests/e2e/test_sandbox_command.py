"""`assay sandbox`: a program run on inputs by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = """\
def f(x=1, y=0):
    if x == "open":
        return open("/etc/passwd").read()
    return [x, y]
"""


def sandbox(folder: Path, inputs: object, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    text = inputs if isinstance(inputs, str) else json.dumps(inputs)
    (folder / "inputs.json").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "assay_engine", "sandbox", "program.py"]
    return subprocess.run(
        [*command, "--entry", "f", "--inputs", "inputs.json", *options],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def lines(run: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_each_call_gives_a_line(tmp_path: Path) -> None:
    run = sandbox(tmp_path, [[2], [{"tuple": [1, 2]}], {"kwargs": {"y": 5}}, []])
    assert run.returncode == 0, run.stderr
    assert [line["value"] for line in lines(run)] == [
        [2, 0],
        [{"tuple": [1, 2]}, 0],
        [1, 5],
        [1, 0],
    ]


def test_what_is_forbidden_is_named(tmp_path: Path) -> None:
    (line,) = lines(sandbox(tmp_path, [["open"]]))
    assert line["outcome"] == "Refused"
    assert "open" in line["what"]


def test_inputs_that_cannot_be_read(tmp_path: Path) -> None:
    for inputs in ("[1", '{"a": 1}', "[3]", '[{"args": 3}]', '[[{"tuple": 3}]]'):
        run = sandbox(tmp_path, inputs)
        assert run.returncode == 2
        assert run.stderr.startswith("assay: inputs.json")


def test_a_tier_that_does_not_exist(tmp_path: Path) -> None:
    run = sandbox(tmp_path, [[1]], "--tier", "nonsense")
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
