"""`assay bench incoherence` as a user runs it: a real process on real files."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import psutil
import pytest

from support.forking import forked
from support.sharing import made_once

COMMAND = ("-m", "assay_engine", "bench", "incoherence")
DEADLINE = 100.0

DOUBLE = "def f(x):\n    return 2 * x\n"
SQUARE = "def f(x):\n    return x * x\n"
ENDLESS = "def f(x):\n    while True: pass\n"
SAMPLES = {
    "T/1": [DOUBLE, DOUBLE, DOUBLE],
    "T/2": [DOUBLE, SQUARE, DOUBLE],
    "T/3": [SQUARE, SQUARE, SQUARE],
    "T/4": [ENDLESS, DOUBLE, DOUBLE],
    "T/5": ["def g(x):\n    return 2 * x\n", DOUBLE],
}
WITHOUT_SAMPLES = "assay: left out: 2 tasks without samples: T/6, T/7\n"
SUMMARY_KEYS = {
    "mean_error",
    "mean_incoherence",
    "spearman",
    "detection_rate",
    "undetected_mean_error",
    "false_alarm_rate",
    "tasks",
    "calls",
    "seconds",
    "reference",
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_data(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on the first three tasks that has come to its end."""

    def measure(folder: Path) -> None:
        write_data(folder)
        run(folder, "out", "--limit", "3")

    return made_once(tmp_path_factory, "bench-incoherence", measure) / "out"


def write_data(folder: Path) -> None:
    tasks = [
        {"task_id": name, "entry_point": "f", "reference": DOUBLE, "seed_inputs": ["(300,)"]}
        # What has no samples is not available.
        for name in [*SAMPLES, "T/6", "T/7"]
    ]
    drawn = {**SAMPLES, "T/7": []}
    samples = [{"task_id": name, "samples": texts} for name, texts in drawn.items()]
    recorded = [
        {"task_id": "T/1", "incoherence": 0.0, "error": 0.0},
        {"task_id": "T/2", "incoherence": 0.66, "error": 0.33},
        {"task_id": "T/3", "incoherence": 0.0, "error": 0.5},
        {"task_id": "T/4", "incoherence": None, "error": None, "failed": "timeout"},
    ]
    for name, lines in (("tasks", tasks), ("samples", samples), ("recorded", recorded)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        # Without the time, so that a run on the same data can be continued.
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def arguments(data: Path, out: str, *more: str) -> list[str]:
    return [
        *COMMAND,
        *("--tasks", str(data / "tasks.jsonl.gz"), "--samples", str(data / "samples.jsonl.gz")),
        *("--inputs", "300", "--seconds", "1", "--jobs", "1", "--out", str(data / out)),
        *more,
    ]


def run(
    data: Path, out: str, *more: str, code: int = 0, alone: bool = False
) -> subprocess.CompletedProcess[str]:
    command = arguments(data, out, *more)
    done = subprocess.run(
        [sys.executable, *command] if alone else forked(*command),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "tasks.jsonl").read_text().splitlines()
    return {row["task_id"]: row for row in map(json.loads, lines)}


def summary(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "summary.json").read_text())


def times(folder: Path) -> dict[str, float]:
    lines = (folder / "times.jsonl").read_text().splitlines()
    return {row["task_id"]: row["seconds"] for row in map(json.loads, lines)}


def results(folder: Path) -> bytes:
    return (folder / "tasks.jsonl").read_bytes()


def test_a_run_measures_every_task_and_says_what_came_out(data: Path) -> None:
    done = run(data, "out", "--jobs", "2", "--reference", str(data / "recorded.jsonl.gz"))
    found = rows(data / "out")
    assert list(found) == list(SAMPLES)
    assert (found["T/1"]["incoherence"], found["T/1"]["error"]) == (0.0, 0.0)
    assert found["T/2"]["incoherence"] == pytest.approx(2 / 3, abs=0.15)
    assert found["T/2"]["error"] == pytest.approx(1 / 3, abs=0.15)
    assert (found["T/3"]["incoherence"], found["T/3"]["error"]) == (0.0, 1.0)
    assert (found["T/5"]["incoherence"], found["T/5"]["samples"]) == (1.0, 2)
    # A task that cannot be measured is recorded and costs no other.
    assert found["T/4"]["problem"].startswith("incoherence: ")
    total = summary(data / "out")
    assert set(total) >= SUMMARY_KEYS
    assert (total["tasks"], total["failed"]) == (4, 1)
    assert total["detection_rate"] == pytest.approx(2 / 3)
    assert total["false_alarm_rate"] == 0.0
    assert total["reference"]["mean_error"] == pytest.approx(0.83 / 3)
    assert total["reference"]["notable"] == ["T/3"]
    assert "more than 0.1 apart: T/3" in done.stdout
    assert f"failed: {found['T/4']['problem']}: T/4" in done.stdout
    assert done.stderr == WITHOUT_SAMPLES


def test_the_same_command_measures_the_same(data: Path, measured: Path) -> None:
    # An interpreter of its own has another seed for its hashes, too.
    run(data, "again", "--limit", "3", alone=True)
    first, second = summary(measured), summary(data / "again")
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert results(measured) == results(data / "again")
    run(data, "other", "--limit", "3", "--seed", "1")
    assert results(data / "other") != results(measured)


def test_a_killed_run_goes_on_where_it_stopped(data: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, *arguments(data, "out", "--jobs", "2")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _await_lines(data / "out" / "tasks.jsonl", 1)
        children = psutil.Process(process.pid).children(recursive=True)
    finally:
        process.kill()
        process.wait(DEADLINE)
    _gone, left = psutil.wait_procs(children, timeout=DEADLINE)
    assert left == []
    before = rows(data / "out")
    spent = times(data / "out")
    with (data / "out" / "tasks.jsonl").open("a") as file:
        file.write('{"task_id": "T/5", "samp')
    run(data, "out")
    after = rows(data / "out")
    assert {name: after[name] for name in before} == before
    # What took the same time was not measured again.
    assert {name: times(data / "out")[name] for name in before} == {n: spent[n] for n in before}
    run(data, "whole")
    assert results(data / "out") == results(data / "whole")


def test_a_finished_run_takes_more_tasks_and_other_recorded_values(data: Path) -> None:
    run(data, "out", "--limit", "2")
    before = rows(data / "out")
    run(data, "out", "--limit", "3", "--reference", str(data / "recorded.jsonl.gz"))
    after = rows(data / "out")
    assert list(after) == ["T/1", "T/2", "T/3"]
    assert after["T/1"] == {**before["T/1"], "reference": [0.0, 0.0]}
    run(data, "out", "--limit", "1")
    assert list(rows(data / "out")) == ["T/1", "T/2", "T/3"]
    assert summary(data / "out")["tasks"] == 1


def test_other_options_are_not_mixed_into_a_folder(data: Path, measured: Path) -> None:
    copytree(measured, data / "out")
    done = run(data, "out", "--limit", "1", "--candidates", "2", code=2)
    assert "holds a run with other candidates; choose another --out" in done.stderr


def test_a_folder_that_cannot_be_written_is_said_with_what_to_do(data: Path) -> None:
    (data / "file").write_text("")
    done = run(data, "file", "--limit", "1", code=2)
    assert f"assay: {data / 'file'}: File exists; see to it and run the same" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_table_that_cannot_be_written_costs_no_results(data: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            forked(*arguments(data, "out", "--limit", "2")),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
    assert done.returncode == 2
    assert "the output cannot be written (No space left on device)" in done.stderr
    assert summary(data / "out")["tasks"] == 2


@pytest.mark.parametrize(
    "odd", [("--inputs", "9" * 30), ("--jobs", "9" * 30), ("--seconds", "1e308")]
)
def test_numbers_beyond_all_bounds_are_refused(data: Path, odd: tuple[str, str]) -> None:
    done = run(data, "out", *odd, code=2)
    assert f"Invalid value for '{odd[0]}'" in done.stderr


def test_reference_values_that_are_all_missing_leave_their_column_empty(
    data: Path, measured: Path
) -> None:
    copytree(measured, data / "out")
    lines = [{"task_id": "T/1", "incoherence": None, "error": None, "failed": "timeout"}]
    (data / "failed.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run(data, "out", "--limit", "1", "--reference", str(data / "failed.jsonl"))
    recorded = summary(data / "out")["reference"]
    assert (recorded["tasks"], recorded["mean_error"], recorded["compared"]) == (0, None, 0)


def test_what_is_no_data_file_is_said_before_anything_runs(data: Path) -> None:
    (data / "tasks.jsonl.gz").write_bytes(gzip.compress(b'{"task_id": "T/1"}\n'))
    done = run(data, "out", code=2)
    assert "tasks.jsonl.gz:1: " in done.stderr
    assert not (data / "out").exists()


def test_lines_that_cannot_be_read_cost_no_others(data: Path) -> None:
    for name in ("tasks", "samples"):
        whole = gzip.decompress((data / f"{name}.jsonl.gz").read_bytes())
        broken = (
            whole.replace(b'"task_id": "T/3"', b'"task_id": T/3', 1) + b'{"task_id": "T/9", "sa'
        )
        (data / f"{name}.jsonl.gz").write_bytes(gzip.compress(broken))
    done = run(data, "out", "--limit", "2")
    assert list(rows(data / "out")) == ["T/1", "T/2"]
    *lines, without_samples = done.stderr.splitlines()
    assert sum(line.startswith("assay: left out: ") for line in lines) == 4
    # Of T/3 there is no task, and of T/9 nothing at all.
    assert without_samples + "\n" == WITHOUT_SAMPLES
    assert "samples.jsonl.gz:3: " in done.stderr


def test_a_file_that_is_cut_off_is_used_as_far_as_it_goes(data: Path) -> None:
    path = data / "samples.jsonl"
    lines = gzip.decompress((data / "samples.jsonl.gz").read_bytes()).splitlines(keepends=True)
    # Noise does not compress, so that half of the file is not nothing.
    noise = [
        b'{"task_id": "N/%d", "samples": ["%s"]}\n' % (n, os.urandom(999).hex().encode())
        for n in range(200)
    ]
    packed = gzip.compress(b"".join(lines[:1] + noise))
    path.with_suffix(".jsonl.gz").write_bytes(packed[: len(packed) // 2])
    done = run(data, "out")
    assert list(rows(data / "out")) == ["T/1"]
    assert "cut off after line" in done.stderr


@pytest.mark.parametrize("mode", ["assay", "adaptive"])
def test_no_oracle_is_needed_to_see_that_samples_differ(data: Path, mode: str) -> None:
    run(data, "out", "--mode", mode, "--jobs", "2")
    found = rows(data / "out")
    assert list(found) == list(SAMPLES)
    assert (found["T/1"]["incoherence"], found["T/1"]["error"]) == (0.0, 0.0)
    # Adaptive mode has seen two of the three samples by then.
    expected = 2 / 3 if mode == "assay" else 1.0
    assert found["T/2"]["incoherence"] == pytest.approx(expected, abs=0.1)
    assert found["T/2"]["error"] == pytest.approx(1 / 3, abs=0.05)
    assert (found["T/3"]["incoherence"], found["T/3"]["error"]) == (0.0, pytest.approx(1, abs=0.1))
    # A sample that never ends says nothing: neither right nor wrong.
    assert (found["T/4"]["incoherence"], found["T/4"]["error"]) == (0.0, 0.0)
    assert found["T/5"]["incoherence"] == 1.0
    # Without the sample that never ends, which takes its time in every run.
    run(data, "alone", "--mode", mode, "--limit", "3")
    alone = results(data / "alone").splitlines()
    assert alone == results(data / "out").splitlines()[:3]


def test_adaptive_mode_stops_at_the_first_difference(data: Path) -> None:
    run(data, "fixed", "--mode", "assay", "--limit", "3")
    run(data, "adaptive", "--mode", "adaptive", "--limit", "3")
    fixed, adaptive = rows(data / "fixed"), rows(data / "adaptive")
    assert (adaptive["T/2"]["samples"], fixed["T/2"]["samples"]) == (2, 3)
    assert 3 * adaptive["T/2"]["calls"] < fixed["T/2"]["calls"]
    assert [row["error"] for row in adaptive.values()] == [row["error"] for row in fixed.values()]
    assert summary(data / "adaptive")["samples"] < summary(data / "fixed")["samples"]
    for line in (data / "adaptive" / "times.jsonl").read_text().splitlines():
        spent = json.loads(line)
        assert 0.0 < spent["decision_seconds"] <= spent["seconds"]
    total = summary(data / "adaptive")
    assert 0.0 < total["decision_seconds"] <= total["seconds"]
    assert summary(data / "fixed")["decision_seconds"] is None
    assert "decision_seconds" not in (data / "fixed" / "times.jsonl").read_text()
    assert b"seconds" not in results(data / "adaptive")


def test_ray_gives_the_same_results(data: Path) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    run(data, "local", "--mode", "assay", "--limit", "3")
    run(data, "cluster", "--mode", "assay", "--limit", "3", "--executor", "ray")
    assert results(data / "cluster") == results(data / "local")


def test_figures_are_drawn_with_nothing_cut_off(data: Path, measured: Path) -> None:
    image = pytest.importorskip("matplotlib.image", reason="the extra `plots` is not installed")
    copytree(measured, data / "out")
    run(data, "out", "--limit", "2", "--reference", str(data / "recorded.jsonl.gz"))
    pixels = image.imread(data / "out" / "incoherence-error.png")
    assert pixels.min() < 0.5
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert edge.min() == 1.0
    drawing = (data / "out" / "incoherence-error.svg").read_text()
    assert "<svg" in drawing


def test_without_matplotlib_there_is_a_note_and_no_error(
    data: Path, measured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree(measured, data / "out", ignore=ignore_patterns("*.png"))
    (data / "shadow").mkdir()
    (data / "shadow" / "matplotlib.py").write_text("raise ImportError('not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(data / "shadow"))
    done = run(data, "out", "--limit", "1", alone=True)
    assert "pip install matplotlib" in done.stdout
    assert not list((data / "out").glob("*.png"))


def test_an_interpreter_that_does_not_run_is_said_once(data: Path) -> None:
    (data / "python").write_text("nothing that could be started\n", encoding="utf-8")
    done = run(data, "out", "--interpreter", str(data / "python"), code=2)
    assert done.stderr.startswith("assay: ")
    assert "Traceback" not in done.stderr


def _await_lines(path: Path, count: int) -> None:
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().count("\n") >= count:
            return
        time.sleep(0.02)
    pytest.fail(f"{path.name} did not grow")
