"""Observations: what a program did on one call is exactly one of these.

The output of a stopped call is given as far as it is known, and is not compared: how far the call
came is chance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NewType, TypeAlias

# Canonical typed JSON, see docs/internals/sandbox.md. Equal text means equal value; compare before
# decoding.
Encoded = NewType("Encoded", str)
# How the worker's message begins if an argument could not be made.
UNMADE = "input: "
# How the message begins if a program took too long to load.
LATE = "not loaded within "


@dataclass(frozen=True, slots=True)
class Returned:
    """`args_after` holds [args, kwargs] as they were after the call, or None if unchanged.

    In a scene, `files_after` maps the name of every changed file to its content, or to None if it
    is gone, and `mock_calls` lists [name, args, kwargs] of every call of a mock.
    """

    value: Encoded
    args_after: Encoded | None = None
    stdout: str = ""
    files_after: Encoded | None = None
    mock_calls: Encoded | None = None


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception left the call. `lineage` names its base classes, nearest first.

    `passed_on`: it began in a function that an expression of the input gave to the call, and that
    the program has called. `step`: the number of the step, before the call, in which the program
    raised it, counted from 1; None if the call itself did.
    """

    type_name: str
    message: str
    lineage: tuple[str, ...] = ()
    args_after: Encoded | None = None
    stdout: str = ""
    files_after: Encoded | None = None
    mock_calls: Encoded | None = None
    passed_on: bool = field(default=False, compare=False)
    step: int | None = None


@dataclass(frozen=True, slots=True)
class TimedOut:
    """Stopped at a deadline. `whole_batch` if the batch's time, not the call's, ran out."""

    seconds: float
    whole_batch: bool = False
    stdout: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    limit_bytes: int
    stdout: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class OutputExceeded:
    limit_bytes: int
    stdout: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """Stopped for something the confinement forbids; `what` names it."""

    what: str
    stdout: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Crashed:
    """The process ended without an answer: a signal, ``os._exit``, or nonsense on the wire."""

    how: str


@dataclass(frozen=True, slots=True)
class Unserialisable:
    """What the call returned cannot be carried; `what` names its type and the reason.

    Or, if `of_input`, `what` says why the program's process could not make an argument.
    """

    what: str
    stdout: str = field(default="", compare=False)

    @property
    def of_input(self) -> bool:
        """Whether there was no call, because an argument could not be made."""
        return self.what.startswith(UNMADE)


@dataclass(frozen=True, slots=True)
class LoadFailed:
    """The program's own text could not be executed up to its definitions."""

    type_name: str
    message: str

    @property
    def out_of_time(self) -> bool:
        """Whether loading took too long, rather than raised something."""
        return self.type_name == "TimeoutError" and self.message.startswith(LATE)


Observation: TypeAlias = (
    Returned
    | Raised
    | TimedOut
    | OutOfMemory
    | OutputExceeded
    | Refused
    | Crashed
    | Unserialisable
    | LoadFailed
)
