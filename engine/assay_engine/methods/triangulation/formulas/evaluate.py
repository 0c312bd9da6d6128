"""Finds out in rounds for which pairs of programs a property holds.

A class of programs is one whose members did exactly the same so far. A round evaluates every open
formula between representatives of classes, and collects the calls whose outcomes it lacks. All
members of the classes then run these calls, in a few large batches. Classes that come apart are
split, and the next round goes on from there. So a verdict between representatives is the verdict
between any two members: nothing is assumed of a program without running it.

The rounds are a generator of requests that does not know the sandbox; `carried_out` connects them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from msgspec import Struct

from assay_engine.compare.executor import Executor, Row
from assay_engine.methods.triangulation.formulas.outcomes import Memo, ResultKind
from assay_engine.methods.triangulation.formulas.properties import (
    About,
    Clause,
    Interpretation,
    Points,
    Scheme,
)
from assay_engine.methods.triangulation.formulas.values import (
    PENDING,
    TRUE,
    VACUOUS,
    Arguments,
    Function,
)
from assay_sandbox import Call, Encoded, Program

_T = TypeVar("_T")

# Larger requests are cut, so that a slow program does not lose one batch's time to another's.
CALLS_PER_REQUEST_MAX = 2_000


def as_it_is(program: Function) -> Function:
    return program


class Subject(Struct, frozen=True, eq=False):
    """One side of a pair: usually one program as it is.

    `build` makes the function that properties are about from the functions of the programs.
    Subjects with the same programs are equal, so they must have the same `build`.
    """

    programs: tuple[Program, ...]
    build: Callable[..., Function] = as_it_is

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subject) and self.programs == other.programs

    def __hash__(self) -> int:
        return hash(self.programs)


class RunRequest(Struct, frozen=True):
    """Asks to run every program on every call."""

    programs: tuple[Program, ...]
    calls: tuple[Call, ...]


# One tuple of rows per request, in the order of its programs.
Replies: TypeAlias = Sequence[tuple[Row, ...]]
Rounds: TypeAlias = Generator[tuple[RunRequest, ...], Replies, _T]
# For each left sample, the indices of the right samples it agrees with, in order.
Agreement: TypeAlias = tuple[tuple[int, ...], ...]

_Pair: TypeAlias = tuple[Subject, Subject]
# The subjects that a clause is about: a pair, or one side of it, with None for the other side.
_Unit: TypeAlias = tuple[Subject | None, Subject | None]
_Calls: TypeAlias = dict[Encoded, Arguments]


async def carried_out(rounds: Rounds[_T], executor: Executor) -> _T:
    """The result of the rounds; carries out the requests of each round at the same time."""
    try:
        requests = next(rounds)
        while True:
            running = (executor.run(each.programs, each.calls) for each in requests)
            requests = rounds.send(await asyncio.gather(*running))
    except StopIteration as finished:
        return finished.value


def agreements(
    scheme: Scheme, left: Sequence[Subject], right: Sequence[Subject], points: Points, memo: Memo
) -> Rounds[Agreement]:
    """Find out which samples agree with which. Samples with the same text are evaluated once.

    Evaluates clause by clause, cheapest first; a pair that a clause refutes is not run further.
    """
    alive = {(p, q): None for p in left for q in right}
    for clause in scheme.clauses:
        accepted = yield from _accepted(clause, scheme, tuple(alive), points, memo)
        alive = {pair: None for pair in alive if _spoken_of(clause.about, pair) in accepted}
    return tuple(tuple(j for j, q in enumerate(right) if (p, q) in alive) for p in left)


def until_known(compute: Callable[[], _T], memo: Memo) -> Rounds[_T]:
    """Repeat a computation on functions of the memo until it needs no unknown call."""
    while True:
        result = compute()
        asked = memo.taken()
        if not asked:
            return result
        yield from _made(asked, memo)


def _spoken_of(about: About, pair: _Pair) -> _Unit:
    return (
        None if about is About.RIGHT else pair[0],
        None if about is About.LEFT else pair[1],
    )


def _accepted(
    clause: Clause, scheme: Scheme, pairs: Sequence[_Pair], points: Points, memo: Memo
) -> Rounds[set[_Unit]]:
    """The units for which the clause holds."""
    # If the clause is about one side only, any partner will do.
    undecided = {_spoken_of(clause.about, pair): pair for pair in pairs}
    accepted: set[_Unit] = set()
    while undecided:
        wanted: dict[Program, _Calls] = {}
        for units in _classes(undecided, memo):
            p, q = undecided[units[0]]
            judgement = clause.formula(_interpretation(scheme, p, q, points, memo))
            asked = memo.taken()
            if judgement is PENDING:
                _want(asked, [undecided[unit] for unit in units], wanted)
                continue
            if judgement is TRUE or (judgement is VACUOUS and not clause.primary):
                accepted.update(units)
            for unit in units:
                del undecided[unit]
        if wanted:
            yield from _made(wanted, memo)
    return accepted


def _interpretation(
    scheme: Scheme, p: Subject, q: Subject, points: Points, memo: Memo
) -> Interpretation:
    def function(subject: Subject, kind: ResultKind, *, patient: bool = False) -> Function:
        programs = (memo.function(program, kind, patient=patient) for program in subject.programs)
        return subject.build(*programs)

    late = points.rules.late_is_angelic
    return Interpretation(
        function(p, scheme.left),
        function(q, scheme.right),
        points,
        function(p, scheme.left, patient=late),
        function(q, scheme.right, patient=late),
    )


def _classes(undecided: Collection[_Unit], memo: Memo) -> tuple[tuple[_Unit, ...], ...]:
    """The units, grouped by the known outcomes of the programs they consist of."""
    programs = {program for unit in undecided for program in _programs(unit)}
    likeness = {program: memo.likeness(program) for program in programs}
    classes: dict[object, list[_Unit]] = {}
    for unit in undecided:
        alike = tuple(likeness[program] for program in _programs(unit))
        classes.setdefault(alike, []).append(unit)
    return tuple(map(tuple, classes.values()))


def _programs(unit: _Unit) -> tuple[Program, ...]:
    return tuple(program for side in unit if side is not None for program in side.programs)


def _want(
    asked: Mapping[Program, _Calls], pairs: Sequence[_Pair], wanted: dict[Program, _Calls]
) -> None:
    """Note, for all members of a class, the calls that its representatives lack."""
    representatives = pairs[0]
    for pair in pairs:
        for asking, side in zip(representatives, pair, strict=True):
            for representative, program in zip(asking.programs, side.programs, strict=True):
                wanted.setdefault(program, {}).update(asked.get(representative, {}))


def _made(wanted: Mapping[Program, _Calls], memo: Memo) -> Rounds[None]:
    """Have the calls made; programs that need the same calls share a request."""
    together: dict[tuple[Encoded, ...], list[Program]] = {}
    for program, calls in wanted.items():
        unknown = tuple(encoded for encoded in calls if not memo.knows(program, encoded))
        for start in range(0, len(unknown), CALLS_PER_REQUEST_MAX):
            part = unknown[start : start + CALLS_PER_REQUEST_MAX]
            together.setdefault(part, []).append(program)
    arguments = {encoded: each for calls in wanted.values() for encoded, each in calls.items()}
    requests = tuple(
        RunRequest(tuple(programs), tuple(Call(arguments[encoded]) for encoded in part))
        for part, programs in together.items()
    )
    replies = yield requests
    for request, rows in zip(requests, replies, strict=True):
        for program, row in zip(request.programs, rows, strict=True):
            memo.learn(program, request.calls, row)
