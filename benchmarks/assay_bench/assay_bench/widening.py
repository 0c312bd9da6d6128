"""Widens a testbed on which no programs differ, by inputs from a search that traces branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_bench.disagreeing import Labels, Seen
from assay_bench.programs import Samples
from assay_bench.trying import Matrix, Testbed
from assay_engine.search.searching import (
    BranchTracer,
    Features,
    representatives,
    search,
    shown_by_outcomes,
)
from assay_engine.values.carried import unknown
from assay_sandbox import Call, Value


class Widened(Struct, frozen=True):
    """The testbed with its new calls, the outcomes on them, and the number of executions."""

    testbed: Testbed
    matrix: Matrix
    calls: int


async def widened(
    testbed: Testbed,
    samples: Samples,
    matrix: Matrix,
    *,
    calls: int,
    seed: int,
    constants: Sequence[Value],
    fitted: Callable[[Sequence[Call]], Sequence[Call]],
) -> Widened:
    """Widen the testbed by inputs that pass `fitted`, with at most `calls` executions of programs,
    tracing included."""
    tracer = _tracer(testbed, samples, matrix)
    per_input = len(samples.programs) + len(tracer.programs)
    known = await _shown(tracer, testbed, matrix, tracer.beginning(calls))
    rounds = search(
        testbed.calls,
        known,
        count=(calls - tracer.calls) // per_input,
        seed=seed,
        constants=constants,
    )
    found, more = list(testbed.calls), list(matrix)
    run = 0
    try:
        asked = next(rounds)
        while True:
            admitted = unknown(fitted(asked), found)
            own = replace(testbed, calls=admitted, seeds=0)
            seen = await own.run(samples.programs)
            run += len(admitted) * len(samples.programs)
            found += admitted
            more += seen
            shown = await _shown(tracer, own, seen, len(seen))
            asked = rounds.send((admitted, shown))
    except StopIteration:
        return Widened(replace(testbed, calls=tuple(found)), more, run + tracer.calls)


def _tracer(testbed: Testbed, samples: Samples, matrix: Matrix) -> BranchTracer:
    heard = testbed.heard(matrix)
    behaviours = [
        tuple(said[number] for said in heard.values()) for number in range(len(samples.programs))
    ]
    weights = [samples.drawn.count(number) for number in range(len(samples.programs))]
    chosen = representatives(behaviours, weights)
    return BranchTracer(testbed.executor, {number: samples.programs[number] for number in chosen})


async def _shown(
    tracer: BranchTracer, testbed: Testbed, matrix: Matrix, traced_max: int
) -> tuple[Features, ...]:
    """What each input shows; branches only for inputs that count, at most `traced_max` of them."""
    heard = testbed.heard(matrix)
    shown = [
        _features(column, heard[index]) if index in heard else frozenset[str]()
        for index, column in enumerate(matrix)
    ]
    return await tracer.added(testbed.calls, shown, traced_max)


def _features(column: Sequence[Seen], said: Labels) -> Features:
    sides: dict[int, tuple[int, ...]] = {}
    for program, label in enumerate(said):
        if label is not None:
            sides[label] = (*sides.get(label, ()), program)
    return shown_by_outcomes(sides.values(), [seen for seen in column if seen is not None])
