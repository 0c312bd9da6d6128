"""Data files: what is read, what is passed over, and what is said of a bad one."""

from __future__ import annotations

import codecs
import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from assay_bench.datasets import (
    RecordedMeasurement,
    UnreadableDataset,
    digest_of,
    read_recorded,
    read_samples,
    read_tasks,
)
from assay_bench.judges.tasks import read_tests
from assay_bench.programs import seeds_of
from assay_sandbox import Call

TASK = {
    "task_id": "T/1",
    "entry_point": "f",
    "signature": "(a, b)",
    "reference": "def f(a, b): return a",
    "seed_inputs": ["(1, [2, {'k': {3}}])", "[4, 5]", "(1e309, -2j)"],
    "unheard_of": {"may": "come"},
}


def written(path: Path, *lines: dict[str, Any]) -> Path:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["tasks.jsonl", "tasks.jsonl.gz"])
def test_tasks_are_read_with_their_seeds_as_values(tmp_path: Path, name: str) -> None:
    (task,) = read_tasks(written(tmp_path / name, TASK))
    assert (task.task_id, task.entry_point) == ("T/1", "f")
    assert task.seeds == ((1, [2, {"k": {3}}]), (4, 5), (float("inf"), -2j))


def test_samples_keep_order_and_repetitions(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"task_id": "T/1", "samples": ["b", "a", "b"]})
    assert read_samples(path) == {"T/1": ("b", "a", "b")}


def test_a_recorded_failure_has_no_values(tmp_path: Path) -> None:
    path = written(
        tmp_path / "r.jsonl",
        {"task_id": "T/1", "incoherence": 0.25, "error": 0.5, "n_samples": 10},
        {"task_id": "T/2", "incoherence": None, "error": None, "failed": "timeout"},
    )
    assert read_recorded(path) == {
        "T/1": RecordedMeasurement("T/1", 0.25, 0.5),
        "T/2": RecordedMeasurement("T/2", None, None),
    }


def test_a_seed_that_is_code_is_refused(tmp_path: Path) -> None:
    bad = {**TASK, "seed_inputs": ["(__import__('os').getcwd(),)"]}
    with pytest.raises(UnreadableDataset, match=r"t\.jsonl:2: a seed is not a literal"):
        read_tasks(written(tmp_path / "t.jsonl", TASK, bad))


@pytest.mark.parametrize("seed", ["(...,)", f"({'[' * 200}{']' * 200},)"])
def test_a_seed_that_cannot_be_passed_on_is_refused(tmp_path: Path, seed: str) -> None:
    bad = {**TASK, "seed_inputs": [seed]}
    skipped: list[str] = []
    assert len(read_tasks(written(tmp_path / "t.jsonl", bad, TASK), skipped.append)) == 1
    assert "t.jsonl:1: a seed is not a literal of arguments" in skipped[0]


@pytest.mark.parametrize("seed", ["'ab'", "{1, 2}", "{'k': 1}", "3"])
def test_a_seed_that_lists_no_arguments_is_refused(tmp_path: Path, seed: str) -> None:
    bad = {**TASK, "seed_inputs": [seed]}
    with pytest.raises(UnreadableDataset, match="a seed is not a literal of arguments"):
        read_tasks(written(tmp_path / "t.jsonl", bad))


def test_without_seeds_of_the_tests_the_recorded_ones_are_taken(tmp_path: Path) -> None:
    (task,) = read_tasks(written(tmp_path / "t.jsonl", {**TASK, "seed_inputs_from_tests": []}))
    assert seeds_of(task) == task.seeds != ()


def test_of_a_file_of_another_kind_few_lines_are_named(tmp_path: Path) -> None:
    skipped: list[str] = []
    bad = {**TASK, "seed_inputs": ["3"]}
    path = written(tmp_path / "t.jsonl", *[{"task_id": 3}] * 20, *[bad] * 5)
    assert read_tasks(path, skipped.append) == ()
    *named, rest = skipped
    assert [f"t.jsonl:{number}:" in line for number, line in enumerate(named, 1)] == [True] * 10
    assert rest == f"{path}: 15 more lines"


def test_a_file_that_is_cut_off_is_said_to_be_whatever_else_is_wrong_with_it(
    tmp_path: Path,
) -> None:
    # Noise does not compress, so that half of the file is not nothing.
    lines = b"".join(b'{"task_id": "%s"}\n' % os.urandom(999).hex().encode() for _ in range(200))
    packed = gzip.compress(lines)
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])
    skipped: list[str] = []
    assert read_tasks(path, skipped.append) == ()
    assert any("cut off after line" in problem for problem in skipped)
    assert len(skipped) == 12


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes among its files")
def test_what_can_be_read_only_once_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableDataset, match="pipe is not a regular file; write what it holds"):
        digest_of(tmp_path / "pipe")


def test_empty_lines_say_nothing_and_of_two_lines_of_a_task_the_first_counts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.jsonl"
    lines = [{"task_id": "T/1", "samples": [text]} for text in ("a", "b")]
    path.write_text("\n \n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    assert read_samples(path) == {"T/1": ("a",)}


def test_of_two_lines_with_tests_of_a_task_the_first_counts(tmp_path: Path) -> None:
    lines = [
        {
            "task_id": "T/1",
            "entry_point": "f",
            "description": "Twice x.",
            "tests": [{"inputs": f"({x},)", "output": str(2 * x)}],
        }
        for x in (1, 2)
    ]
    ((test,),) = read_tests(written(tmp_path / "t.jsonl", *lines)).values()
    assert (test.call, test.expected) == (Call((1,)), 2)


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"task_id": "T/1", "samples": []}, {"task_id": 3})
    with pytest.raises(UnreadableDataset, match=r"s\.jsonl:2: "):
        read_samples(path)


def test_a_line_that_is_no_utf_8_is_left_out_and_a_mark_at_the_start_passed_over(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.jsonl"
    good = json.dumps(TASK).encode()
    path.write_bytes(codecs.BOM_UTF8 + good + b'\n{"task_id":"X/9\xff"}\n')
    skipped: list[str] = []
    assert [task.task_id for task in read_tasks(path, skipped.append)] == [TASK["task_id"]]
    (problem,) = skipped
    assert "t.jsonl:2: " in problem


def test_a_missing_and_a_damaged_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDataset, match="none: No such file"):
        read_tasks(tmp_path / "none")
    with pytest.raises(UnreadableDataset, match="none: No such file"):
        digest_of(tmp_path / "none")
    whole = gzip.compress(json.dumps(TASK).encode() * 50)
    for damaged in (whole[: len(whole) // 2], b"plain text"):
        path = tmp_path / "t.jsonl.gz"
        path.write_bytes(damaged)
        with pytest.raises(UnreadableDataset, match="give the path of a data file"):
            read_tasks(path)
