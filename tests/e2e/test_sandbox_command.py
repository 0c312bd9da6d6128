"""`assay sandbox`: a program run on inputs by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.forking import forked

PROGRAM = """\
def f(x=1, y=0):
    if x == "open":
        return open("/etc/passwd").read()
    return [x, y]
"""


def sandbox(
    folder: Path, inputs: object, *options: str, text: str = PROGRAM
) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(text, encoding="utf-8")
    calls = inputs if isinstance(inputs, str) else json.dumps(inputs)
    (folder / "inputs.json").write_text(calls, encoding="utf-8")
    command = forked("-m", "assay_engine", "sandbox", "program.py")
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


def test_a_byte_order_mark_is_no_part_of_a_program(tmp_path: Path) -> None:
    run = sandbox(tmp_path, [[2]], text="\ufeffdef f(x):\n    return x\n")
    assert [line.get("value") for line in lines(run)] == [2], run.stderr


def test_each_line_says_how_long_its_call_took(tmp_path: Path) -> None:
    text = "import time\n\ndef f(seconds):\n    time.sleep(seconds)\n    return seconds / seconds\n"
    slow, quick, late = lines(sandbox(tmp_path, [[0.2], [0], [60]], "--seconds", "0.5", text=text))
    assert slow["wall_seconds"] >= 0.2
    assert 0 <= quick["wall_seconds"] < slow["wall_seconds"]
    assert (quick["outcome"], late["outcome"]) == ("Raised", "TimedOut")
    assert late["wall_seconds"] >= 0.4


def test_an_interpreter_is_a_path_from_where_one_is_or_a_name_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    # Of the project's, perhaps: nobody has named it.
    (tmp_path / "python3").write_text("#!/bin/sh\necho taken\n", encoding="utf-8")
    (tmp_path / "python3").chmod(0o755)
    for named in ("bin/python", "python3"):
        run = sandbox(tmp_path, [[2]], "--interpreter", named)
        assert run.returncode == 0, run.stderr
        assert [line["value"] for line in lines(run)] == [[2, 0]]
    for nothing in ("bin/nothing", "program.py"):
        run = sandbox(tmp_path, [[2]], "--interpreter", nothing)
        assert run.returncode == 2
        assert f"interpreter {nothing} does not exist" in run.stderr
        assert "Traceback" not in run.stderr


def test_what_is_forbidden_is_named(tmp_path: Path) -> None:
    (line,) = lines(sandbox(tmp_path, [["open"]]))
    assert line["outcome"] == "Refused"
    assert "open" in line["what"]


def test_a_function_that_is_not_there_could_not_be_run(tmp_path: Path) -> None:
    run = sandbox(tmp_path, [[1]], "--entry", "nope")
    assert run.returncode == 2
    assert "defines no 'nope'" in run.stdout


def test_inputs_that_cannot_be_read(tmp_path: Path) -> None:
    for inputs in ("[1", '{"a": 1}', "[3]", '[{"args": 3}]', '[[{"tuple": 3}]]'):
        run = sandbox(tmp_path, inputs)
        assert run.returncode == 2
        assert run.stderr.startswith("assay: inputs.json")


@pytest.mark.skipif(sys.platform == "win32", reason="devices are files on POSIX alone")
def test_inputs_without_end_are_not_read_to_their_end(tmp_path: Path) -> None:
    run = sandbox(tmp_path, [], "--inputs", "/dev/zero")
    assert run.returncode == 2
    assert "/dev/zero is larger than" in run.stderr


def test_a_tier_that_does_not_exist(tmp_path: Path) -> None:
    run = sandbox(tmp_path, [[1]], "--tier", "nonsense")
    assert run.returncode == 2
    assert "Traceback" not in run.stderr


def test_a_call_brings_its_scene(tmp_path: Path) -> None:
    program = (
        "import os, time\nfrom requests import get\n"
        "def f(path):\n"
        "    with open(path, 'a') as file:\n"
        "        file.write(os.environ['WHO'] + get(path))\n"
        "    return open(path).read(), time.time(), input()\n"
    )
    scene = {
        "files": {"a.txt": "x"},
        "environment": {"WHO": "ada"},
        "time": "1970-01-01T00:01:00",
        "random_seed": 3,
        "mocks": {"requests.get": [{"returns": "!"}, {"raises": "OSError", "message": "gone"}]},
    }
    run = sandbox(tmp_path, [{"args": ["a.txt"], "stdin": "hi\n", "scene": scene}], text=program)
    assert run.returncode == 0, run.stderr
    (line,) = lines(run)
    assert line["value"] == {"tuple": ["xada!", 60.0, "hi"]}
    assert line["files_after"] == {"dict": [["a.txt", "xada!"]]}
    assert line["mock_calls"] == [["requests.get", ["a.txt"], {"dict": []}]]


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        ({"files": {"../x": ""}}, "'../x' is not a name for a file"),
        ({"files": {"x": 3}}, "x must hold text"),
        ({"file": {}}, "'file' is not one of files"),
        ({"time": "yesterday"}, "seconds since 1970 or ISO 8601"),
        ({"mocks": {"a.b": [3]}}, "an outcome of a mock is"),
        ({"mocks": {"a.b": [{"raises": "OSError", "message": 3}]}}, "an outcome of a mock is"),
        ({"mocks": {"a b": []}}, "'a b' is not a dotted name"),
        (3, "must be an object"),
    ],
)
def test_a_scene_that_cannot_be_says_what_is_wrong(
    tmp_path: Path, scene: object, said: str
) -> None:
    run = sandbox(tmp_path, [{"scene": scene}])
    assert run.returncode == 2
    assert said in run.stderr
