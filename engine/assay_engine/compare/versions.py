"""Compares a function with another version of it: on which inputs do the two not do the same?

The other version votes alone, with the weight of a consensus: inputs that it accepts count, and
what it does there is what the function is held to. So whether two do the same is decided as it is
for candidates, chance, arguments left and private fields included.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.counterexamples import counterexamples
from assay_engine.compare.ensemble import Ensemble, tabulated, told_instability, votes_on
from assay_engine.compare.evidence import Instability
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.votes import ACCUSING, Standing, Vote
from assay_engine.config.settings import CANDIDATES_MIN
from assay_engine.types import Input, Specification
from assay_sandbox import Call, Program, Value

# How often an input is made smaller, and how many smaller ones are tried each time.
ROUNDS_MAX = 12
SMALLER_MAX = 60
# From a longer text or list, halves are taken first.
PLACES_MAX = 16


class Compared(Struct, frozen=True):
    """The votes on all inputs that the function answers the same way twice, and one of those on
    which the two versions differ, seen again in fresh processes; None if there is none."""

    votes: tuple[Vote, ...]
    difference: Vote | None = None
    instability: Instability | None = None

    @property
    def accepted(self) -> int:
        """How many of the inputs the other version accepts."""
        return sum(each.standing is not Standing.OUTSIDE for each in self.votes)

    def __add__(self, other: Compared) -> Compared:
        return Compared(
            (*self.votes, *other.votes),
            self.difference or other.difference,
            self.instability or other.instability,
        )


def pair(specification: Specification, other: Program, documented: Iterable[str]) -> Ensemble:
    """The function and its other version. `documented` are the exceptions that are answers."""
    return Ensemble(
        programs=(program_of(specification), other),
        weights=(CANDIDATES_MIN,),
        documented=tuple(documented),
        has_receiver=specification.has_receiver,
    )


async def compare(
    executor: Executor, ensemble: Ensemble, inputs: Sequence[Input], *, within: Executor
) -> Compared:
    """Run both versions. A difference is looked for `within` one executor's limits, and has to
    show again within those of `executor`."""
    table = await tabulated(within, ensemble, inputs)
    ensemble = replace(ensemble, varying=table.varying)
    found = await counterexamples(executor, ensemble, table.votes, ACCUSING)
    return Compared(table.votes, next(iter(found), None), told_instability(table))


async def smallest(executor: Executor, ensemble: Ensemble, seen: Vote) -> Vote:
    """The vote on a call that differs in the same way, and is smaller by as many steps as go."""
    shown = seen
    for _ in range(ROUNDS_MAX):
        steps = islice(smaller(shown.input.call), SMALLER_MAX)
        inputs = [replace(shown.input, call=each) for each in steps]
        # Both versions have to end in the same way as before: they return, say.
        ends = [type(each.observation) for each in (shown.original, shown.leading)]
        votes = [
            each
            for each in await votes_on(executor, ensemble, inputs)
            if each.standing in ACCUSING
            and [type(one.observation) for one in (each.original, each.leading)] == ends
        ]
        found = await counterexamples(executor, ensemble, votes, ACCUSING)
        if not found:
            break
        shown = found[0]
    return shown


def smaller(call: Call) -> Iterator[Call]:
    """The calls that are one step smaller, those that leave most out first."""
    args, named = call.args, call.kwargs
    for at in range(len(named)):
        yield dataclasses.replace(call, kwargs=named[:at] + named[at + 1 :])
    for at, value in enumerate(args):
        for each in _smaller(value):
            yield dataclasses.replace(call, args=(*args[:at], each, *args[at + 1 :]))
    for at, (name, value) in enumerate(named):
        for each in _smaller(value):
            yield dataclasses.replace(call, kwargs=(*named[:at], (name, each), *named[at + 1 :]))


def _smaller(value: Value) -> Iterator[Value]:
    match value:
        case bool():
            yield from (False,) if value else ()
        case int() if value:
            steps = (0, value // 2, abs(value), value - (1 if value > 0 else -1))
            yield from (each for each in dict.fromkeys(steps) if each != value)
        case float() if value:
            whole = float(int(value)) if abs(value) < 1e15 else 0.0
            yield from (each for each in dict.fromkeys((0.0, whole)) if each != value)
        case str() | bytes():
            yield from _shorter(value)
        case list() | tuple():
            items = cast("Sequence[Value]", value)
            yield from _shorter(items)
            for at, item in enumerate(items[:PLACES_MAX]):
                for each in _smaller(item):
                    made = [*items[:at], each, *items[at + 1 :]]
                    yield tuple(made) if isinstance(items, tuple) else made
        case dict():
            entries = cast("dict[Value, Value]", value)
            for key in entries:
                yield {other: item for other, item in entries.items() if other != key}
            for key, item in entries.items():
                for each in _smaller(item):
                    yield entries | {key: each}
        case _:
            pass


def _shorter(items: Value) -> Iterator[Value]:
    half = len(items) // 2
    if half:
        yield items[:half]
        yield items[half:]
    for at in range(min(len(items), PLACES_MAX)):
        yield items[:at] + items[at + 1 :]
