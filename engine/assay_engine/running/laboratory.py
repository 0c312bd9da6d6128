"""Runs programs on inputs through the sandbox, off the event loop, and keeps what was observed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar, cast

from msgspec import Struct, field, structs

from assay_engine.running.carried import arguments_of
from assay_engine.running.comparing import normalised
from assay_engine.settings import Execution
from assay_engine.types import Specification
from assay_sandbox import (
    Call,
    Container,
    Covered,
    Expression,
    Instance,
    Iterated,
    Limits,
    Observation,
    Opaque,
    Program,
    Returned,
    Value,
)


class Runner(Protocol):
    """What the engine needs of a sandbox."""

    def run_many(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        limits: Limits = ...,
        *,
        cancelled: threading.Event | None = None,
    ) -> tuple[tuple[Observation, ...], ...]:
        """One row of observations per program, one entry per call."""
        ...

    def run_covered(
        self,
        program: Program,
        calls: Sequence[Call],
        limits: Limits = ...,
        *,
        cancelled: threading.Event | None = ...,
    ) -> tuple[Covered, ...]:
        """One entry per call, with the lines it ran through."""
        ...


Row = tuple[Observation, ...]
_Result = TypeVar("_Result")


class Tally(Struct):
    """How many calls of programs were asked for."""

    calls: int = 0


class Laboratory(Struct, frozen=True):
    """Two sandboxes that differ in hash and random seeds, and the limits programs run under.

    What a program does in both is its own doing; what differs between them is chance.
    """

    first: Runner
    second: Runner
    limits: Limits
    tally: Tally = field(default_factory=Tally)

    def counting(self) -> Laboratory:
        """The same laboratory for one trial, whose calls are counted by themselves."""
        return structs.replace(self, tally=Tally())

    def hurried(self) -> Laboratory:
        """The same laboratory, where a program is given up the first time that it needs too long.

        For inputs that can be done without.
        """
        return structs.replace(self, limits=replace(self.limits, timeouts_before_giving_up=1))

    async def run(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        documented: Collection[str] = (),
        *,
        second: bool = False,
    ) -> tuple[Row, ...]:
        """Rows by program. Exceptions are named by the documented types they derive from.

        If the awaiting task is cancelled, the children are killed.
        """
        if not programs or not calls:
            return tuple(() for _ in programs)
        self.tally.calls += len(programs) * len(calls)
        runner = self.second if second else self.first
        rows = await _cancellable(
            lambda cancelled: runner.run_many(programs, calls, self.limits, cancelled=cancelled)
        )
        return tuple(tuple(normalised(entry, documented) for entry in row) for row in rows)

    async def run_twice(
        self, program: Program, calls: Sequence[Call], documented: Collection[str] = ()
    ) -> tuple[Row, Row]:
        """One program in both sandboxes at the same time. If one fails, the other is ended."""
        both = [
            asyncio.ensure_future(self.run([program], calls, documented, second=second))
            for second in (False, True)
        ]
        try:
            (first,), (second,) = await asyncio.gather(*both)
        finally:
            for each in both:
                each.cancel()
        return first, second

    async def covered(
        self, program: Program, calls: Sequence[Call], documented: Collection[str] = ()
    ) -> tuple[Covered, ...]:
        """As `run` of one program, with the lines of every call; several times slower."""
        if not calls:
            return ()
        self.tally.calls += len(calls)
        seen = await _cancellable(
            lambda cancelled: self.first.run_covered(
                program, calls, self.limits, cancelled=cancelled
            )
        )
        return tuple(
            replace(entry, observation=normalised(entry.observation, documented)) for entry in seen
        )


async def _cancellable(work: Callable[[threading.Event], _Result]) -> _Result:
    """What the work gives, in a thread; the event is set if nobody waits for it any more."""
    cancelled = threading.Event()
    try:
        return await asyncio.to_thread(work, cancelled)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def limits_of(execution: Execution) -> Limits:
    return Limits(
        call_seconds=execution.call_seconds,
        total_seconds=execution.batch_seconds,
        memory_bytes=execution.memory_bytes,
    )


def program_of(specification: Specification, source: str | None = None) -> Program:
    """The program of a specification, with `source` in place of its own text if given."""
    return Program(
        source or specification.program, specification.callable_path, specification.modules
    )


_TABLES = frozenset(
    f"pandas.{name}" for name in ("DataFrame", "Series", "Index", "MultiIndex", "array")
)
_ECHO = "_assay_echo"
_ECHO_SOURCE = f"""

def {_ECHO}(*args, **kwargs):
    return (args, kwargs)
"""


async def materialised(
    laboratory: Laboratory, specification: Specification, calls: Sequence[Call]
) -> tuple[Call, ...]:
    """The calls with their expressions evaluated, in the sandbox, in the program's namespace.

    A call whose arguments cannot be made (a constructor refuses, a name is missing) is left out.
    One whose arguments cannot be carried, or are tables, keeps its expressions.
    """
    written = [
        call for call in calls if _holds([*call.args, *dict(call.kwargs).values()], _is_expression)
    ]
    if not written:
        return tuple(calls)
    program = Program(specification.program + _ECHO_SOURCE, _ECHO, specification.modules)
    (row,) = await laboratory.run([program], written)
    made: dict[int, Call | None] = {}
    for call, observation in zip(written, row, strict=True):
        made[id(call)] = _carried(call, observation)
    results = (made.get(id(call), call) for call in calls)
    return tuple(call for call in results if call is not None)


def _carried(call: Call, observation: Observation) -> Call | None:
    if not isinstance(observation, Returned):
        return None
    arguments = arguments_of(observation.value)
    if arguments is None:
        return None
    args, kwargs = arguments
    values = (*args, *kwargs.values())
    # A table made of what is told of it has no `freq`, and nobody would write it like that.
    if not all(map(is_carried, values)) or _holds(values, _is_table):
        return call
    return replace(call, args=args, kwargs=tuple(kwargs.items()))


def is_carried(value: Value) -> bool:
    """Whether the value, sent back as an input, would be the same again."""
    return not _holds(value, lambda part: isinstance(part, Opaque | Iterated | Expression))


def _is_expression(value: Value) -> bool:
    return isinstance(value, Expression)


def _is_table(value: Value) -> bool:
    return isinstance(value, Container) and value.type_name in _TABLES


def _holds(value: Value, sought: Callable[[Value], bool]) -> bool:
    """Whether the value is, or has somewhere inside, what is sought."""
    match value:
        case _ if sought(value):
            return True
        case list() | tuple() | set() | frozenset():
            return any(_holds(item, sought) for item in cast("Collection[Value]", value))
        case dict():
            mapping = cast("dict[Value, Value]", value)
            return any(_holds(part, sought) for pair in mapping.items() for part in pair)
        case Instance():
            return any(_holds(item, sought) for _, item in value.fields)
        case Container():
            return _holds(value.items, sought)
        case _:
            return False
