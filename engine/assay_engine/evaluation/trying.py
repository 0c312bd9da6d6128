"""Runs a task's samples on its calls and keeps what counts: the matrix behind assay mode."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from assay_engine.evaluation.datasets import Task
from assay_engine.evaluation.disagreeing import (
    Labels,
    Seen,
    counts,
    labels,
    outcome,
    refusing_types,
)
from assay_engine.evaluation.programs import documented_of
from assay_engine.incoherence import pointwise_incoherence
from assay_engine.running.laboratory import Laboratory
from assay_sandbox import Call, Program

# By input: what every program did, in the programs' order.
Matrix = list[tuple[Seen, ...]]


class Trial(Struct, frozen=True):
    """What the samples of a task are run on, and what else is known of the task."""

    laboratory: Laboratory
    calls: tuple[Call, ...]
    documented: tuple[str, ...]

    async def run(
        self, programs: Sequence[Program], start: int = 0, end: int | None = None
    ) -> Matrix:
        """Outcomes on the calls from `start` to `end`."""
        return await self._seen(programs, self.calls[start:end])

    async def settled(
        self, programs: Sequence[Program], matrix: Matrix, doubtful: Collection[int]
    ) -> Matrix:
        """The matrix with None wherever another seed changes an outcome on a doubtful input."""
        chosen = sorted(doubtful)
        again = await self._seen(programs, [self.calls[index] for index in chosen], second=True)
        result = list(matrix)
        for index, seen in zip(chosen, again, strict=True):
            result[index] = tuple(map(_same_twice, matrix[index], seen))
        return result

    def counted(self, matrix: Matrix) -> list[int]:
        """The inputs that count, by number."""
        return [index for index, seen in enumerate(matrix) if counts(seen, self.documented)]

    async def _seen(
        self, programs: Sequence[Program], calls: Sequence[Call], *, second: bool = False
    ) -> Matrix:
        rows = await self.laboratory.run(programs, calls, self.documented, second=second)
        return [tuple(map(outcome, column)) for column in zip(*rows, strict=True)]


def trial_of(laboratory: Laboratory, task: Task, calls: tuple[Call, ...]) -> Trial:
    return Trial(laboratory, calls, documented_of(task))


def disputed(matrix: Matrix, inputs: Collection[int]) -> list[int]:
    """Those of the inputs on which programs that have a say differ."""
    return [index for index in inputs if len(set(said(matrix[index])) - {None}) > 1]


def said(seen: Sequence[Seen]) -> Labels:
    """By program, what it says on an input; None where it has no say."""
    return labels(refusing_types(seen))


def incoherence_of(matrix: Matrix, inputs: Collection[int], drawn: Sequence[int]) -> float:
    """Over the samples that have a say, by the number of their program; exact, over all pairs."""
    return pointwise_incoherence([by_sample(said(matrix[index]), drawn) for index in inputs])


def whole_rows(matrix: Matrix, inputs: Collection[int], drawn: Sequence[int]) -> list[Labels]:
    """What every sample says, on those of the inputs on which all of them have a say."""
    spoken = (said(matrix[index]) for index in inputs)
    rows = (tuple(numbers[program] for program in drawn) for numbers in spoken)
    return [row for row in rows if None not in row]


def by_sample(numbers: Labels, drawn: Sequence[int]) -> tuple[int, ...]:
    """What the samples say, those left out that have no say."""
    found = (numbers[program] for program in drawn)
    return tuple(number for number in found if number is not None)


def _same_twice(first: Seen, second: Seen) -> Seen:
    if first is None or second is None:
        return None
    one, other = labels((first, second))
    return first if one == other else None
