"""Measures one task: which samples pass which tests, and which sample each way selects."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assay_bench.codet.tasks import GeneratedTask, calls_in
from assay_bench.datasets import SeededTask
from assay_bench.disagreeing import labels, outcome
from assay_bench.programs import samples_of
from assay_bench.selection import max_test, plurality
from assay_engine.fixes.asserting import asserting, passes
from assay_engine.methods.triangulation.selection import ransac
from assay_sandbox import Call, Limits, Observation, Program, Returned, Sandbox

LIMITS = Limits(call_seconds=1.0, load_seconds=5.0, total_seconds=30.0)
# Limits for the tests of the benchmark, which must not fail because the machine is slow.
TRUTH_LIMITS = Limits(call_seconds=5.0, load_seconds=10.0, total_seconds=20.0)
CALLS_MAX = 100

_TRUTH = """

def _assay_is_right():
    check({entry})
    return True
"""
_NO_ARGUMENTS = Call()


class Selected(msgspec.Struct, frozen=True):
    """A task's pass@1 for each way of selecting: a chance if the way leaves several samples.

    `random` is the share of right samples. A way that selects nothing has 0: nothing is not right.
    `calls` counts executions, without those for the truth.
    """

    task_id: str
    samples: int
    assertions: int
    random: float
    codet: float
    max_test: float
    plurality: float
    calls: int


def select(sandbox: Sandbox, task: GeneratedTask) -> Selected:
    """Measure the task, with everything run confined. Never raises because of a program."""
    samples = samples_of(SeededTask(task.task_id, task.entry_point, "", ()), task.samples)
    right = _right(sandbox, task, samples.programs)
    passed = _passed(sandbox, task, samples.programs)
    inputs = calls_in(task.assertions, task.entry_point)[:CALLS_MAX]
    alike = _alike(sandbox.run_many(samples.programs, inputs, LIMITS)) if inputs else ()
    drawn = samples.drawn
    agreement = [passed[number] for number in drawn]
    consensus, best = ransac(agreement), max_test(agreement)
    by_class = [_members(alike, drawn, number) for number in drawn]

    def share(chosen: Sequence[int]) -> float:
        return sum(right[drawn[each]] for each in chosen) / len(chosen) if chosen else 0.0

    return Selected(
        task_id=task.task_id,
        samples=len(drawn),
        assertions=len(task.assertions),
        random=share(range(len(drawn))),
        codet=share(() if consensus is None else consensus.block.programs),
        max_test=share(() if best is None else _with_as_many(agreement, best)),
        plurality=share(plurality(by_class)),
        calls=len(samples.programs) * (len(task.assertions) + len(inputs)),
    )


def _right(sandbox: Sandbox, task: GeneratedTask, programs: Sequence[Program]) -> list[bool]:
    ending = f"\n{task.truth}\n" + _TRUTH.format(entry=task.entry_point)
    tested = [Program(each.source + ending, "_assay_is_right") for each in programs]
    rows = sandbox.run_many(tested, [_NO_ARGUMENTS], TRUTH_LIMITS)
    return [all(map(passes, row)) for row in rows]


def _passed(
    sandbox: Sandbox, task: GeneratedTask, programs: Sequence[Program]
) -> list[frozenset[int]]:
    """For each program, the assertions that hold."""
    if not task.assertions:
        return [frozenset() for _ in programs]
    testing = [asserting(each) for each in programs]
    calls = [Call((text,)) for text in task.assertions]
    rows = sandbox.run_many(testing, calls, LIMITS)
    return [frozenset(n for n, seen in enumerate(row) if passes(seen)) for row in rows]


def _alike(rows: Sequence[Sequence[Observation]]) -> tuple[int | None, ...]:
    """For each program, the number of its behaviour on all inputs; None if it returns on none."""
    columns = [labels([outcome(seen) for seen in column]) for column in zip(*rows, strict=True)]
    numbers: dict[tuple[int | None, ...], int] = {}
    behaviours = zip(*columns, strict=True)
    return tuple(
        numbers.setdefault(behaviour, len(numbers))
        if any(isinstance(seen, Returned) for seen in row)
        else None
        for behaviour, row in zip(behaviours, rows, strict=True)
    )


def _members(alike: Sequence[int | None], drawn: Sequence[int], number: int) -> tuple[int, ...]:
    """The samples that behave as program `number` does; none if this returns on no input."""
    if not alike or alike[number] is None:
        return ()
    return tuple(n for n, program in enumerate(drawn) if alike[program] == alike[number])


def _with_as_many(agreement: Sequence[frozenset[int]], best: int) -> tuple[int, ...]:
    most = len(agreement[best])
    return tuple(n for n, passed in enumerate(agreement) if len(passed) == most)
