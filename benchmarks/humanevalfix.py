"""What a check says of functions with a planted bug, and of the same functions without it.

    python -m benchmarks.humanevalfix DATA [--candidates-of humaneval/gpt_4o@0.6 …]
        [--replies FILE] [--base-url URL --model NAME] [--always VERDICT]

Each pair of HumanEvalFix (OctoPack) is put on trial twice, with the bug and without it. DATA is a
folder in the layout of the data pack: humanevalfix/pairs.jsonl.gz, whose `proposed` are the inputs,
and samples/… for the candidates, which are taken in turn from the models named. Pairs without
samples are left out. What the docstring says, a reader answers, as in `benchmarks.settling`. In its
place, `--always FIRST` (or another verdict, or `random`) answers so to whatever is asked. Prints
the functions that are not told of as they should be, and the table.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay_engine.settling.questions import read_preference
from assay_engine.types import Code, Model, Prompt, Reply, Report, Severity, Status, Usage
from benchmarks.data import rows_of
from benchmarks.executor import usual_executor
from benchmarks.readers import readers
from benchmarks.verdicts import CANDIDATES, PATIENT, Task, trial

_VERDICTS = ("FIRST", "SECOND", "BOTH", "NEITHER", "UNDECIDED")
_WARNINGS = (Severity.ERROR, Severity.WARNING)
_OF_EXAMPLE = Code.DOUBTFUL_EXAMPLE


class Unread:
    """A reader that answers without reading: always the same, or at random."""

    def __init__(self, verdict: str) -> None:
        self.name = f"always {verdict}"
        self._verdict = verdict
        self._chance = random.Random(0)

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        word = self._verdict
        if word == "random":
            word = self._chance.choice(_VERDICTS)
        text = f"REASON: It is not read.\nVERDICT: {word}"
        assert read_preference(text) is not None
        return Reply(text, sample, Usage(1), cached=True)


def pairs(data: Path, candidates_of: Sequence[str], limit: int) -> Iterator[tuple[Task, str, str]]:
    """Tasks for which each model wrote candidates, with the wrong and the right module text."""
    makers = [
        {row["task_id"]: row["samples"] for row in rows_of(data / f"samples/{each}.jsonl.gz")}
        for each in candidates_of
    ]
    for row in rows_of(data / "humanevalfix/pairs.jsonl.gz"):
        name = row["task_id"]
        turns = zip(*(each.get(name, ()) for each in makers), strict=False)
        candidates = [sample for turn in turns for sample in turn][:limit]
        if len(candidates) < limit:
            continue
        seeds = tuple(repr(tuple(each)) for each in ast.literal_eval(row["proposed"]))
        task = Task(name, row["entry_point"], "", "", seeds, (), ("", *candidates))
        yield task, row["prompt"] + row["buggy_solution"], row["prompt"] + row["canonical_solution"]


async def run(chosen: Iterator[tuple[Task, str, str]], reader: Model) -> list[tuple[Report, bool]]:
    """The report on each function, and whether it is right."""
    found: list[tuple[Report, bool]] = []
    with usual_executor() as executor:
        for task, *texts in chosen:
            for right, text in enumerate(texts):
                report = await trial(text, task, executor, reader)
                found.append((report, bool(right)))
                expected = Status.TRUSTED if right else Status.SUSPECT
                if report.verdict.status is not expected:
                    said = [each.message for each in (*report.findings, *report.problems)]
                    label = "right" if right else "wrong"
                    print(f"{task.name} {task.entry}: {label}, {report.verdict.status}", *said[:1])
    return found


def table(found: Sequence[tuple[Report, bool]]) -> str:
    """How many functions have which verdict, and what is said of them in the terms of others.

    True is a warning of a wrong function, false one of a right one; noise is information on a right
    one. That an example of the docstring is likely to be wrong says nothing of the function.
    """
    counted = Counter((right, report.verdict.status) for report, right in found)
    statuses = (Status.TRUSTED, Status.SUSPECT, Status.AMBIGUOUS, Status.ABSTAINED)
    rows = [
        f"| {label} | {' | '.join(str(counted[right, each]) for each in statuses)} |"
        for right, label in ((True, "right"), (False, "wrong"))
    ]
    told = Counter[tuple[bool, str]]()
    for report, right in found:
        severities = {each.severity for each in report.findings if each.code is not _OF_EXAMPLE}
        loud = bool(severities.intersection(_WARNINGS))
        told[right, "warning" if loud else "information" if severities else ""] += 1
    questions = sum(len(each.readings) for report, _ in found for each in report.settling)
    requests = questions + sum(1 + report.candidates for report, _ in found if report.candidates)
    columns = ("warning", False), ("warning", True), ("information", True)
    true, false, noise = (told[right, severity] for severity, right in columns)
    summed = f"true {true}, false {false}, noise {noise}; {requests} requests, {questions} of them"
    lines = [f"| | {' | '.join(statuses)} |", f"|---|{'---:|' * len(statuses)}", *rows]
    return "\n".join([*lines, "", f"{summed} questions what the docstring says"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--candidates-of", action="append", default=[], metavar="humaneval/MODEL@T")
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    recorded = Path(__file__).parent / "recorded/humanevalfix.jsonl"
    parser.add_argument("--replies", type=Path, default=recorded)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--model", default="readers")
    parser.add_argument("--always", choices=(*_VERDICTS, "random"))
    options = parser.parse_args()
    makers = options.candidates_of or ["humaneval/gpt_4o@0.6"]
    reader: Model = (
        Unread(options.always)
        if options.always
        else readers(options.replies, options.base_url, options.model, PATIENT)
    )
    print(table(asyncio.run(run(pairs(options.data, makers, options.candidates), reader))))


if __name__ == "__main__":
    main()
