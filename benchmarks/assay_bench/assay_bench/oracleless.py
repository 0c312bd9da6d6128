"""Assay mode: measures a task with what a user has: our inputs, validity and comparison.

The reference is run after everything is decided, and only to say how wrong the samples are. This is
measured on the inputs that count (`disagreeing`) and for which the reference returns something. An
input that it refuses has no right answer, and samples that differ there alone are a false alarm.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_bench.datasets import SeededTask
from assay_bench.disagreeing import Labels, Seen
from assay_bench.incoherence import (
    functional_error,
    functional_incoherence,
    pointwise_error,
    semantic_entropy,
)
from assay_bench.measurement import Measurement, MeasurementBudget, Whole
from assay_bench.programs import (
    Samples,
    calls_of,
    constants_for,
    reference_of,
    samples_of,
)
from assay_bench.trying import (
    Matrix,
    Testbed,
    by_sample,
    disputed,
    incoherence_of,
    testbed_of,
    whole_rows,
)
from assay_bench.worker.likeness import RELATIVE_DIFFERENCE
from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.executor import Executor
from assay_engine.compare.policy import Policy
from assay_sandbox import Program, Returned

# The label that `_wrong_in` gives to a sample that is right.
_RIGHT = 0


class Unmeasurable(Exception):
    """A quantity cannot be measured; the message says which one and why."""


def measure(
    executor: Executor, task: SeededTask, texts: Sequence[str], budget: MeasurementBudget
) -> Measurement:
    """Measure exactly, over all pairs and all inputs that count. Never raises because of what a
    program does."""
    samples = samples_of(task, texts[: budget.candidates])
    return asyncio.run(_measured(executor, task, samples, budget))


async def _measured(
    executor: Executor, task: SeededTask, samples: Samples, budget: MeasurementBudget
) -> Measurement:
    blank = Measurement(task.task_id, len(samples.drawn))
    calls = calls_of(task, budget.inputs, budget.seed, constants_for(task, samples))
    try:
        if not calls or not samples.drawn:
            raise Unmeasurable("incoherence: there are no " + ("samples" if calls else "seeds"))
        testbed = testbed_of(executor, task, calls)
        matrix = await testbed.run(samples.programs)
        blank = replace(blank, calls=len(calls) * len(samples.programs))
        doubtful = disputed(testbed.heard(matrix))
        settled = await testbed.settled(samples.programs, matrix, doubtful)
        blank = replace(blank, calls=blank.calls + len(doubtful) * len(samples.programs))
        heard = testbed.heard(settled)
        if not heard:
            raise Unmeasurable("incoherence: no sample takes any input")
        incoherence = incoherence_of(heard, samples.drawn)
        whole = _whole(whole_rows(heard, samples.drawn))
        blank = replace(blank, incoherence=incoherence, whole=whole)
        errors = await _errors_of(testbed, samples, settled, list(heard), reference_of(task))
        if whole is not None:
            whole = replace(whole, functional_error=errors.functional)
        return replace(blank, error=errors.pointwise, whole=whole)
    except Unmeasurable as reason:
        return replace(blank, problem=str(reason))


def _whole(rows: Sequence[Labels]) -> Whole | None:
    """The quantities of whole programs; None if all samples have a say on no input."""
    if not rows:
        return None
    classes = Counter(zip(*rows, strict=True))
    return Whole(functional_incoherence(rows), semantic_entropy(classes.values()))


class Errors(Struct, frozen=True):
    """`pointwise` is the share of (input, sample) pairs that differ from what the reference
    returns. `functional` is the share of samples that differ on any input, over the inputs on which
    all samples have a say; None without such inputs."""

    pointwise: float
    functional: float | None


async def _errors_of(
    testbed: Testbed, samples: Samples, matrix: Matrix, counted: Sequence[int], reference: Program
) -> Errors:
    """Measure the errors. Raises Unmeasurable if the reference returns on no input."""
    programs = (*samples.programs, reference)
    right = await testbed.run([reference])
    whole = [(*seen, *last) for seen, last in zip(matrix, right, strict=True)]
    valid = [index for index in counted if isinstance(whole[index][-1], Returned)]
    whole = await testbed.settled(programs, whole, [i for i in valid if any(_wrong_in(whole[i]))])
    rows = [
        by_sample(_wrong_in(whole[index]), samples.drawn)
        for index in valid
        if whole[index][-1] is not None
    ]
    if not any(rows):
        raise Unmeasurable("error: the reference returns nothing on the inputs that count")
    complete = [row for row in rows if len(row) == len(samples.drawn)]
    return Errors(
        pointwise_error(rows, [_RIGHT] * len(rows)),
        functional_error(complete, [_RIGHT] * len(complete)) if complete else None,
    )


def _wrong_in(seen: Sequence[Seen]) -> Labels:
    """Whether each sample differs from the reference, which comes last: 0 or 1; None if one of the
    two says nothing. Each sample is compared with the reference itself, whatever others are like
    it."""
    *own, right = seen
    return tuple(
        None
        if each is None or right is None
        else int(not same_behaviour(each, right, Policy(RELATIVE_DIFFERENCE)))
        for each in own
    )
