"""Assay and adaptive mode beside what was recorded, on some of the tasks of several models.

    python -m benchmarks.modes DATA --models gpt_4o,ministral_8b --out FILE
        [--benchmarks mbpp,humaneval] [--temperature 0.6] [--odd] [--first 0] [--limit 40]
        [--seconds 20]

Both modes of `assay bench incoherence` in one pass: what takes the time is the same in both. DATA
is a folder in the layout of the data pack (tasks/, samples/, reference/). Of the tasks with samples
every second is taken, with `--odd` from the second on: the half that no rule was made on. The
models take turns, task by task, so that a run that is cut short has measured the same tasks of
each. FILE grows by a line per task and model; what it has is not measured again. Prints a table per
benchmark.

`on seeds`: of the tasks of which some sample is wrong on an input of the task's own tests, the
share found incoherent. There both sides are asked about the same tasks, which the detection rate
does not do: it is about the errors on the inputs of each side. `of recorded`: the same of the tasks
with recorded error. The last two columns are what adaptive mode takes of the fixed budget.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from assay_bench import adaptive, oracleless
from assay_bench.datasets import SeededTask, read_recorded, read_samples, read_tasks
from assay_bench.measurement import MeasurementBudget
from assay_bench.metrics import mean
from assay_bench.modes import executor_of, sandbox_pair
from assay_bench.programs import seeds_of
from assay_engine.compare.executor import Executor

Row = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A task with what one model drew for it."""

    benchmark: str
    model: str
    task: SeededTask
    samples: tuple[str, ...]
    recorded: tuple[float, float]


def entries(
    data: Path,
    benchmark: str,
    models: Sequence[str],
    temperature: str,
    *,
    odd: bool,
    first: int,
    limit: int,
) -> Iterator[Entry]:
    """Task by task, the models in turn; those without a recorded measurement are left out."""
    files = {model: f"{benchmark}/{model}@{temperature}.jsonl.gz" for model in models}
    samples = {model: read_samples(data / "samples" / file) for model, file in files.items()}
    recorded = {model: read_recorded(data / "reference" / file) for model, file in files.items()}
    tasks = [
        task
        for task in read_tasks(data / f"tasks/{benchmark}.jsonl.gz")
        if any(task.task_id in texts for texts in samples.values())
    ]
    for task in tasks[odd::2][first : first + limit]:
        for model in models:
            found = recorded[model].get(task.task_id)
            texts = samples[model].get(task.task_id)
            if found is None or texts is None or found.incoherence is None or found.error is None:
                continue
            yield Entry(benchmark, model, task, texts, (found.incoherence, found.error))


def arguments(about: str | None, seconds: float) -> argparse.ArgumentParser:
    """What says on which entries to run, and how long a batch may take if nothing else is said."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0] if about else None)
    parser.add_argument("data", type=Path)
    parser.add_argument("--models", required=True)
    parser.add_argument("--benchmarks", default="mbpp,humaneval")
    parser.add_argument("--temperature", default="0.6", help="as file names have it")
    parser.add_argument("--odd", action="store_true")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=seconds)
    return parser


def chosen(options: argparse.Namespace) -> Iterator[Entry]:
    """The entries of all benchmarks that were asked for."""
    models = options.models.split(",")
    for benchmark in options.benchmarks.split(","):
        yield from entries(
            options.data,
            benchmark,
            models,
            options.temperature,
            odd=options.odd,
            first=options.first,
            limit=options.limit,
        )


@contextmanager
def opened(budget: MeasurementBudget) -> Generator[Executor]:
    """An executor whose sandboxes are closed in the end."""
    own = sandbox_pair(None)
    with own.first, own.second:
        yield executor_of(own, budget)


def measured(executor: Executor, entry: Entry, budget: MeasurementBudget) -> Row:
    whole = oracleless.measure(executor, entry.task, entry.samples, budget)
    row: Row = {
        "benchmark": entry.benchmark,
        "model": entry.model,
        "task_id": entry.task.task_id,
        "recorded": entry.recorded,
        "incoherence": whole.incoherence,
        "error": whole.error,
        "samples": whole.samples,
        "calls": whole.calls,
        "problem": whole.problem,
    }
    if whole.incoherence is None or whole.error is None:
        return row
    decision = adaptive.decided(executor, entry.task, entry.samples, budget)
    on_seeds = oracleless.measure(
        executor, entry.task, entry.samples, replace(budget, inputs=len(seeds_of(entry.task)))
    )
    return row | {
        "decided": decision.incoherence,
        "decided_samples": decision.samples,
        "decided_calls": decision.calls,
        "seed_error": on_seeds.error,
    }


COLUMNS = (
    "tasks",
    "detected",
    "(recorded)",
    "adaptive",
    "on seeds",
    "(recorded)",
    "of recorded",
    "alarms",
    "(recorded)",
    "adaptive",
    "samples",
    "calls",
)


def summary(rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns of one line; shares with how many they are of."""
    whole = [row for row in rows if row["error"] is not None]
    wrong = [row for row in whole if row["error"] > 0]
    right = [row for row in whole if row["error"] == 0]
    was_wrong = [row for row in whole if row["recorded"][1] > 0]
    was_right = [row for row in whole if row["recorded"][1] == 0]
    on_seeds = [row for row in whole if (row["seed_error"] or 0) > 0]
    return (
        f"{len(whole)} of {len(rows)}",
        _share([row["incoherence"] > 0 for row in wrong]),
        _share([row["recorded"][0] > 0 for row in was_wrong]),
        _share([row["decided"] > 0 for row in wrong]),
        _share([row["incoherence"] > 0 for row in on_seeds]),
        _share([row["recorded"][0] > 0 for row in on_seeds]),
        _share([row["incoherence"] > 0 for row in was_wrong]),
        _share([row["incoherence"] > 0 for row in right]),
        _share([row["recorded"][0] > 0 for row in was_right]),
        _share([row["decided"] > 0 for row in right]),
        _ratio(whole, "samples"),
        _ratio(whole, "calls"),
    )


def table(rows: Sequence[Row]) -> str:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["model"], []).append(row)
    lines = ["| model | " + " | ".join(COLUMNS) + " |", "|---" * (1 + len(COLUMNS)) + "|"]
    for name, group in [*sorted(groups.items()), ("all", list(rows))]:
        lines.append(f"| {name} | " + " | ".join(summary(group)) + " |")
    return "\n".join(lines)


def _share(flags: Sequence[bool]) -> str:
    share = mean(flags)
    return "-" if share is None else f"{share:.3f} ({sum(flags)}/{len(flags)})"


def _ratio(rows: Sequence[Mapping[str, Any]], what: str) -> str:
    whole = sum(row[what] for row in rows)
    return f"{sum(row[f'decided_{what}'] for row in rows) / whole:.3f}" if whole else "-"


def _known(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main() -> None:
    parser = arguments(__doc__, seconds=20.0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = _known(options.out)
    done = {(row["benchmark"], row["model"], row["task_id"]) for row in rows}
    budget = MeasurementBudget(seconds=options.seconds)
    with opened(budget) as executor, options.out.open("a") as file:
        for entry in chosen(options):
            if (entry.benchmark, entry.model, entry.task.task_id) in done:
                continue
            rows.append(measured(executor, entry, budget))
            file.write(json.dumps(rows[-1]) + "\n")
            file.flush()
    for benchmark in options.benchmarks.split(","):
        print(f"\n{benchmark}\n{table([row for row in rows if row['benchmark'] == benchmark])}")


if __name__ == "__main__":
    main()
