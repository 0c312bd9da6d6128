"""How often docstring examples are doubted that are right, on recorded samples of real models.

    python -m benchmarks.examples DATA --samples humaneval/gpt_4o@1 [--samples …]

Of each HumanEval task the first eleven samples are held to the docstring's examples. Each in turn
stands for the user's function, the other ten for the candidates, as a check has it. Prints, for
each set of samples, every example that a function fails and that is doubted, with what the
function gives: whether the example is right is for a reader to say.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay_engine.compare.evidence import is_doubtful
from assay_engine.compare.example_outcomes import meets
from assay_engine.compare.example_trials import ExampleAttempt, OwnTrial, failures, try_examples
from assay_engine.compare.executor import Executor
from assay_engine.specification.specification import specify
from assay_engine.splicing import apply_edits, splice
from assay_engine.syntax.units import find_units
from assay_engine.types import Problem, Specification
from benchmarks.data import rows_of
from benchmarks.executor import usual_executor

SAMPLES = 11


def specifications(data: Path, samples: str) -> Iterator[tuple[Specification, list[str]]]:
    """The specifications that have examples, with the samples as programs."""
    tasks = {row["task_id"]: row for row in rows_of(data / "tasks/humaneval.jsonl.gz")}
    for row in rows_of(data / f"samples/{samples}.jsonl.gz"):
        task = tasks[row["task_id"]]
        header = f"def {task['entry_point']}{task['signature'].rstrip(':')}:"
        docstring = task["description"].strip("\n")
        stub = f"from typing import *\n\n\n{header}\n{docstring}\n    pass\n"
        unit = next((u for u in find_units(stub)[0] if u.qualname == task["entry_point"]), None)
        specification = None if unit is None else specify(stub, unit)
        if unit is None or specification is None or not specification.examples:
            continue
        edits = [splice(stub, unit, sample) for sample in row["samples"][:SAMPLES]]
        yield (
            specification,
            [apply_edits(stub, each) for each in edits if not isinstance(each, Problem)],
        )


async def doubts(
    executor: Executor, specification: Specification, programs: Sequence[str]
) -> list[str]:
    """What is doubted with each of the programs as the function, in one line each."""
    different = list(dict.fromkeys(programs))
    attempts = [ExampleAttempt(example) for example in specification.examples]
    rows = await try_examples(executor, specification, attempts, different)
    seen = dict(zip(different, rows, strict=True))
    found: list[str] = []
    for index, program in enumerate(programs):
        others = [seen[each] for place, each in enumerate(programs) if place != index]
        own = [
            OwnTrial(attempt, observation, meets(attempt.example, observation), steady=True)
            for attempt, observation in zip(attempts, seen[program], strict=True)
        ]
        failed = failures(own, others, [1] * len(others))
        for each in filter(is_doubtful, failed):
            shown = each.example.expected.strip()
            found.append(f"{each.example.call} shows {shown}, given {each.got}")
    return found


async def run(data: Path, samples: str) -> None:
    counted: Counter[str] = Counter()
    docstrings = 0
    with usual_executor() as executor:
        for specification, programs in specifications(data, samples):
            docstrings += 1
            counted.update(await doubts(executor, specification, programs))
    print(f"{samples}: {docstrings} docstrings with examples")
    for line, functions in sorted(counted.items()):
        print(f"  {functions:2} functions: {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Doubted docstring examples.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--samples", action="append", required=True)
    options = parser.parse_args()
    for samples in options.samples:
        asyncio.run(run(options.data, samples))


if __name__ == "__main__":
    main()
