"""Picks samples to judge, as many right as wrong. Only a seed and the tests decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import cast

from msgspec import Struct

from assay_bench.judges.tasks import ExpectedCall
from assay_engine.compare.same_values import same_value
from assay_engine.values.carried import value_of
from assay_sandbox import Call, LoadFailed, Observation, Raised, Returned, Value

TOLERANCE = 1e-6
# How often each task has its turn before the samples are taken to be too few.
ROUNDS_MAX = 5

Run = Callable[[str, str, Sequence[Call]], Sequence[Observation]]


class Picked(Struct, frozen=True):
    """Sample number `sample` of a task, and whether it passes all tests."""

    task_id: str
    sample: int
    right: bool


def pick(
    count: int,
    tests: Mapping[str, Sequence[ExpectedCall]],
    samples: Mapping[str, Sequence[str]],
    names: Mapping[str, str],
    run: Run,
    *,
    first: int,
    seed: int,
) -> tuple[Picked, ...]:
    """At most `count` samples, half of them right, of as many tasks, in the tasks' order.

    The seed decides the order of tasks and which of a task's `first` samples is tried. A sample is
    taken if its half is not full yet and its truth is clear-cut. `run` is given a task, a source
    and calls.
    """
    random = Random(seed)
    order = [name for name in names if tests.get(name) and samples.get(name)]
    random.shuffle(order)
    room = {True: count - count // 2, False: count // 2}
    found: dict[str, Picked] = {}
    for _ in range(ROUNDS_MAX):
        for name in order:
            index = random.randrange(min(first, len(samples[name])))
            if name in found or not any(room.values()):
                continue
            observed = run(name, samples[name][index], [test.call for test in tests[name]])
            right = truth_of(observed, [test.expected for test in tests[name]])
            if right is not None and room[right]:
                room[right] -= 1
                found[name] = Picked(name, index, right)
    return tuple(found[name] for name in names if name in found)


def truth_of(observed: Sequence[Observation], expected: Sequence[Value]) -> bool | None:
    """Whether every output is the expected one; None if that is not clear-cut.

    It is not clear-cut if the outputs differ in nothing but list for tuple, or if a call gave no
    answer within its limits, which may be the machine's fault. Floats may differ by a millionth.
    """
    pairs = list(zip(observed, expected, strict=True))
    if all(_is(entry, value, lenient=False) for entry, value in pairs):
        return True
    if any(not isinstance(entry, Returned | Raised | LoadFailed) for entry, _ in pairs):
        return None
    return None if all(_is(entry, value, lenient=True) for entry, value in pairs) else False


def _is(observation: Observation, expected: Value, *, lenient: bool) -> bool:
    return isinstance(observation, Returned) and _alike(
        value_of(observation.value), expected, lenient=lenient
    )


def _alike(value: Value, expected: Value, *, lenient: bool) -> bool:
    match value, expected:
        case (list() | tuple(), list() | tuple()):
            left, right = cast("Sequence[Value]", value), cast("Sequence[Value]", expected)
            return (
                (lenient or type(left) is type(right))
                and len(left) == len(right)
                and all(_alike(a, b, lenient=lenient) for a, b in zip(left, right, strict=True))
            )
        case (float(), int() | float()) | (int(), float()):
            return value == expected or _close(value, expected)
        case _:
            return same_value(value, expected)


def _close(left: float, right: float) -> bool:
    try:
        return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except OverflowError:  # an integer beyond all floats
        return False
