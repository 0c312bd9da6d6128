"""Which accusations the docstring bears out, as a reader has it, beside what is true of them.

    python -m benchmarks.settling DATA --samples mbpp/gpt_4o@1 [--tasks 60] [--first 0]
        [--function 0] [--replies FILE] [--base-url URL --model NAME]

Puts tasks on trial as `benchmarks.verdicts` does. Whoever would be accused is asked about: replies
come from the transcript FILE and, with an endpoint, from that where the transcript has none; they
are added to it. Prints a line for each accusation, and how many of them came true with the question
and without it.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay_engine.messages.opinions import settling_phrases
from assay_engine.types import Model, Status
from benchmarks.executor import usual_executor
from benchmarks.readers import readers
from benchmarks.verdicts import PATIENT, Task, judge, tasks


async def run(chosen: Iterator[Task], reader: Model) -> Counter[tuple[bool, bool]]:
    """How many accusations there are, by whether they stand and whether the function is right."""
    counted: Counter[tuple[bool, bool]] = Counter()
    with usual_executor() as executor:
        for task in chosen:
            outcome = await judge(task, executor, reader)
            if outcome is None or not outcome[0].settling:
                continue
            report, right = outcome
            stands = report.verdict.status is Status.SUSPECT
            counted[stands, right] += 1
            print(f"{task.name}: {report.verdict.status}, {'right' if right else 'wrong'}")
            for each in (*report.findings, *report.problems):
                print(f"  {each.message}")
            for line in settling_phrases(report, str, str):
                print(f"  {line}", flush=True)
    return counted


def table(counted: Counter[tuple[bool, bool]]) -> str:
    rows = (
        ("accused", (True, False)),
        ("of these, the docstring says so", (True,)),
        ("of these, it leaves it open", (False,)),
    )
    return "\n".join(
        [
            "| | wrong | right |",
            "|---|---:|---:|",
            *(
                f"| {name} | {sum(counted[each, False] for each in stands)} "
                f"| {sum(counted[each, True] for each in stands)} |"
                for name, stands in rows
            ),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--samples", default="mbpp/gpt_4o@1")
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--function", type=int, default=0)
    parser.add_argument("--replies", type=Path, default=Path("benchmarks/recorded/settling.jsonl"))
    parser.add_argument("--base-url", default="")
    parser.add_argument("--model", default="readers")
    options = parser.parse_args()
    chosen = tasks(options.data, options.samples, options.tasks, options.first, options.function)
    reader = readers(options.replies, options.base_url, options.model, PATIENT)
    print(table(asyncio.run(run(chosen, reader))))


if __name__ == "__main__":
    main()
