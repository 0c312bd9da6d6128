"""Adaptive mode: no more samples and calls than it takes to say whether a task is incoherent.

Samples are taken one after the other, as a user would pay for them, and run on few inputs. Two
things decide:

- The first difference that counts (`disagreeing`) and is seen again under other seeds. Such a
  difference is a proof, so looking early does no harm.
- Otherwise `REPETITIONS` samples that repeat an earlier program. The inputs are so many that a
  difference which two programs show on the share `RARE_INPUT` would have been missed with
  probability `MISSED_INPUT` (the detection rule of theorem 4.3, arXiv:2507.00057). Only a program
  not yet seen can differ, and the more samples repeat one, the fewer new programs are to come. So
  the samples are spent where texts vary. How much this misses is measured
  (benchmarks/notes/assay-mode.md).

The error is that of all samples on all inputs, so that assay mode and this one detect the same
thing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from assay_bench.datasets import SeededTask
from assay_bench.incoherence import detection_trials
from assay_bench.measurement import Measurement, MeasurementBudget
from assay_bench.oracleless import measure as measure_all
from assay_bench.programs import Samples, calls_of, constants_for, samples_of
from assay_bench.trying import Matrix, Testbed, disputed, incoherence_of, testbed_of
from assay_engine.compare.executor import Executor

RARE_INPUT, MISSED_INPUT = 0.03, 0.05
REPETITIONS = 3
INPUTS_MAX = detection_trials(RARE_INPUT, MISSED_INPUT)
# Most programs that differ at all do so among the first inputs.
FIRST_INPUTS = 30
# How many differences are looked at a second time at once. One that stays is enough.
CONFIRMED_AT_ONCE = 5


class StoppingPoint(Struct, frozen=True):
    """What had been seen when the decision was made."""

    incoherence: float
    samples: int
    calls: int


def measure(
    executor: Executor, task: SeededTask, texts: Sequence[str], budget: MeasurementBudget
) -> Measurement:
    """Measure a task: `incoherence`, `samples`, `calls` and time are those of the decision, `error`
    is that of all samples on all inputs."""
    everything = measure_all(executor, task, texts, budget)
    if everything.incoherence is None:
        return everything
    started = monotonic()
    decision = decided(executor, task, texts, budget)
    return replace(
        everything,
        incoherence=decision.incoherence,
        whole=None,
        samples=decision.samples,
        calls=decision.calls,
        decision_seconds=monotonic() - started,
    )


def decided(
    executor: Executor, task: SeededTask, texts: Sequence[str], budget: MeasurementBudget
) -> StoppingPoint:
    """The decision about a task that has seeds and samples."""
    samples = samples_of(task, texts[: budget.candidates])
    # When inputs are chosen, only the first sample is there.
    constants = constants_for(task, samples.first(1))
    calls = calls_of(task, min(budget.inputs, INPUTS_MAX), budget.seed, constants)
    return asyncio.run(decide(testbed_of(executor, task, calls), samples))


async def decide(testbed: Testbed, samples: Samples) -> StoppingPoint:
    """Run samples until the first difference that counts, or until none is to be expected."""
    deciding = _Deciding(testbed)
    for count in range(1, len(samples.drawn) + 1):
        drawn = samples.first(count)
        incoherence = await deciding.after(drawn)
        if incoherence > 0.0 or count - len(drawn.programs) == REPETITIONS:
            return StoppingPoint(incoherence, count, deciding.calls)
    return StoppingPoint(0.0, len(samples.drawn), deciding.calls)


class _Deciding:
    def __init__(self, testbed: Testbed) -> None:
        self.calls = 0
        self._testbed = testbed
        self._matrix: Matrix = [() for _ in testbed.calls]

    async def after(self, samples: Samples) -> float:
        """The incoherence after one more sample; 0 if the sample differs from no other."""
        if len(samples.programs) == len(self._matrix[0]):
            return await self._confirmed(samples, len(self._matrix))
        newest = samples.programs[-1:]
        start = 0
        for end in (min(FIRST_INPUTS, len(self._matrix)), len(self._matrix)):
            seen = await self._testbed.run(newest, start, end)
            self.calls += end - start
            for index, column in enumerate(seen, start):
                self._matrix[index] = (*self._matrix[index], *column)
            incoherence = await self._confirmed(samples, end)
            if incoherence > 0.0:
                return incoherence
            start = end
        return 0.0

    async def _confirmed(self, samples: Samples, end: int) -> float:
        matrix = self._matrix[:end]
        heard = self._testbed.heard(matrix)
        while doubtful := disputed(heard)[:CONFIRMED_AT_ONCE]:
            self.calls += len(doubtful) * len(samples.programs)
            matrix = await self._testbed.settled(samples.programs, matrix, doubtful)
            heard = self._testbed.heard(matrix)
            if not set(doubtful).isdisjoint(disputed(heard)):
                return incoherence_of(heard, samples.drawn)
        self._matrix[:end] = matrix
        return 0.0
