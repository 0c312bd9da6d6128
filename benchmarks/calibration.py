"""How confident a verdict may be: what came true of verdicts, on recorded samples of real models.

    python -m benchmarks.calibration collect DATA OUT --samples mbpp/gpt_4o@1
        [--tasks 60] [--first 0] [--function 0]
    python -m benchmarks.calibration fit OUT...

`collect` puts tasks on trial as `benchmarks.verdicts` does and appends one JSON line per verdict to
OUT, skipping what is there. Sample number `--function` stands for the function, the next ten for
the candidates; each number needs an OUT of its own. `fit` (needs scikit-learn) fits, per status,
the probability that a verdict is true to what the verdict rests on, and prints the coefficients
that `assay_engine.compare.statistics` states, and how well they do on models and on tasks that
they were not fitted to. How many candidates a verdict took is in OUT, too. A `trusted` verdict is
true if the function passes all tests of MBPP+, a `suspect` one if it does not.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from assay_engine.compare.statistics import Curve, expected_share, log_odds
from assay_engine.types import Report, Status
from benchmarks.executor import usual_executor
from benchmarks.verdicts import judge, tasks

FOLDS = 10
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

Line = dict[str, Any]


def line_of(samples: str, task: str, report: Report, right: bool) -> Line:
    verdict, support = report.verdict, report.verdict.support
    shown = report.findings[0].witness if report.findings else None
    return {
        "samples": samples,
        "task": task,
        "status": verdict.status,
        "agreeing": support.agreeing if support else None,
        "total": support.total if support else None,
        "candidates": report.candidates,
        "run": verdict.inputs_run,
        "counted": verdict.inputs_in_domain,
        "classes": [[entry.weight, entry.has_original] for entry in report.classes],
        "outcomes": [[entry.weight, entry.is_original] for entry in shown.outcomes]
        if shown
        else [],
        "origin": shown.origin if shown else None,
        "code": report.findings[0].code if report.findings else None,
        "right": right,
    }


async def collect(
    data: Path, samples: str, count: int, first: int, function: int, out: Path
) -> None:
    there = {(line["samples"], line["task"]) for line in read([out])} if out.exists() else set()
    with out.open("a", encoding="utf-8") as file, usual_executor() as executor:
        for task in tasks(data, samples, count, first, function):
            if (samples, task.name) in there:
                continue
            judged = await judge(task, executor)
            if judged is not None:
                file.write(json.dumps(line_of(samples, task.name, *judged)) + "\n")
                file.flush()


def read(files: Iterable[Path]) -> list[Line]:
    return [json.loads(text) for file in files for text in file.read_text("utf-8").splitlines()]


def decided(lines: Iterable[Line], status: Status) -> list[Line]:
    """The verdicts of that status that rest on a vote."""
    return [line for line in lines if line["status"] == status and line["total"]]


def came_true(line: Line) -> bool:
    return line["right"] == (line["status"] == Status.TRUSTED)


def fitted(lines: Sequence[Line]) -> Curve:
    """Intercept and slope, with a ridge of one on the slope: few verdicts are to say little."""
    model: Any = importlib.import_module("sklearn.linear_model").LogisticRegression(C=1.0)
    model.fit([[of(line)] for line in lines], [came_true(line) for line in lines])
    return Curve(float(model.intercept_[0]), float(model.coef_[0][0]))


def constant(lines: Sequence[Line]) -> Curve:
    """The curve that says the same of all verdicts (rule of succession)."""
    share = expected_share(sum(map(came_true, lines)), len(lines))
    return Curve(math.log(share / (1.0 - share)), 0.0)


def of(line: Line) -> float:
    return log_odds(line["agreeing"], line["total"])


def held_out(
    lines: Sequence[Line], key: str, fit: Callable[[Sequence[Line]], Curve]
) -> list[tuple[float, bool]]:
    """Predictions for each fold of the key's values from a fit to all the others."""
    groups = sorted({line[key] for line in lines})
    folds = [groups[start::FOLDS] for start in range(FOLDS)]
    found: list[tuple[float, bool]] = []
    for fold in filter(None, folds):
        curve = fit([line for line in lines if line[key] not in fold])
        found += [
            (curve.probability(line["agreeing"], line["total"]), came_true(line))
            for line in lines
            if line[key] in fold
        ]
    return found


def quality(pairs: Sequence[tuple[float, bool]]) -> str:
    """Brier score and expected calibration error over `BINS`, and the base rate's Brier score."""
    brier = sum((p - true) ** 2 for p, true in pairs) / len(pairs)
    base = sum(true for _, true in pairs) / len(pairs)
    error = 0.0
    for low, high in pairwise(BINS):
        inside = [(p, true) for p, true in pairs if low < p <= high]
        error += abs(sum(p - true for p, true in inside)) / len(pairs)
    return (
        f"Brier {brier:.3f} (always the mean: {base * (1 - base):.3f}), "
        f"calibration error {error:.3f}, mean {base:.3f}, {len(pairs)} verdicts"
    )


def report_fit(lines: Sequence[Line]) -> None:
    suspect, trusted = decided(lines, Status.SUSPECT), decided(lines, Status.TRUSTED)
    divided = [line for line in trusted if line["agreeing"] < line["total"]]
    for status, chosen, fits in (
        ("trusted, by all", [line for line in trusted if line not in divided], (constant,)),
        ("trusted, by most", divided, (constant,)),
        ("suspect", suspect, (fitted, constant)),
    ):
        if len({came_true(line) for line in chosen}) < 2:
            print(f"{status}: {len(chosen)} verdicts, nothing to fit")
            continue
        stated = [(expected_share(e["agreeing"], e["total"]), came_true(e)) for e in chosen]
        print(f"{status}\n  expected share of samples: {quality(stated)}")
        for fit in fits:
            curve = fit(chosen)
            print(f"  {fit.__name__}: intercept {curve.intercept:.3f}, slope {curve.slope:.3f}")
            for key in ("samples", "task"):
                print(f"    other {key}: {quality(held_out(chosen, key, fit))}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Calibrates the confidence of verdicts.")
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("data", type=Path)
    collecting.add_argument("out", type=Path)
    collecting.add_argument("--samples", default="mbpp/gpt_4o@1")
    collecting.add_argument("--tasks", type=int, default=60)
    collecting.add_argument("--first", type=int, default=0)
    collecting.add_argument("--function", type=int, default=0)
    fitting = commands.add_parser("fit")
    fitting.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "fit":
        report_fit(read(options.files))
        return
    asyncio.run(
        collect(
            options.data,
            options.samples,
            options.tasks,
            options.first,
            options.function,
            options.out,
        )
    )


if __name__ == "__main__":
    main()
