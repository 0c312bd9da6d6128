"""How often verdicts are right, on recorded samples of real models.

    python -m benchmarks.verdicts DATA --samples mbpp/gpt_4o@1 [--tasks 60] [--first 0]
        [--candidates-of mbpp/gpt_4@1 …] [--candidates 10] [--proposed 0] [--out FILE.json]

For each MBPP task one recorded sample stands for the user's function and the next ten for the
model's candidates; MBPP+ says whether the function is right. With `--candidates-of`, which can be
given several times, candidates are the first samples of those models instead, taken in turn from
each. DATA is a folder in the layout of the data pack (tasks/mbpp.jsonl.gz, tasks/mbppplus.jsonl.gz,
samples/…). Proposed inputs are the task's own seed inputs, three as a rule, where a model would
give twenty: `--proposed 17` adds so many of the inputs of MBPP+. No other oracle is used.
Prints one line per task, the table of verdict against truth and the figures that `--out` writes.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from assay_engine.check.context import CheckContext
from assay_engine.check.pipeline import check_unit
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.executor import Executor
from assay_engine.compare.same_values import same_value
from assay_engine.config.settings import Sampling, Settings
from assay_engine.dependencies.modules import NO_MODULES
from assay_engine.errors import ReplyUnusable
from assay_engine.models import PanelMember, Session
from assay_engine.sampling.prompting import INPUTS
from assay_engine.settling.questions import PREFERENCE
from assay_engine.specification.specification import specify
from assay_engine.splicing import apply_edits, splice
from assay_engine.syntax.units import find_units
from assay_engine.types import (
    Model,
    Problem,
    Prompt,
    Reply,
    Report,
    Severity,
    SourceText,
    Status,
    Usage,
)
from assay_engine.values.carried import value_of
from assay_sandbox import Call, Program, Returned
from benchmarks.data import rows_of
from benchmarks.executor import usual_executor

CANDIDATES = 10
TESTS_MAX = 40
# A reader may be a person.
PATIENT = Sampling(draw_seconds=14_400.0, request_seconds=14_400.0)


@dataclass(frozen=True)
class Task:
    """One task, with the samples that stand for function and candidates."""

    name: str
    entry: str
    header: str
    description: str
    seeds: tuple[str, ...]
    tests: tuple[dict[str, str], ...]
    samples: tuple[str, ...]


class Recorded:
    """A model that replies with a task's samples, and to the prompt for inputs with its seeds.

    What the docstring says of an input, `reader` is asked; without one there is no such reply.
    """

    name = "recorded"

    def __init__(self, task: Task, reader: Model | None) -> None:
        self._task = task
        self._reader = reader

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if prompt.name == PREFERENCE:
            if self._reader is None:
                raise ReplyUnusable("no reader is asked here")
            return await self._reader.reply(prompt, sample)
        if prompt.name == INPUTS:
            text = "\n".join(f"{self._task.entry}{_arguments(seed)}" for seed in self._task.seeds)
        else:
            text = f"```python\n{self._task.samples[1 + sample]}\n```"
        return Reply(text, sample, Usage(), cached=True)


def tasks(
    data: Path,
    samples: str,
    count: int,
    first: int,
    function: int = 0,
    *,
    candidates: int = CANDIDATES,
    candidates_of: Sequence[str] = (),
    proposed: int = 0,
) -> Iterator[Task]:
    """Tasks whose sample number `function` stands for the function, the next for candidates.

    With `candidates_of`, candidates are the first samples of these models, in turn from each.
    """
    others = [
        {row["task_id"]: row["samples"] for row in rows_of(data / f"samples/{each}.jsonl.gz")}
        for each in candidates_of
    ]
    plus = {row["task_id"]: row for row in rows_of(data / "tasks/mbppplus.jsonl.gz")}
    plain = {row["task_id"]: row for row in rows_of(data / "tasks/mbpp.jsonl.gz")}
    rows = [row for row in rows_of(data / f"samples/{samples}.jsonl.gz") if row["task_id"] in plus]
    for row in rows[first : first + count]:
        task = plus[row["task_id"]]
        voters = row["samples"][function + 1 :]
        if others:
            turns = zip(*(each.get(row["task_id"], ()) for each in others), strict=False)
            voters = [sample for turn in turns for sample in turn]
        if row["task_id"] in plain and len(voters) >= candidates:
            further = [test["inputs"] for test in _spread(task["tests"], proposed)]
            yield Task(
                row["task_id"],
                task["entry_point"],
                task["signature"],
                plain[row["task_id"]]["description"],
                tuple(dict.fromkeys([*plain[row["task_id"]]["seed_inputs"], *further])),
                tuple(task["tests"][:TESTS_MAX]),
                (row["samples"][function], *voters[:candidates]),
            )


def _spread(tests: Sequence[dict[str, str]], count: int) -> Sequence[dict[str, str]]:
    """So many of the tests, at equal distances."""
    return tests[:: max(1, len(tests) // count)][:count] if count else ()


def module_text(task: Task) -> str | None:
    """A module with the first sample under the typed header and the description as docstring."""
    quoted = task.description.strip().replace("\\", "\\\\").replace('"""', "'''")
    stub = f'{task.header.rstrip(":")}:\n    """{quoted}"""\n    pass\n'
    units, _ = find_units(stub)
    if not units:
        return None
    edits = splice(stub, units[0], task.samples[0])
    return None if isinstance(edits, Problem) else apply_edits(stub, edits)


async def judge(
    task: Task, executor: Executor, reader: Model | None = None
) -> tuple[Report, bool] | None:
    """The report on the function, and whether it passes the tests of MBPP+."""
    text = module_text(task)
    if text is None:
        return None
    report = await trial(text, task, executor, reader)
    calls = [Call(ast.literal_eval(test["inputs"])) for test in task.tests]
    (row,) = await executor.run([Program(text, task.entry)], calls)
    right = all(
        isinstance(seen, Returned)
        and same_value(value_of(seen.value), ast.literal_eval(test["output"]))
        for seen, test in zip(row, task.tests, strict=True)
    )
    return report, right


async def trial(text: str, task: Task, executor: Executor, reader: Model | None) -> Report:
    """The report on the task's function as it stands in this text."""
    unit = next(unit for unit in find_units(text)[0] if unit.qualname == task.entry)
    specification = specify(text, unit)
    subject = CheckUnit(SourceText(f"{task.name}.py", text), specification, task.name, ())
    sampling = replace(PATIENT, candidates=len(task.samples) - 1)
    context = CheckContext(
        Session([PanelMember(Recorded(task, reader))]),
        None,
        executor,
        Settings(sampling=sampling),
        lambda _: True,
        lambda _: None,
    )
    return (await check_unit(context, subject, NO_MODULES))[-1]


async def run(chosen: Iterator[Task]) -> list[tuple[Report, bool]]:
    """The report on each task's function, and whether that is right. Prints a line for each."""
    found: list[tuple[Report, bool]] = []
    with usual_executor() as executor:
        for task in chosen:
            outcome = await judge(task, executor)
            if outcome is None:
                print(f"{task.name}: the sample has no such function")
                continue
            report, right = outcome
            found.append(outcome)
            said = report.findings[0].message if report.findings else ""
            told = "right" if right else "wrong"
            print(f"{task.name}: {report.verdict.status}, {told}  {said}", flush=True)
    return found


def table(found: Sequence[tuple[Report, bool]]) -> str:
    counted = Counter((report.verdict.status, right) for report, right in found)
    rows = (
        f"| {status} | {counted[status, True]} | {counted[status, False]} |" for status in Status
    )
    return "\n".join(["| verdict | right | wrong |", "|---|---:|---:|", *rows])


def figures(found: Sequence[tuple[Report, bool]]) -> dict[str, float | int | None]:
    """What the verdicts are worth. Shares of nothing are None; hints are no findings."""
    wrong = [report for report, right in found if not right]
    trusted = [right for report, right in found if report.verdict.status is Status.TRUSTED]
    warned = [right for report, right in found if _severities(report) & _WARNINGS]
    told = [right for report, right in found if _severities(report) - {Severity.HINT}]
    return {
        "functions": len(found),
        "warnings": len(warned),
        "warnings_precision": _share(warned.count(False), len(warned)),
        "warnings_recall": _share(warned.count(False), len(wrong)),
        "trusted": len(trusted),
        "trusted_right_share": _share(sum(trusted), len(trusted)),
        "ece": calibration_error(found),
        "findings_on_wrong": told.count(False),
        "findings_on_right": told.count(True),
    }


_WARNINGS = {Severity.ERROR, Severity.WARNING}
_BINS = 10


def _severities(report: Report) -> set[Severity]:
    return {finding.severity for finding in report.findings}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def calibration_error(found: Sequence[tuple[Report, bool]]) -> float | None:
    """The expected calibration error of verdicts with a confidence, in bins of a tenth.

    (Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities", 2015.)
    """
    stated = [
        (report.verdict.confidence, right == (report.verdict.status is Status.TRUSTED))
        for report, right in found
        if report.verdict.confidence is not None
        and report.verdict.status in (Status.TRUSTED, Status.SUSPECT)
    ]
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, came_true in stated:
        bins.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append((confidence, came_true))
    if not stated:
        return None
    return sum(
        abs(sum(confidence for confidence, _ in each) - sum(came_true for _, came_true in each))
        for each in bins.values()
    ) / len(stated)


def _arguments(seed: str) -> str:
    """A literal tuple of arguments as it stands in a call; ``(1,)`` becomes ``(1)``."""
    return "(" + ", ".join(map(repr, ast.literal_eval(seed))) + ")"


def main() -> None:
    parser = argparse.ArgumentParser(description="Verdicts against truth, on recorded samples.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--samples", default="mbpp/gpt_4o@1")
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    parser.add_argument("--candidates-of", action="append", default=[], metavar="mbpp/MODEL@T")
    parser.add_argument("--proposed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    chosen = tasks(
        options.data,
        options.samples,
        options.tasks,
        options.first,
        candidates=options.candidates,
        candidates_of=options.candidates_of,
        proposed=options.proposed,
    )
    found = asyncio.run(run(chosen))
    measured = figures(found)
    print(table(found), json.dumps(measured, indent=2), sep="\n")
    if options.out is not None:
        options.out.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
