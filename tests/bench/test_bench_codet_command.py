"""`assay bench codet` as a user runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assay_bench.codet.tasks import assertions, calls_in
from support.forking import forked

COMMAND = ("-m", "assay_engine", "bench", "codet")
RIGHT = "def f(x):\n    return 2 * x\n"
ALSO_RIGHT = "def f(x):\n    return x + x\n"
WRONG = "def f(x):\n    return x * x\n"
ODD = "def f(x):\n    raise ValueError\n"
TRUTH = "def check(candidate):\n    assert candidate(3) == 6\n    assert candidate(0) == 0\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    generated = {
        "task_id": "T/1",
        "entry_point": "f",
        # Of all samples most are wrong, and alike; two of three tests say what is right.
        "samples": [WRONG, WRONG, WRONG, RIGHT, ALSO_RIGHT, ODD, "def f(x:"],
        "generated_tests": [" f(3) == 6\nassert f(5) == 10\n", " f(4) == 8\nassert f(4) == 16"],
    }
    tasks = [
        {"task_id": name, "entry_point": "f", "tests": TRUTH} for name in ("T/1", "T/not-there")
    ]
    (tmp_path / "generated.jsonl").write_text(json.dumps(generated) + "\n{broken\n")
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return tmp_path


def run(data: Path, out: str, *options: str) -> subprocess.CompletedProcess[str]:
    files = ("--tasks", data / "tasks.jsonl", "--samples", data / "generated.jsonl")
    return subprocess.run(
        forked(*COMMAND, *map(str, files), "--jobs", "2", "--out", str(data / out), *options),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_tests_select_what_voting_does_not(data: Path) -> None:
    done = run(data, "out")
    assert done.returncode == 0, done.stderr
    assert "generated.jsonl:2: " in done.stderr
    summary: dict[str, Any] = json.loads((data / "out" / "summary.json").read_text())
    assert summary["tasks"] == 1
    assert summary["random"] == pytest.approx(2 / 7)
    assert (summary["plurality"], summary["codet"], summary["max_test"]) == (0.0, 1.0, 1.0)
    before = (data / "out" / "tasks.jsonl").read_bytes()
    assert run(data, "out").returncode == 0
    assert (data / "out" / "tasks.jsonl").read_bytes() == before
    assert run(data, "other").returncode == 0
    assert (data / "other" / "tasks.jsonl").read_bytes() == before


def test_a_task_that_says_nothing_is_left_out_and_named(data: Path) -> None:
    spoken, *_ = (data / "generated.jsonl").read_text().splitlines()
    silent = json.loads(spoken) | {"task_id": "T/empty", "samples": []}
    untold = json.loads(spoken) | {"task_id": "T/untold"}
    (data / "generated.jsonl").write_text(
        "".join(f"{line}\n" for line in (spoken, json.dumps(silent), json.dumps(untold)))
    )
    names = {"T/1": TRUTH, "T/empty": TRUTH, "T/not-there": TRUTH, "T/untold": "assert f(3) == 6\n"}
    (data / "tasks.jsonl").write_text(
        "".join(
            json.dumps({"task_id": name, "entry_point": "f", "tests": tests}) + "\n"
            for name, tests in names.items()
        )
    )
    done = run(data, "out")
    assert done.returncode == 0
    untested, without_samples = done.stderr.splitlines()
    assert "tasks.jsonl:4: the tests of T/untold define no function check(candidate)" in untested
    assert without_samples == "assay: left out: 2 tasks without samples: T/empty, T/not-there"
    (row,) = (data / "out" / "tasks.jsonl").read_text().splitlines()
    assert json.loads(row)["task_id"] == "T/1"
    summary: dict[str, Any] = json.loads((data / "out" / "summary.json").read_text())
    assert (summary["tasks"], summary["codet"]) == (1, 1.0)


def test_assertions_are_cut_where_their_authors_cut_them() -> None:
    generated = [
        " f(1) == 2\nassert f(2) == 4, 'twice'\ndef g():\n    pass",
        "\n",
        " g(1) == 2",
        " f(1) == 2",
        " f(3) ==",
        " f(9) == 18\n# and so on",
    ]
    found = assertions(generated, "f")
    assert found == ("assert f(1) == 2", "assert f(2) == 4, 'twice'", "assert f(9) == 18")


def test_of_one_generation_five_assertions_count() -> None:
    generated = " " + "\nassert ".join(f"f({n}) == 0" for n in range(9))
    assert len(assertions([generated], "f")) == 5


def test_calls_with_literals_are_inputs() -> None:
    assert calls_in(["assert f(...) == 2", f"assert f({'[' * 150}{']' * 150}) == 2"], "f") == ()
    found = calls_in(["assert f(1, [2]) == 3", "assert f(1, [2]) == 4", "assert f(x) == 1"], "f")
    assert [call.args for call in found] == [(1, [2])]


def test_fewer_tasks_take_nothing_from_what_is_finished(data: Path) -> None:
    second = json.loads((data / "generated.jsonl").read_text().splitlines()[0])
    second |= {"task_id": "T/2", "generated_tests": ["f(...) == 2\nassert f(3) == 6"]}
    with (data / "generated.jsonl").open("a") as file:
        file.write(json.dumps(second) + "\n")
    with (data / "tasks.jsonl").open("a") as file:
        file.write(json.dumps({"task_id": "T/2", "entry_point": "f", "tests": TRUTH}) + "\n")
    whole = run(data, "out")
    assert whole.returncode == 0, whole.stderr
    rows = (data / "out" / "tasks.jsonl").read_bytes()
    assert rows.count(b"\n") == 2
    assert run(data, "out", "--limit", "1").returncode == 0
    assert (data / "out" / "tasks.jsonl").read_bytes() == rows
    assert json.loads((data / "out" / "summary.json").read_text())["tasks"] == 1


def test_files_that_do_not_belong_together_are_refused(data: Path) -> None:
    (data / "tasks.jsonl").write_text(
        json.dumps({"task_id": "U/1", "entry_point": "f", "tests": TRUTH}) + "\n"
    )
    outcome = run(data, "out")
    assert outcome.returncode == 2
    assert "give files of the same benchmark, by the same names" in outcome.stderr
