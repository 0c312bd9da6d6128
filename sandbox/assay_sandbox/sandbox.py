"""The public interface: takes programs and calls, returns observations."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

from . import wire
from .batches import NO_IMPORTS, STANDARD_SURROUNDINGS, Batch, Task
from .errors import WorkerLost
from .frames import Answers, SharedValues
from .measuring import Covered, Timed, Traces, names_told, timed
from .observations import Observation, TimedOut
from .packages import can_be_imported_first, imports_of
from .pool import drive
from .programs import Call, Limits, Program, Surroundings
from .tiers import Choice, Chosen, TierReport, choose
from .zygotes import Interpreter

_STANDARD_LIMITS = Limits()


def usable_cores() -> int:
    """How many processes can run at once on this machine."""
    if sys.platform.startswith("linux"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Sandbox:
    """A pool of confined processes under one interpreter. Thread-safe; cheap until first used.

    `workers` is how many programs run at once, by default one per core this process may use.
    `virtual_environment` is a folder, by its real path, whose packages programs find instead of the
    interpreter's, as if its own interpreter had been started; nothing in it is started.
    """

    def __init__(
        self,
        interpreter: Path | None = None,
        *,
        virtual_environment: Path | None = None,
        tier: str | None = None,
        workers: int | None = None,
        surroundings: Surroundings = STANDARD_SURROUNDINGS,
        unconfined: bool = False,
    ) -> None:
        self._surroundings = surroundings
        # Absolute, because workers start in another working directory.
        started = Interpreter(
            Path(interpreter or sys.executable).absolute(),
            None if virtual_environment is None else Path(virtual_environment).absolute(),
        )
        self._slots = threading.BoundedSemaphore(workers or usable_cores())
        self._choice = Choice(
            partial(choose, started, surroundings, tier=tier, unconfined=unconfined)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def tier(self) -> TierReport:
        """The confinement in use; determines it first if nothing has run yet."""
        found = self.tier_within(math.inf)
        assert found is not None
        return found

    def tier_within(self, seconds: float) -> TierReport | None:
        """As `tier`, or None if it is not known in that time; the search then continues."""
        ends = monotonic() + seconds
        chosen = self._choice.wait(lambda: monotonic() >= ends)
        return None if chosen is None else chosen[1]

    @property
    def started_in(self) -> TierReport | None:
        """The confinement in use, if there is any yet; starts nothing."""
        made = self._choice.made
        return None if made is None else made[1]

    def start(self) -> None:
        """Start now what the first run would start. Raises SandboxError if nothing can be run."""
        self.tier_within(math.inf)

    def close(self) -> None:
        """End every process. Calls that still run in other threads end with an error."""
        self._choice.close()

    def run(
        self, program: Program, calls: Sequence[Call], limits: Limits = _STANDARD_LIMITS
    ) -> tuple[Observation, ...]:
        """Observe the program on every call. Raises SandboxError if nothing can be run."""
        return self.run_many((program,), calls, limits)[0]

    def run_many(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        limits: Limits = _STANDARD_LIMITS,
        *,
        cancelled: threading.Event | None = None,
    ) -> tuple[tuple[Observation, ...], ...]:
        """Run every program on every call, several programs at a time."""
        found: list[list[Observation]] = [[] for _ in programs]
        for number, answers in self._drive(programs, calls, limits, cancelled):
            found[number] += answers.observations
        return tuple(map(tuple, found))

    def stream(
        self, program: Program, calls: Sequence[Call], limits: Limits = _STANDARD_LIMITS
    ) -> Iterator[tuple[int, Observation]]:
        """Yield the number and observation of each call as soon as they are known."""
        for _number, answers in self._drive((program,), calls, limits, None):
            yield from enumerate(answers.observations, answers.first)

    def run_covered(
        self,
        program: Program,
        calls: Sequence[Call],
        limits: Limits = _STANDARD_LIMITS,
        *,
        cancelled: threading.Event | None = None,
    ) -> tuple[Covered, ...]:
        """As `run`, with the lines of every call; several times slower."""
        traces = Traces()
        watched = self._watched(program, calls, limits, "lines", cancelled)
        return tuple(Covered(observation, traces[text]) for _number, observation, text in watched)

    def run_comparing(
        self,
        program: Program,
        calls: Sequence[Call],
        limits: Limits = _STANDARD_LIMITS,
        *,
        cancelled: threading.Event | None = None,
    ) -> frozenset[str]:
        """The names of what the calls change of what the program shares with others.

        That is what its own names stand for, and attributes of the modules that it imports.
        """
        watched = self._watched(program, calls, limits, "shared", cancelled)
        return frozenset(name for _number, _seen, text in watched for name in names_told(text))

    def run_timed(
        self, program: Program, calls: Sequence[Call], limits: Limits = _STANDARD_LIMITS
    ) -> tuple[Timed, ...]:
        """As `run`, with the wall time of every call; short calls take half as long again."""
        return tuple(each for _number, each in self.stream_timed(program, calls, limits))

    def stream_timed(
        self, program: Program, calls: Sequence[Call], limits: Limits = _STANDARD_LIMITS
    ) -> Iterator[tuple[int, Timed]]:
        """As `stream`, with the wall time of every call."""
        for number, observation, text in self._watched(program, calls, limits, "seconds", None):
            yield number, timed(observation, text)

    def _watched(
        self,
        program: Program,
        calls: Sequence[Call],
        limits: Limits,
        watch: wire.Watch,
        cancelled: threading.Event | None,
    ) -> Iterator[tuple[int, Observation, str]]:
        for _number, answers in self._drive((program,), calls, limits, cancelled, watch=watch):
            told = answers.told or [""] * len(answers.observations)
            pairs = zip(answers.observations, told, strict=True)
            for number, (observation, text) in enumerate(pairs, answers.first):
                yield number, observation, text

    def _drive(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        limits: Limits,
        cancelled: threading.Event | None,
        *,
        watch: wire.Watch = "",
    ) -> Iterator[tuple[int, Answers]]:
        is_cancelled = cancelled.is_set if cancelled is not None else lambda: False
        chosen = self._choice.wait(is_cancelled)
        if chosen is None:
            # The same observation as for a program that is cancelled while it runs.
            ended = TimedOut(limits.total_seconds, whole_batch=True)
            for number in range(len(programs)):
                yield number, Answers(0, [ended] * len(calls), [])
            return
        try:
            yield from self._driven(chosen, programs, calls, limits, is_cancelled, watch)
        except OSError as error:
            # Descriptors or memory are short; a moment later they may suffice.
            raise WorkerLost(f"programs cannot be run: {error}") from error

    def _driven(
        self,
        chosen: Chosen,
        programs: Sequence[Program],
        calls: Sequence[Call],
        limits: Limits,
        is_cancelled: Callable[[], bool],
        watch: wire.Watch,
    ) -> Iterator[tuple[int, Answers]]:
        source, _report = chosen
        inputs = source.hold(wire.inputs_bytes(calls))
        shared = SharedValues()
        ahead = can_be_imported_first(calls, self._surroundings)

        def batch(program: Program) -> Batch:
            imports = imports_of(program) if ahead else NO_IMPORTS
            return Batch(
                Task(
                    program, inputs, len(calls), limits, shared, self._surroundings, imports, watch
                ),
                source,
            )

        try:
            yield from drive(list(map(batch, programs)), self._slots, is_cancelled)
        finally:
            inputs.close()
