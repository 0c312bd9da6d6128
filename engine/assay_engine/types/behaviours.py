"""Inputs, and what programs did on them."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from assay_engine.types.promises import Example
from assay_sandbox import Call, Observation


class Origin(StrEnum):
    """Where an input came from, most trusted first."""

    EXAMPLE = "example"
    PROPOSED = "proposed"
    TYPED = "typed"
    MUTATED = "mutated"
    SEARCHED = "searched"
    SHRUNK = "shrunk"


# Origins of inputs that somebody thought of who had read the docstring. All others are made up.
MEANT = (Origin.EXAMPLE, Origin.PROPOSED)


class Input(Struct, frozen=True):
    """`partition` is the part of the input space for which the model proposed it, in its words;
    empty for what it did not propose."""

    call: Call
    origin: Origin
    partition: str = ""


class EquivalenceClass(Struct, frozen=True):
    """Programs that behaved alike on every input in the domain.

    `members` index the candidates; `weight` counts samples; `has_original` tells whether the
    user's function is among them.
    """

    members: tuple[int, ...]
    weight: int
    has_original: bool


class Behaviour(Struct, frozen=True):
    """One outcome on one input, by how many samples, and whether by the original too."""

    observation: Observation
    weight: int
    is_original: bool
    candidates: tuple[int, ...]


class Separation(Struct, frozen=True):
    """An input on which programs part ways, reproduced twice in fresh processes.

    `behaviours` are ordered by weight, heaviest first; `total` is the number of samples counted.
    `message` is that of the exception which the original raises, if it was the same each time.
    """

    input: Input
    behaviours: tuple[Behaviour, ...]
    total: int
    message: str = ""

    @property
    def original(self) -> Behaviour:
        """What the function does."""
        return next(behaviour for behaviour in self.behaviours if behaviour.is_original)


class ExampleFailure(Struct, frozen=True):
    """A docstring example that the function itself does not meet, reproduced twice.

    `got` is what a prompt would show of it, which may be nothing. Of `candidates_total` samples, so
    many meet it, and so many return on it what the function does.
    """

    example: Example
    got: str
    candidates_passing: int
    candidates_agreeing: int
    candidates_total: int

    @property
    def is_disputed(self) -> bool:
        """Whether at least as many samples side with the function as meet the example, which all
        of them were shown: either of the two may be wrong."""
        return 0 < self.candidates_agreeing >= self.candidates_passing
