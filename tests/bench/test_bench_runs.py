"""Many tasks in many processes: every job has one outcome, whatever becomes of a process."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from assay_bench.datasets import SeededTask
from assay_bench.measurement import Measurement, MeasurementBudget
from assay_bench.runs import Job, JobOutcome, measure_job, run_jobs

IDENTITY = "def f(x):\n    return x\n"
NEGATION = "def f(x):\n    return (x, 'negated')\n"


def job(number: int) -> Job:
    task = SeededTask(f"T/{number}", "f", IDENTITY, ((number,),))
    return Job(task, (IDENTITY, NEGATION), MeasurementBudget(inputs=30, seconds=20.0))


def dies_on_three(job: Job) -> JobOutcome:
    if job.task.task_id == "T/3":
        os._exit(1)
    return JobOutcome(Measurement(job.task.task_id, 2, 0.0, 0.0), 0.0)


def dies_a_little_later(job: Job) -> JobOutcome:
    if job.task.task_id == "T/1":
        time.sleep(0.5)
        os._exit(1)
    return JobOutcome(Measurement(job.task.task_id, 2, 0.0, 0.0), 0.0)


def fails_on_three(job: Job) -> JobOutcome:
    if job.task.task_id == "T/3":
        raise OSError("no space left")
    return JobOutcome(Measurement(job.task.task_id, 2, 0.0, 0.0), 0.0)


def test_one_process_and_several_measure_the_same() -> None:
    jobs = [job(number) for number in range(5)]
    alone = {o.measurement.task_id: o.measurement for o in run_jobs(jobs, 1)}
    together = {o.measurement.task_id: o.measurement for o in run_jobs(jobs, 3)}
    assert alone == together
    assert len(alone) == 5
    assert all(found.incoherence == 1.0 for found in alone.values())


def test_a_process_that_dies_costs_only_what_was_begun() -> None:
    outcomes = list(run_jobs([job(number) for number in range(12)], 2, dies_on_three))
    assert sorted(o.measurement.task_id for o in outcomes) == sorted(f"T/{n}" for n in range(12))
    lost = [outcome for outcome in outcomes if outcome.passing]
    assert "T/3" in {outcome.measurement.task_id for outcome in lost}
    assert len(lost) <= 2
    assert all("process died" in (outcome.measurement.problem or "") for outcome in lost)


def test_a_process_that_dies_while_nobody_looks_loses_no_other_job() -> None:
    outcomes: list[JobOutcome] = []
    for outcome in run_jobs([job(number) for number in range(8)], 2, dies_a_little_later):
        if not outcomes:
            # Until the pool is broken, with the next job not handed over yet.
            time.sleep(1.5)
        outcomes.append(outcome)
    assert sorted(o.measurement.task_id for o in outcomes) == sorted(f"T/{n}" for n in range(8))
    lost = [outcome.measurement.task_id for outcome in outcomes if outcome.passing]
    assert "T/1" in lost
    assert len(lost) <= 3


def test_what_our_side_fails_at_is_recorded_with_its_task() -> None:
    outcomes = list(run_jobs([job(number) for number in range(5)], 2, fails_on_three))
    (lost,) = [outcome for outcome in outcomes if outcome.passing]
    assert lost.measurement.task_id == "T/3"
    assert lost.measurement.problem == "OSError: no space left"
    assert len(outcomes) == 5


def test_an_interpreter_that_is_not_there_is_the_machines_problem(tmp_path: Path) -> None:
    given = job(1)
    outcome = measure_job(Job(given.task, given.samples, given.budget, tmp_path / "python"))
    assert outcome.passing
    assert outcome.measurement.incoherence is None


def test_no_jobs_start_nothing() -> None:
    assert list(run_jobs([], 2)) == []


@pytest.mark.parametrize("workers", [1, 4])
def test_more_workers_than_jobs_are_no_harm(workers: int) -> None:
    (outcome,) = run_jobs([job(1)], workers, fails_on_three)
    assert outcome.measurement.task_id == "T/1"
