"""What is asked about a task, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """How a task is measured: as the experiments did, as Assay does, or as little as will do."""

    FAITHFUL = "faithful"
    ASSAY = "assay"
    ADAPTIVE = "adaptive"


@dataclass(frozen=True, slots=True)
class Budget:
    """How much is drawn and run. `seconds` bounds one batch of calls, loading included."""

    candidates: int = 10
    inputs: int = 1000
    seed: int = 0
    seconds: float = 60.0
    mode: Mode = Mode.FAITHFUL


@dataclass(frozen=True, slots=True)
class Measurement:
    """A task's quantities; None with a `problem` where they could not be had.

    `samples` is how many the incoherence was decided with. `calls` counts executions of programs:
    in faithful mode all of them, in the others those of the samples that it took to decide. What
    it takes to measure the error, which no user can, is not what they cost.
    """

    task_id: str
    samples: int
    incoherence: float | None = None
    error: float | None = None
    problem: str | None = None
    calls: int = 0
