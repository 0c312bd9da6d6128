"""A run's folder: complete lines survive a kill, and nobody's results are mixed."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from assay_bench.measurement import Mode
from assay_bench.results import (
    FolderInUse,
    FolderUnwritable,
    IncoherenceQuestion,
    MeasuredRow,
    ResultsFolder,
    Setting,
    Time,
)

QUESTION = IncoherenceQuestion(
    tasks="a",
    samples="b",
    candidates=10,
    inputs=1000,
    seed=0,
    seconds=60.0,
    interpreter=None,
    setting=Setting("1.0", "CPython 3.11.7"),
)


def row(task_id: str, *, passing: bool = False) -> MeasuredRow:
    return MeasuredRow(
        task_id=task_id,
        samples=10,
        incoherence=0.25,
        error=0.5,
        problem=None,
        passing=passing,
        calls=6000,
        reference=(0.2, 0.4),
    )


def test_a_run_goes_on_with_what_it_has(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path / "deep" / "run")
    assert folder.open(QUESTION) == {}
    folder.append(row("T/1"), 1.5)
    folder.append(row("T/2"), 1.5, 0.25)
    assert ResultsFolder(folder.path).open(QUESTION) == {"T/1": row("T/1"), "T/2": row("T/2")}
    assert ResultsFolder(folder.path).times() == {
        "T/1": Time("T/1", 1.5),
        "T/2": Time("T/2", 1.5, 0.25),
    }


def test_a_line_that_a_kill_cut_off_is_measured_again(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.open(QUESTION)
    folder.append(row("T/1"), 1.5)
    whole = (tmp_path / "tasks.jsonl").read_bytes()
    for length in range(len(whole), 2 * len(whole)):
        (tmp_path / "tasks.jsonl").write_bytes((whole + whole)[:length])
        assert folder.open(QUESTION) == {"T/1": row("T/1")}
        assert (tmp_path / "tasks.jsonl").read_bytes() == whole


def test_what_the_machine_failed_at_is_measured_again(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.open(QUESTION)
    folder.append(row("T/1", passing=True), 1.5)
    folder.append(row("T/2"), 1.5)
    assert set(folder.open(QUESTION)) == {"T/2"}


def test_a_folder_belongs_to_one_question(tmp_path: Path) -> None:
    ResultsFolder(tmp_path).open(QUESTION)
    for other in (
        structs.replace(QUESTION, seed=1),
        structs.replace(QUESTION, samples="c"),
        structs.replace(QUESTION, interpreter="/usr/bin/python3"),
        structs.replace(QUESTION, mode=Mode.ASSAY),
    ):
        with pytest.raises(FolderInUse, match="choose another --out"):
            ResultsFolder(tmp_path).open(other)


def test_what_a_folder_was_asked_otherwise_is_named(tmp_path: Path) -> None:
    ResultsFolder(tmp_path).open(QUESTION)
    setting = Setting("1.0", "CPython 3.12.1")
    other = structs.replace(QUESTION, seed=1, mode=Mode.ASSAY, setting=setting)
    with pytest.raises(FolderInUse, match="holds a run with other seed, versions, mode; choose"):
        ResultsFolder(tmp_path).open(other)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(FolderInUse, match="holds a run with other files or options; choose"):
        ResultsFolder(tmp_path).open(other)


def test_a_folder_that_cannot_be_written_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(FolderUnwritable, match=r"file.*: .*; see to it and run the same"):
            ResultsFolder(path).open(QUESTION)


def test_results_of_unknown_origin_are_not_added_to(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text("{}\n")
    with pytest.raises(FolderInUse, match="holds other results"):
        ResultsFolder(tmp_path).open(QUESTION)
    assert (tmp_path / "tasks.jsonl").read_text() == "{}\n"


def test_a_damaged_line_in_the_middle_is_said_and_kept(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path)
    folder.open(QUESTION)
    (tmp_path / "tasks.jsonl").write_text("nonsense\n")
    with pytest.raises(FolderInUse, match="is damaged"):
        folder.open(QUESTION)
    assert (tmp_path / "tasks.jsonl").read_text() == "nonsense\n"
