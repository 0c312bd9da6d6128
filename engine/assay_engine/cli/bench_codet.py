"""`assay bench codet`: one of a hundred samples, selected by generated tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from assay_engine.cli.bench_progress import progress
from assay_engine.errors import AssayError
from assay_engine.evaluation.codet.selecting import Selected, select
from assay_engine.evaluation.codet.tasks import read_generated
from assay_engine.evaluation.datasets import digest_of
from assay_engine.evaluation.metrics import mean
from assay_engine.evaluation.results import ResultsFolder
from assay_sandbox import Sandbox, SandboxError

DONE, COULD_NOT_RUN = 0, 2
WAYS = ("random", "plurality", "max_test", "codet")

_FILE = click.Path(path_type=Path)
_COUNT = click.IntRange(min=1)


class CodetQuestion(msgspec.Struct, frozen=True):
    """All that the results depend on; files by what they hold."""

    tasks: str
    samples: str
    interpreter: str | None


class CodetSummary(msgspec.Struct, frozen=True):
    """Mean pass@1 by way of selecting, over the tasks."""

    random: float | None
    plurality: float | None
    max_test: float | None
    codet: float | None
    tasks: int
    calls: int


@click.command()
@click.option("--tasks", "tasks_file", type=_FILE, required=True, help="Tasks with their tests.")
@click.option(
    "--samples", "samples_file", type=_FILE, required=True, help="Samples and generated tests."
)
@click.option("--jobs", type=_COUNT, help="Programs at a time (default: one per core).")
@click.option("--limit", type=_COUNT, metavar="N", help="Only the first N tasks.")
@click.option("--interpreter", type=_FILE, help="The Python that the samples run under.")
@click.option("--out", type=_FILE, required=True, help="A folder; a run that is there goes on.")
def codet(
    tasks_file: Path,
    samples_file: Path,
    jobs: int | None,
    limit: int | None,
    interpreter: Path | None,
    out: Path,
) -> None:
    """Pass@1 of the sample that CodeT selects, beside plurality, most tests passed and chance."""
    try:
        chosen = read_generated(tasks_file, samples_file, _skipped)[:limit]
        folder = ResultsFolder(out)
        folder.claim(
            CodetQuestion(
                tasks=digest_of(tasks_file),
                samples=digest_of(samples_file),
                interpreter=None if interpreter is None else str(interpreter),
            )
        )
        rows = {row.task_id: row for row in folder.read(Selected)}
        folder.rewrite(tuple(rows.values()))
        due = [task for task in chosen if task.task_id not in rows]
        with Sandbox(interpreter, workers=jobs) as sandbox, progress(len(due)) as advance:
            sandbox.start()
            for task in due:
                rows[task.task_id] = select(sandbox, task)
                folder.add(rows[task.task_id])
                advance(task.task_id)
        found = [rows[task.task_id] for task in chosen]
        folder.rewrite(found)
        summary = summary_of(found)
        folder.summarise(summary)
        for line in table_lines(summary):
            click.echo(line)
        sys.exit(DONE)
    except (AssayError, SandboxError, OSError) as failure:
        click.echo(f"assay: {failure}", err=True)
        sys.exit(COULD_NOT_RUN)
    except KeyboardInterrupt:
        click.echo(f"assay: stopped; the same command goes on in {out}", err=True)
        sys.exit(COULD_NOT_RUN)


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


def _skipped(problem: str) -> None:
    click.echo(f"assay: left out: {problem}", err=True)
