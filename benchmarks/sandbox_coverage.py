"""What lines cost: a batch with coverage beside the same batch without.

One child, the six algorithms of the workload one after the other, 1000 calls each; start and end of
the processes are in both times.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from operator import truediv
from pathlib import Path

from assay_sandbox import Call, Program, Sandbox
from benchmarks.sandbox_workload import INPUTS, VARIANTS, workload


def coverage_lines(interpreters: Sequence[Path | None], rounds: int) -> Iterator[str]:
    """A line for each interpreter; None is our own."""
    programs, inputs = workload()
    each = [Program(source, "f") for source in programs[::VARIANTS]]
    calls = [Call(arguments) for arguments in inputs]
    for interpreter in interpreters:
        with Sandbox(interpreter, workers=1) as sandbox:
            sandbox.start()
            plain = [_seconds(sandbox.run, each, calls)]
            traced = [_seconds(sandbox.run_covered, each, calls)]
            for _ in range(rounds):
                plain.append(_seconds(sandbox.run, each, calls))
                traced.append(_seconds(sandbox.run_covered, each, calls))
        # The first of each finds caches cold.
        plain, traced = plain[1:], traced[1:]
        times = statistics.median(map(truediv, traced, plain))
        rate = len(each) * INPUTS / statistics.median(traced)
        yield (
            f"coverage, {interpreter or 'this interpreter'}: {times:.2f} times the batch without, "
            f"shortest {min(traced) / min(plain):.2f}, {rate:,.0f} calls/s; "
            f"load {os.getloadavg()[0]:.1f}"
        )


def _seconds(
    run: Callable[[Program, Sequence[Call]], object], programs: Sequence[Program], calls: list[Call]
) -> float:
    began = time.perf_counter()
    for program in programs:
        run(program, calls)
    return time.perf_counter() - began
