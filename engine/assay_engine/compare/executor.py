"""Runs programs on inputs through the sandbox, off the event loop, and keeps what was observed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, field, structs

from assay_engine.compare.behaviours import normalised
from assay_engine.compare.process_details import without_incidentals
from assay_engine.config.settings import Execution
from assay_engine.syntax.expressions import ANSWERING, OPERATOR, with_operator
from assay_engine.types import Specification
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Covered, Limits, Observation, Program, Sandbox, Surroundings

# What a program finds in an executor's two sandboxes. Programs that wait are compared by what they
# do, and nobody waits for them.
FIRST_SURROUNDINGS = Surroundings(skips_waits=True)
OTHER_SURROUNDINGS = Surroundings(hash_seed=1, random_seed=1, skips_waits=True)


# How long the modules of a project may take to load, where each program does that for itself.
LOAD_SECONDS = 10.0

Row = tuple[Observation, ...]
_Batch = tuple[bool, Program, str]
_Result = TypeVar("_Result")


class Tally(Struct):
    """How many calls of programs were made."""

    calls: int = 0


class Executor(Struct, frozen=True):
    """Two sandboxes that differ in hash and random seeds, and the limits programs run under.

    Behaviour that a program shows in both is its own; behaviour that differs is chance.
    `known` has what programs did on calls, by sandbox, program and calls. A trial comes back to the
    same programs: at its second look, and when it tries a replacement.
    """

    first: Sandbox
    second: Sandbox
    limits: Limits
    tally: Tally = field(default_factory=Tally)
    known: dict[_Batch, Row] | None = None

    def for_trial(self) -> Executor:
        """The same executor for one trial: it counts that trial's calls alone, and runs nothing
        twice that the trial has run."""
        return structs.replace(self, tally=Tally(), known={})

    async def run(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        documented: Collection[str] = (),
        *,
        second: bool = False,
        anew: bool = False,
    ) -> tuple[Row, ...]:
        """One row of observations per program, without incidentals. Equal programs run once; with
        `anew`, also those of which it is known what they do.

        Exceptions are named by the documented types that they derive from. If the awaiting task is
        cancelled, the children are killed.
        """
        if not programs or not calls:
            return tuple(() for _ in programs)
        runner = self.second if second else self.first
        known = {} if self.known is None else self.known
        written = "\n".join(map(call_key, calls))
        batches = {each: (second, each, written) for each in programs}
        missing = [each for each, batch in batches.items() if anew or batch not in known]
        self.tally.calls += len(missing) * len(calls)
        if missing:
            rows = await _cancellable(
                lambda cancelled: runner.run_many(missing, calls, self.limits, cancelled=cancelled)
            )
            known |= zip([batches[each] for each in missing], rows, strict=True)
        return tuple(
            tuple(_seen(entry, documented) for entry in known[batches[each]]) for each in programs
        )

    async def run_twice(
        self, program: Program, calls: Sequence[Call], documented: Collection[str] = ()
    ) -> tuple[Row, Row]:
        """Run a program in both sandboxes at the same time. If one fails, the other is ended."""
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
        """The same as `run` of one program, with the lines of every call; several times slower."""
        if not calls:
            return ()
        self.tally.calls += len(calls)
        seen = await _cancellable(
            lambda cancelled: self.first.run_covered(
                program, calls, self.limits, cancelled=cancelled
            )
        )
        return tuple(
            replace(entry, observation=_seen(entry.observation, documented)) for entry in seen
        )

    async def changed(self, program: Program, calls: Sequence[Call]) -> frozenset[str]:
        """The names of what the calls change of what the program shares with others."""
        if not calls:
            return frozenset()
        self.tally.calls += len(calls)
        return await _cancellable(
            lambda cancelled: self.first.run_comparing(
                program, calls, self.limits, cancelled=cancelled
            )
        )


def _seen(observation: Observation, documented: Collection[str]) -> Observation:
    return normalised(without_incidentals(observation), documented)


async def _cancellable(work: Callable[[threading.Event], _Result]) -> _Result:
    """Do the work in a thread; set the event if nobody waits for its result any more."""
    cancelled = threading.Event()
    try:
        return await asyncio.to_thread(work, cancelled)
    except asyncio.CancelledError:
        cancelled.set()
        raise


@contextmanager
def open_executor(
    limits: Limits, interpreter: Path | None = None, *, workers: int | None = None
) -> Generator[Executor]:
    """An executor whose sandboxes are closed at the end. Nothing is started until it is used."""
    with (
        Sandbox(interpreter, workers=workers, surroundings=FIRST_SURROUNDINGS) as first,
        Sandbox(interpreter, workers=workers, surroundings=OTHER_SURROUNDINGS) as second,
    ):
        yield Executor(first, second, limits)


def limits_of(execution: Execution) -> Limits:
    return Limits(
        call_seconds=execution.call_seconds,
        load_seconds=LOAD_SECONDS,
        total_seconds=execution.batch_seconds,
        memory_bytes=execution.memory_bytes,
    )


def program_of(specification: Specification, source: str | None = None) -> Program:
    """The program of a specification, with `source` in place of its own text if given."""
    text, entry = source or specification.running_text, specification.callable_path
    if specification.unit.name in ANSWERING and len(specification.parameters) == 2:
        text, entry = with_operator(text, entry), OPERATOR
    return Program(text, entry, specification.place)
