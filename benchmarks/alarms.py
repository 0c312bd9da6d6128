"""How often samples that pass all tests are called incoherent, in a run that is already there.

    python -m benchmarks.alarms RUN --tasks DATA/tasks/mbpp.jsonl.gz
        --tests DATA/tasks/mbppplus.jsonl.gz --samples DATA/samples/mbpp/gpt_4o@0.6.jsonl.gz
        [--candidates 10]

RUN is the folder of a run of `assay bench incoherence`. A stricter look at its false alarms, with a
second truth beside the reference: a task is *right* if its samples pass all tests. What is alarmed
about such a task and differs from the reference on inputs that the tests lack is listed apart.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from assay_bench.datasets import read_samples, read_tasks
from assay_bench.judges.tasks import ExpectedCall, read_tests
from assay_bench.worker.likeness import RELATIVE_DIFFERENCE
from assay_engine.compare.policy import Policy
from assay_engine.compare.same_values import same_value
from assay_engine.values.carried import value_of
from assay_sandbox import Limits, Observation, Program, Returned, Sandbox

LIMITS = Limits(call_seconds=3.0, load_seconds=10.0, total_seconds=60.0)


def all_pass(
    sandbox: Sandbox, entry: str, samples: tuple[str, ...], tests: tuple[ExpectedCall, ...]
) -> bool:
    programs = [Program(text, entry) for text in dict.fromkeys(samples)]
    rows = sandbox.run_many(programs, [test.call for test in tests], LIMITS)
    return all(_passes(seen, test) for row in rows for seen, test in zip(row, tests, strict=True))


def _passes(seen: Observation, test: ExpectedCall) -> bool:
    return isinstance(seen, Returned) and same_value(
        value_of(seen.value), test.expected, Policy(RELATIVE_DIFFERENCE)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="False alarms against tests.")
    parser.add_argument("run", type=Path)
    parser.add_argument("--tasks", type=Path, required=True, help="for the names of functions")
    parser.add_argument("--tests", type=Path, required=True)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--candidates", type=int, default=10)
    options = parser.parse_args()
    tests, samples = read_tests(options.tests), read_samples(options.samples)
    names = {task.task_id: task.entry_point for task in read_tasks(options.tasks)}
    lines = (options.run / "tasks.jsonl").read_text().splitlines()
    right, alarmed = 0, []
    with Sandbox() as sandbox:
        for row in map(json.loads, lines):
            name = row["task_id"]
            if not tests.get(name) or row["error"] is None:
                continue
            drawn = samples[name][: options.candidates]
            if all_pass(sandbox, names[name], drawn, tests[name]):
                right += 1
                if row["incoherence"] > 0.0:
                    alarmed.append(row)
    false = [row["task_id"] for row in alarmed if row["error"] == 0.0]
    print(f"{right} tasks whose samples all pass the tests, {len(alarmed)} of them incoherent")
    print(f"incoherent, and no sample differs from the reference: {', '.join(false) or 'none'}")


if __name__ == "__main__":
    main()
