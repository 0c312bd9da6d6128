"""Widens a trial in which no programs differ by inputs that a search asks for, branches traced."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.searching import Features, search, shown_by_outcomes
from assay_engine.deciding.tracing import Tracer, representatives
from assay_engine.evaluation.disagreeing import Labels, Seen
from assay_engine.evaluation.programs import Samples
from assay_engine.evaluation.trying import Matrix, Trial
from assay_engine.inputs.choose import unknown
from assay_sandbox import Call, Value


class Widened(Struct, frozen=True):
    """The trial with its new calls, what is known of them, and how many calls that took."""

    trial: Trial
    matrix: Matrix
    calls: int


async def widened(
    trial: Trial,
    samples: Samples,
    matrix: Matrix,
    *,
    calls: int,
    seed: int,
    constants: Sequence[Value],
    fitted: Callable[[Sequence[Call]], Sequence[Call]],
) -> Widened:
    """At most so many `calls` of programs, tracing included, on what is `fitted` of the inputs."""
    tracer = _tracer(trial, samples, matrix)
    per_input = len(samples.programs) + len(tracer.programs)
    known = await _shown(tracer, trial, matrix, tracer.beginning(calls))
    rounds = search(
        trial.calls,
        known,
        count=(calls - tracer.calls) // per_input,
        seed=seed,
        constants=constants,
    )
    found, more = list(trial.calls), list(matrix)
    run = 0
    try:
        asked = next(rounds)
        while True:
            admitted = unknown(fitted(asked), found)
            own = replace(trial, calls=admitted, seeds=0)
            seen = await own.run(samples.programs)
            run += len(admitted) * len(samples.programs)
            found += admitted
            more += seen
            shown = await _shown(tracer, own, seen, len(seen))
            asked = rounds.send((admitted, shown))
    except StopIteration:
        return Widened(replace(trial, calls=tuple(found)), more, run + tracer.calls)


def _tracer(trial: Trial, samples: Samples, matrix: Matrix) -> Tracer:
    heard = trial.heard(matrix)
    behaviours = [
        tuple(said[number] for said in heard.values()) for number in range(len(samples.programs))
    ]
    weights = [samples.drawn.count(number) for number in range(len(samples.programs))]
    chosen = representatives(behaviours, weights)
    return Tracer(trial.laboratory, {number: samples.programs[number] for number in chosen})


async def _shown(
    tracer: Tracer, trial: Trial, matrix: Matrix, traced_max: int
) -> tuple[Features, ...]:
    """By input what it shows; branches only of those that count, up to so many."""
    heard = trial.heard(matrix)
    shown = [
        _features(column, heard[index]) if index in heard else frozenset[str]()
        for index, column in enumerate(matrix)
    ]
    return await tracer.added(trial.calls, shown, traced_max)


def _features(column: Sequence[Seen], said: Labels) -> Features:
    sides: dict[int, tuple[int, ...]] = {}
    for program, label in enumerate(said):
        if label is not None:
            sides[label] = (*sides.get(label, ()), program)
    return shown_by_outcomes(sides.values(), [seen for seen in column if seen is not None])
