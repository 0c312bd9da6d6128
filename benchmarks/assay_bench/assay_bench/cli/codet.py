"""`assay bench codet`: one of a hundred samples, selected by generated tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from assay_bench.cli.common import (
    COUNT,
    FILE,
    interpreter_option,
    limit_option,
    nothing_joins,
    out_option,
    resumable,
    setting_of,
    skipped,
)
from assay_bench.cli.progress import progress
from assay_bench.codet.selecting import Selected, select
from assay_bench.codet.tasks import read_generated
from assay_bench.datasets import digest_of
from assay_bench.metrics import mean
from assay_bench.results import ResultsFolder, Setting
from assay_engine.cli.output import DONE, say
from assay_sandbox import Sandbox

WAYS = ("random", "plurality", "max_test", "codet")


class CodetQuestion(msgspec.Struct, frozen=True):
    """All that the results depend on; files are given by digests of what they hold."""

    tasks: str
    samples: str
    interpreter: str | None
    setting: Setting


class CodetSummary(msgspec.Struct, frozen=True):
    """The mean pass@1 over the tasks for each way of selecting."""

    random: float | None
    plurality: float | None
    max_test: float | None
    codet: float | None
    tasks: int
    calls: int


@click.command()
@click.option("--tasks", "tasks_file", type=FILE, required=True, help="Tasks with their tests.")
@click.option(
    "--samples", "samples_file", type=FILE, required=True, help="Samples and generated tests."
)
@click.option("--jobs", type=COUNT, help="Programs at a time (default: one per core).")
@limit_option
@interpreter_option
@out_option
def codet(
    tasks_file: Path,
    samples_file: Path,
    jobs: int | None,
    limit: int | None,
    interpreter: Path | None,
    out: Path,
) -> None:
    """Pass@1 of the sample that CodeT selects, beside plurality, most tests passed and chance."""
    with resumable(out):
        tasks = read_generated(tasks_file, samples_file, skipped)
        if not tasks:
            raise nothing_joins(samples_file, tasks_file)
        chosen = tasks[:limit]
        folder = ResultsFolder(out)
        with Sandbox(interpreter, workers=jobs) as sandbox:
            folder.claim(
                CodetQuestion(
                    tasks=digest_of(tasks_file),
                    samples=digest_of(samples_file),
                    interpreter=None if interpreter is None else str(interpreter),
                    setting=setting_of(sandbox),
                )
            )
            rows = {row.task_id: row for row in folder.read(Selected)}
            folder.rewrite(tuple(rows.values()))
            due = [task for task in chosen if task.task_id not in rows]
            with progress(len(due)) as advance:
                for task in due:
                    rows[task.task_id] = select(sandbox, task)
                    folder.add(rows[task.task_id])
                    advance(task.task_id)
        folder.rewrite([rows[task.task_id] for task in tasks if task.task_id in rows])
        summary = summary_of([rows[task.task_id] for task in chosen])
        folder.summarise(summary)
        for line in table_lines(summary):
            say(line)
        sys.exit(DONE)


def summary_of(rows: Sequence[Selected]) -> CodetSummary:
    by_way = {way: mean([getattr(row, way) for row in rows]) for way in WAYS}
    return CodetSummary(**by_way, tasks=len(rows), calls=sum(row.calls for row in rows))


def table_lines(summary: CodetSummary) -> Iterator[str]:
    yield f"{'':12}{'pass@1':>10}"
    for way in WAYS:
        value: float | None = getattr(summary, way)
        yield f"{way.replace('_', ' '):12}{'-' if value is None else f'{value:.4f}':>10}"
    yield f"{'tasks':12}{summary.tasks:>10}"
    yield f"{'calls':12}{summary.calls:>10,}"
