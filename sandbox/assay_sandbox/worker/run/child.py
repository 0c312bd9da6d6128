"""One program in one process: confine, load, run the batch, end."""

from __future__ import annotations

import marshal
import os

from .. import imports
from ..bounds import ticking, wire
from ..confine import confinement, descriptors
from . import loading, running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .inputs import BatchInputs

# Where the host's descriptors are put before everything above them is closed.
FIRST_KEPT = 3
PIPE, PAGE, PROGRAM, GATE = range(FIRST_KEPT, FIRST_KEPT + 4)
GATE_BYTES = 8
# What a child needs beside its own limit: the page and its thread's stack.
CHILD_OVERHEAD = 32 << 20


class Forked(BaseException):
    """Raised in a child that goes on with an import that its zygote has begun."""

    def __init__(self, ready: running.Ready) -> None:
        super().__init__()
        self.ready = ready


class PreparedChild:
    """What the zygote makes for all its children, so that each touches only what it uses."""

    def __init__(self, tier: str, place: loading.Place | None, *, sessions: bool) -> None:
        self.confinement = confinement.ChildConfinement(tier, sessions=sessions)
        self.running = running.Prepared(place)


def main(
    given: list[int],
    inputs: BatchInputs,
    base_bytes: int,
    prepared: PreparedChild,
    go_on: Callable[[running.Ready], None],
) -> None:
    """Does not return, unless `go_on` raises `Forked`. `given`: pipe, page, program, gate."""
    status: int | None = 1
    try:
        # Opened anew: file status flags of a shared description would hold for the next program.
        silence()
        _keep(given)
        job = marshal.loads(read_all(PROGRAM))
        out = wire.Wire(PIPE, PAGE, job.pop("token"))
        for descriptor in (PAGE, PROGRAM):
            os.close(descriptor)
        limits: dict[str, Any] = job["limits"]
        ticker = ticking.ticker()
        # Before anything that depends on the program's text.
        prepared.confinement.enter(
            base_bytes + CHILD_OVERHEAD + limits["memory_bytes"],
            int(limits["total_seconds"]) + 2,
        )
        chance = running.import_needed(job, inputs, imports.COMMON)
        ready = running.Ready(out, job, inputs, prepared.running, ticker, chance=chance)
        inputs.touch()
        # Up to here the previous program may still run; none of this program's code has run.
        os.read(GATE, GATE_BYTES)
        os.close(GATE)
        go_on(ready)
        status = 0
    except Forked:
        status = None
        raise
    finally:
        # No `atexit` function, thread or buffer of the program may act any more.
        if status is not None:
            os._exit(status)


def silence() -> None:
    """Lead standard input, output and error nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def _keep(given: list[int]) -> None:
    """Move our descriptors to fixed numbers, and close all others."""
    # By way of higher numbers, lest one descriptor overwrite another.
    free = max(GATE, *given) + 1
    for place, descriptor in enumerate(given, free):
        os.dup2(descriptor, place)
    for offset in range(len(given)):
        os.dup2(free + offset, FIRST_KEPT + offset)
    descriptors.close_from(GATE + 1)


def read_all(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
