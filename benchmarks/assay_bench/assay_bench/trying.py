"""Runs a task's samples on its calls and keeps what counts: the matrix behind assay mode."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import takewhile

from msgspec import Struct

from assay_bench.datasets import SeededTask
from assay_bench.disagreeing import (
    Labels,
    Seen,
    counts,
    labels,
    outcome,
    with_a_say,
)
from assay_bench.incoherence import pointwise_incoherence
from assay_bench.plain_calls import called_plainly
from assay_bench.programs import documented_of, seeds_of
from assay_engine.compare.executor import Executor
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Program

# For each input, the behaviour of every program, in the programs' order.
Matrix = list[tuple[Seen, ...]]
# For each input that counts, by its number, the label of every program; None if it has no say.
Heard = dict[int, Labels]


class Testbed(Struct, frozen=True):
    """The calls that the samples of a task are run on, and what else is known of the task.

    `seeds`: how many of the calls, at the beginning, are the task's own seeds.
    """

    executor: Executor
    calls: tuple[Call, ...]
    documented: tuple[str, ...]
    seeds: int

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

    def heard(self, matrix: Matrix) -> Heard:
        """The labels of the programs on the inputs that count."""
        return {
            index: labels(with_a_say(seen, self.documented, is_seed=index < self.seeds))
            for index, seen in enumerate(matrix)
            if counts(seen, self.documented)
        }

    async def _seen(
        self, programs: Sequence[Program], calls: Sequence[Call], *, second: bool = False
    ) -> Matrix:
        plain = [replace(each, source=called_plainly(each.source, each.entry)) for each in programs]
        rows = await self.executor.run(plain, calls, self.documented, second=second)
        return [tuple(map(outcome, column)) for column in zip(*rows, strict=True)]


def testbed_of(executor: Executor, task: SeededTask, calls: tuple[Call, ...]) -> Testbed:
    """The testbed of a task. `calls` are distinct; seeds of the task come before other calls."""
    seeds = {call_key(Call(arguments)) for arguments in seeds_of(task)}
    first = takewhile(lambda call: call_key(call) in seeds, calls)
    return Testbed(executor, calls, documented_of(task), len(tuple(first)))


def disputed(heard: Heard) -> list[int]:
    """The inputs on which programs that have a say differ."""
    return [index for index, said in heard.items() if len(set(said) - {None}) > 1]


def incoherence_of(heard: Heard, drawn: Sequence[int]) -> float:
    """The incoherence of the samples that have a say, exactly, over all pairs. `drawn` gives the
    number of each sample's program."""
    return pointwise_incoherence([by_sample(said, drawn) for said in heard.values()])


def whole_rows(heard: Heard, drawn: Sequence[int]) -> list[Labels]:
    """The label of every sample on each input on which all samples have a say."""
    rows = (tuple(said[program] for program in drawn) for said in heard.values())
    return [row for row in rows if None not in row]


def by_sample(numbers: Labels, drawn: Sequence[int]) -> tuple[int, ...]:
    """The labels of the samples, without samples that have no say."""
    found = (numbers[program] for program in drawn)
    return tuple(number for number in found if number is not None)


def _same_twice(first: Seen, second: Seen) -> Seen:
    if first is None or second is None:
        return None
    one, other = labels((first, second))
    return first if one == other else None
