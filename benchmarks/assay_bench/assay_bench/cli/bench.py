"""`assay bench`: measures on recorded samples instead of putting code on trial."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import Struct, structs

from assay_bench.cli.codet import codet
from assay_bench.cli.common import (
    COUNT,
    FILE,
    SECONDS,
    candidates_option,
    interpreter_option,
    limit_option,
    nothing_joins,
    out_option,
    resumable,
    setting_of,
    skipped,
)
from assay_bench.cli.judge import judge
from assay_bench.cli.progress import progress
from assay_bench.datasets import (
    RecordedMeasurement,
    UnreadableDataset,
    digest_of,
    read_recorded,
    read_samples,
    read_tasks,
    tell_without_samples,
)
from assay_bench.measurement import MeasurementBudget, Mode
from assay_bench.plots import MISSING, draw
from assay_bench.ray_runs import run_jobs_on_ray
from assay_bench.report import panels_of, problem_lines, summary_of, table_lines
from assay_bench.results import IncoherenceQuestion, MeasuredRow, ResultsFolder
from assay_bench.runs import Job, JobOutcome, run_jobs
from assay_engine.cli.output import COULD_NOT_RUN, DONE, complain, say
from assay_sandbox import Sandbox, usable_cores


class IncoherenceOptions(Struct, frozen=True):
    tasks_file: Path
    samples_file: Path
    reference: Path | None
    mode: str
    candidates: int
    inputs: int
    seed: int
    seconds: float
    jobs: int | None
    executor: str
    limit: int | None
    interpreter: Path | None
    out: Path


@click.group()
def bench() -> None:
    """Measure on recorded samples."""


@bench.command()
@click.option("--tasks", "tasks_file", type=FILE, required=True, help="Tasks, as JSON lines.")
@click.option("--samples", "samples_file", type=FILE, required=True, help="Recorded samples.")
@click.option("--reference", type=FILE, help="Recorded measurements to compare with.")
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    default=Mode.FAITHFUL.value,
    show_default=True,
    help="As the experiments did, as Assay does, or no more than it takes to decide.",
)
@candidates_option
@click.option("--inputs", type=COUNT, default=1000, show_default=True, help="Per quantity.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--seconds", type=SECONDS, default=60.0, show_default=True, help="Per batch.")
@click.option("--jobs", type=COUNT, help="Tasks at a time (default: one per core).")
@click.option(
    "--executor",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Processes of this machine, or a Ray cluster.",
)
@limit_option
@interpreter_option
@out_option
def incoherence(**options: Any) -> None:
    """Incoherence and error of recorded samples.

    Exits with 0 if every task was measured or failed for a reason of its own, 2 otherwise.
    """
    chosen = IncoherenceOptions(**options)
    with resumable(chosen.out):
        _measured(chosen)


def _measured(options: IncoherenceOptions) -> None:
    tasks = read_tasks(options.tasks_file, skipped)
    samples = read_samples(options.samples_file, skipped)
    if not tasks:
        raise UnreadableDataset(f"{options.tasks_file} holds no task; give the path of a data file")
    tell_without_samples([task.task_id for task in tasks], samples, skipped)
    joined = [task for task in tasks if samples.get(task.task_id)]
    if not joined:
        raise nothing_joins(options.samples_file, options.tasks_file)
    reference = options.reference
    recorded = read_recorded(reference, skipped) if reference is not None else {}
    if reference is not None and not any(task.task_id in recorded for task in joined):
        raise nothing_joins(reference, options.samples_file)
    question = _question(options)
    folder = ResultsFolder(options.out)
    rows = folder.open(question)
    chosen = joined[: options.limit]
    budget = MeasurementBudget(
        options.candidates, options.inputs, options.seed, options.seconds, Mode(options.mode)
    )
    due = [
        Job(task, samples[task.task_id], budget, options.interpreter)
        for task in chosen
        if task.task_id not in rows
    ]
    run = run_jobs_on_ray if options.executor == "ray" else run_jobs
    _add_rows(folder, run(due, options.jobs or usable_cores()), len(due), rows)
    rows = {name: _with_recorded(row, recorded.get(name)) for name, row in rows.items()}
    folder.rewrite([rows[task.task_id] for task in tasks if task.task_id in rows])
    _conclude(folder, [rows[task.task_id] for task in chosen], compared=reference is not None)


def _question(options: IncoherenceOptions) -> IncoherenceQuestion:
    with Sandbox(options.interpreter, workers=1) as sandbox:
        setting = setting_of(sandbox)
    return IncoherenceQuestion(
        tasks=digest_of(options.tasks_file),
        samples=digest_of(options.samples_file),
        candidates=options.candidates,
        inputs=options.inputs,
        seed=options.seed,
        seconds=options.seconds,
        interpreter=None if options.interpreter is None else str(options.interpreter),
        setting=setting,
        mode=Mode(options.mode),
    )


def _add_rows(
    folder: ResultsFolder, outcomes: Iterable[JobOutcome], total: int, rows: dict[str, MeasuredRow]
) -> None:
    """Add a row for every outcome, and write it to the disk as soon as it is known."""
    with progress(total) as advance:
        for outcome in outcomes:
            row = _row(outcome)
            rows[row.task_id] = row
            folder.append(row, outcome.seconds, outcome.measurement.decision_seconds)
            advance(row.task_id)


def _conclude(folder: ResultsFolder, rows: Sequence[MeasuredRow], *, compared: bool) -> None:
    """Write and show the summary; end with an error if the machine failed at something."""
    summary = summary_of(rows, folder.times(), compared=compared)
    folder.summarise(summary)
    panels = panels_of(rows)
    for line in table_lines(summary):
        say(line)
    for line in problem_lines(rows):
        say(line)
    if panels:
        with folder.writing():
            drawn = draw(folder.path, panels)
        if not drawn:
            say(MISSING)
    unfinished = [row for row in rows if row.passing]
    for row in unfinished:
        complain(f"{row.task_id}: {row.problem}; run again to retry")
    sys.exit(COULD_NOT_RUN if unfinished else DONE)


def _row(outcome: JobOutcome) -> MeasuredRow:
    found = outcome.measurement
    return MeasuredRow(
        task_id=found.task_id,
        samples=found.samples,
        incoherence=found.incoherence,
        error=found.error,
        problem=found.problem,
        passing=outcome.passing,
        calls=found.calls,
        reference=None,
        whole=found.whole,
        intervals=found.intervals,
    )


def _with_recorded(row: MeasuredRow, recorded: RecordedMeasurement | None) -> MeasuredRow:
    if recorded is None or recorded.incoherence is None or recorded.error is None:
        return structs.replace(row, reference=None)
    return structs.replace(row, reference=(recorded.incoherence, recorded.error))


bench.add_command(codet)
bench.add_command(judge)
