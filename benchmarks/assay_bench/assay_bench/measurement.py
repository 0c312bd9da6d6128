"""The budget of a task's measurement, and its result."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from assay_bench.incoherence import Interval


class Mode(StrEnum):
    """How to measure a task: as the experiments did, as Assay does, or with the least effort."""

    FAITHFUL = "faithful"
    ASSAY = "assay"
    ADAPTIVE = "adaptive"


class MeasurementBudget(Struct, frozen=True):
    """How much to draw and run. `seconds` bounds one batch of calls, loading included."""

    candidates: int = 10
    inputs: int = 1000
    seed: int = 0
    seconds: float = 60.0
    mode: Mode = Mode.FAITHFUL


class Whole(Struct, frozen=True):
    """Quantities of programs as a whole (arXiv:2507.00057, appendix C): the share of pairs that
    differ on any input, the share of samples that are wrong on any, and the entropy, in nats, of
    the classes of samples that behave alike."""

    functional_incoherence: float
    semantic_entropy: float
    functional_error: float | None = None


class Intervals(Struct, frozen=True):
    """Intervals that hold the true means with a probability of 0.95 each, over inputs like those
    drawn and these samples (appendices B.1 and B.2)."""

    incoherence: Interval
    error: Interval


class Measurement(Struct, frozen=True):
    """A task's quantities; None with a `problem` if they could not be measured.

    `samples` is the number of samples that the incoherence was decided with. `calls` counts
    executions of programs: in faithful mode all of them, in the other modes the executions of
    samples that it took to decide. There, measuring the error does not count as cost, since no user
    can do it. `whole` is given if all programs ran on all inputs, `intervals` if pairs and inputs
    were drawn, and `decision_seconds` (wall time) if deciding is apart from measuring the error.
    """

    task_id: str
    samples: int
    incoherence: float | None = None
    error: float | None = None
    problem: str | None = None
    calls: int = 0
    whole: Whole | None = None
    intervals: Intervals | None = None
    decision_seconds: float | None = None
