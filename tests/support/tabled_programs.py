"""Programs that are tables, and a runner that looks them up and counts what it was sent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from assay_engine.methods.triangulation.formulas.evaluate import Rounds
from assay_sandbox import Call, Limits, Observation, Program, Raised, Returned, Value, encode


class Failure(Enum):
    INVALID = "raises ValueError: Invalid input"
    CRASH = "raises KeyError"


LIMITS = Limits()
T = TypeVar("T")

Doing = Value | Failure
Table = Callable[..., Doing]


@dataclass
class TabledRunner:
    """Runs the program whose source is a table's name."""

    tables: Mapping[str, Table]
    messages: int = 0
    made: list[tuple[str, tuple[Value, ...]]] = field(default_factory=list)

    def run_many(
        self,
        programs: Sequence[Program],
        calls: Sequence[Call],
        limits: Limits = LIMITS,
        *,
        cancelled: threading.Event | None = None,
    ) -> tuple[tuple[Observation, ...], ...]:
        self.messages += len(programs)
        self.made += [(program.source, call.args) for program in programs for call in calls]
        return tuple(
            tuple(_observed(self.tables[program.source](*call.args)) for call in calls)
            for program in programs
        )


def driven(rounds: Rounds[T], runner: TabledRunner) -> T:
    """The result of the rounds, without an event loop."""
    try:
        requests = next(rounds)
        while True:
            requests = rounds.send(
                [runner.run_many(each.programs, each.calls) for each in requests]
            )
    except StopIteration as finished:
        return finished.value


def _observed(doing: Doing) -> Observation:
    match doing:
        case Failure.INVALID:
            return Raised("ValueError", "Invalid input", ("Exception",))
        case Failure.CRASH:
            return Raised("KeyError", "1", ("LookupError", "Exception"))
        case _:
            return Returned(encode(doing))
