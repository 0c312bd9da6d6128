"""Wall time per task of measuring incoherence: ours, DiffTrust's own code, and a plain loop.

    python -m benchmarks.incoherence DATA --difftrust FOLDER [--samples mbpp/gpt_4o@0.6]
        [--tasks 20] [--first 0] [--inputs 1000]

DATA is a folder in the layout of the data pack. FOLDER is a checkout of the experiments'
repository (github.com/mwhicks1/DiffTrust); none of it is kept here. It needs `cloudpickle` in this
interpreter.

Everything in one run, tasks in turn:

- *measuring*: incoherence and error from the seeds on, each drawing its own inputs by the same
  rules (`--mode faithful`).
- *comparing*: incoherence on the same given inputs. DiffTrust and the loop run two programs per
  input; ours runs all of them and counts all pairs (`--mode assay`), or no more than it takes to
  decide whether there is any incoherence (`--mode adaptive`).
- *comparing all*: the share of pairs that differ on any of the same inputs (functional
  incoherence), for which DiffTrust and the loop, too, run all programs on all inputs.

Samples are foreign: DiffTrust's code and the loop run them inside one sandboxed process, too, and
their time is taken there, so that neither pays for the confinement, nor DiffTrust for the processes
that it starts and pickles for. Ours is timed from outside, with all it takes.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from assay_bench import adaptive, faithful
from assay_bench.datasets import SeededTask, read_samples, read_tasks
from assay_bench.disagreeing import Labels, labels, outcome
from assay_bench.incoherence import functional_incoherence, pointwise_incoherence
from assay_bench.measurement import MeasurementBudget
from assay_bench.programs import calls_of, samples_of, serving
from assay_bench.trying import by_sample, testbed_of
from assay_engine.compare.executor import FIRST_SURROUNDINGS, OTHER_SURROUNDINGS, Executor
from assay_sandbox import Call, Limits, Program, Returned, Sandbox

CANDIDATES = 10
LIMITS = Limits(call_seconds=120, load_seconds=60, total_seconds=130, memory_bytes=4 << 30)
THEIR_MODULES = (
    "core.metrics",
    "generic.generic_equal",
    "generic.generic_explorer",
    "generic.generic_mutator",
    "generic.generic_repr",
)
DRIVER = """
import io, itertools, random, sys, time
from difftrust.core.metrics import (
    functional_incoherence,
    pointwise_error,
    pointwise_incoherence,
)
from difftrust.generic.generic_mutator import generic_mutator


def _loaded(source, entry):
    namespace = {}
    try:
        exec(source, namespace)
        return namespace[entry]
    except Exception:
        def fails(*args):
            raise TypeError
        return fails


def _generator(seeds, reference):
    def drawn():
        for _ in range(100):
            seed = random.choice(seeds)
            given = tuple(generic_mutator(x, random.choice([1, 10, 30])) for x in seed)
            try:
                reference(*given)
                return given
            except Exception:
                pass
        return random.choice(seeds)
    return drawn


def measuring(entry, sources, reference, seeds, count):
    sys.stdout = io.StringIO()
    started = time.perf_counter()
    functions = [_loaded(source, entry) for source in sources]
    truth = _loaded(reference, entry)
    generator = _generator(seeds, truth)
    pointwise_incoherence(functions, generator, count)
    pointwise_error(functions, truth, generator, count)
    return time.perf_counter() - started


def comparing(entry, sources, inputs):
    sys.stdout = io.StringIO()
    started = time.perf_counter()
    functions = [_loaded(source, entry) for source in sources]
    waiting = iter(inputs)
    pointwise_incoherence(functions, lambda: next(waiting), len(inputs))
    return time.perf_counter() - started


def comparing_all(entry, sources, inputs):
    sys.stdout = io.StringIO()
    started = time.perf_counter()
    functions = [_loaded(source, entry) for source in sources]
    waiting = iter(inputs)
    functional_incoherence(functions, lambda: next(waiting), len(inputs))
    return time.perf_counter() - started


def _result(function, given):
    try:
        return function(*given)
    except Exception as error:
        return type(error)


def looping(entry, sources, inputs):
    sys.stdout = io.StringIO()
    started = time.perf_counter()
    functions = [_loaded(source, entry) for source in sources]
    differing = 0
    for given in inputs:
        first, second = random.sample(functions, 2)
        differing += _result(first, given) != _result(second, given)
    return time.perf_counter() - started


def looping_all(entry, sources, inputs):
    sys.stdout = io.StringIO()
    started = time.perf_counter()
    functions = [_loaded(source, entry) for source in sources]
    found = [[_result(function, given) for given in inputs] for function in functions]
    differing = sum(one != other for one, other in itertools.combinations(found, 2))
    return time.perf_counter() - started
"""


class Runner:
    """All ways to measure one task. Times are in seconds; None where a way did not end."""

    def __init__(self, sandbox: Sandbox, second: Sandbox, difftrust: Path, inputs: int) -> None:
        self._sandbox = sandbox
        self._second = second
        self._inputs = inputs
        folder = difftrust / "difftrust"
        texts = {
            name: (folder / f"{name.replace('.', '/')}.py").read_text() for name in THEIR_MODULES
        }
        # Their packages' own files import every client of a model that they have.
        texts["generic"] = "from difftrust.generic.generic_equal import generic_equal\n"
        self._head = serving({f"difftrust.{name}": text for name, text in texts.items()})

    def times(self, task: SeededTask, sources: Sequence[str]) -> dict[str, float | None]:
        inputs = [call.args for call in calls_of(task, self._inputs, 0)]
        texts, seeds = list(sources), list(task.seeds)
        given = (task.entry_point, texts)
        return {
            "measuring, ours": self._ours_measuring(task, sources),
            "measuring, DiffTrust": self._inside(
                "measuring", (*given, task.reference, seeds, self._inputs)
            ),
            "comparing, ours": self._ours_comparing(task, sources, pointwise_incoherence),
            "comparing, ours until decided": self._ours_deciding(task, sources),
            "comparing, DiffTrust": self._inside("comparing", (*given, inputs)),
            "comparing, loop": self._inside("looping", (*given, inputs)),
            "comparing all, ours": self._ours_comparing(task, sources, functional_incoherence),
            "comparing all, DiffTrust": self._inside("comparing_all", (*given, inputs)),
            "comparing all, loop": self._inside("looping_all", (*given, inputs)),
        }

    def _inside(self, entry: str, arguments: tuple[object, ...]) -> float | None:
        program = Program(self._head + DRIVER, entry)
        (seen,) = self._sandbox.run(program, [Call(arguments)], LIMITS)
        if not isinstance(seen, Returned):
            print(f"    {entry}: {seen}"[:200])
            return None
        return float(seen.value)

    def _ours_measuring(self, task: SeededTask, sources: Sequence[str]) -> float | None:
        started = time.perf_counter()
        found = faithful.measure(
            self._sandbox, task, sources, MeasurementBudget(inputs=self._inputs)
        )
        return None if found.error is None else time.perf_counter() - started

    def _ours_comparing(
        self,
        task: SeededTask,
        sources: Sequence[str],
        incoherence: Callable[[Sequence[Labels]], float],
    ) -> float:
        calls = calls_of(task, self._inputs, 0)
        started = time.perf_counter()
        samples = samples_of(task, sources)
        rows = self._sandbox.run_many(samples.programs, calls)
        numbers = [labels([outcome(seen) for seen in column]) for column in zip(*rows, strict=True)]
        by_input = [by_sample(each, samples.drawn) for each in numbers]
        # Where one has no say, there is no row of all.
        incoherence([row for row in by_input if len(row) == len(samples.drawn)])
        return time.perf_counter() - started

    def _ours_deciding(self, task: SeededTask, sources: Sequence[str]) -> float:
        calls = calls_of(task, min(self._inputs, adaptive.INPUTS_MAX), 0)
        started = time.perf_counter()
        samples = samples_of(task, sources)
        executor = Executor(self._sandbox, self._second, Limits())
        asyncio.run(adaptive.decide(testbed_of(executor, task, calls), samples))
        return time.perf_counter() - started


def report(rows: Sequence[dict[str, float | None]]) -> None:
    """Medians over the tasks that every way measured, and ratios to DiffTrust's task by task."""
    whole = [row for row in rows if None not in row.values()]
    if not whole:
        print("no task was measured by all")
        return
    print(f"\n{len(whole)} of {len(rows)} tasks\n\n| | median s | mean s | DiffTrust's / this |")
    print("|---|---:|---:|---:|")
    for name in whole[0]:
        theirs = f"{name.partition(',')[0]}, DiffTrust"
        times = [row[name] or 0.0 for row in whole]
        ratios = [(row[theirs] or 0.0) / time for row, time in zip(whole, times, strict=True)]
        middle, ratio = statistics.median(times), statistics.median(ratios)
        print(f"| {name} | {middle:.3f} | {statistics.mean(times):.3f} | {ratio:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Incoherence: ours, DiffTrust's, a plain loop.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--difftrust", type=Path, required=True)
    parser.add_argument("--samples", default="mbpp/gpt_4o@0.6")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--inputs", type=int, default=1000)
    options = parser.parse_args()
    benchmark = options.samples.partition("/")[0]
    tasks = read_tasks(options.data / f"tasks/{benchmark}.jsonl.gz")
    samples = read_samples(options.data / f"samples/{options.samples}.jsonl.gz")
    chosen = [task for task in tasks if task.task_id in samples]
    rows: list[dict[str, float | None]] = []
    with (
        Sandbox(surroundings=FIRST_SURROUNDINGS) as sandbox,
        Sandbox(surroundings=OTHER_SURROUNDINGS) as second,
    ):
        sandbox.start()
        second.start()
        runner = Runner(sandbox, second, options.difftrust, options.inputs)
        for task in chosen[options.first :][: options.tasks]:
            row = runner.times(task, samples[task.task_id][:CANDIDATES])
            rows.append(row)
            shown = ", ".join(
                f"{name} {'-' if t is None else f'{t:.3f}'}" for name, t in row.items()
            )
            print(f"{task.task_id}: {shown}", flush=True)
    report(rows)


if __name__ == "__main__":
    main()
