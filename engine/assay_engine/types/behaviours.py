"""Inputs, and what programs did on them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from msgspec import Struct, field

from assay_engine.types.functions import Example
from assay_sandbox import Call, Observation


class Origin(StrEnum):
    """Where an input came from, most trusted first: see docs/inputs.md.

    Each with its name in reports, and a phrase that says so to people.
    """

    phrase: str

    EXAMPLE = "example", "an example of the docstring"
    PROPOSED = "proposed", "proposed by the model"
    OPEN = "open", "left open by the docstring, as the model says"
    MADE = "made", "made from the annotations, the docstring's calls and the code's literals"

    def __new__(cls, name: str, phrase: str) -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.phrase = phrase
        return member


class Input(Struct, frozen=True):
    """A call, and where it came from.

    `partition` is the part of the input space for which the model proposed the call, in the model's
    words; of an `OPEN` one, the question that the docstring leaves open. It is empty for calls that
    the model did not propose.
    """

    call: Call
    origin: Origin
    partition: str = ""


class EquivalenceClass(Struct, frozen=True):
    """Programs that behaved alike on every input in the domain.

    - `members`: the numbers, from 0, of different candidates that vote
    - `weight`: how many samples these are
    - `has_original`: whether the user's function is among them
    - `program`: the first member as the model wrote it, or empty if there is none
    - `models`: how many of the samples each model wrote, if several were asked
    - `alike`: for each class of the report in its order, on how many inputs in the domain this
      class does what that one does; like `program`, it is left out where there are many classes
    """

    members: tuple[int, ...]
    weight: int
    has_original: bool
    program: str = ""
    alike: tuple[int, ...] = ()
    models: Mapping[str, int] = field(default_factory=dict[str, int])


class Behaviour(Struct, frozen=True):
    """One outcome on one input, with how many samples show it and whether the original does."""

    observation: Observation
    weight: int
    is_original: bool
    candidates: tuple[int, ...]


class ExampleFailure(Struct, frozen=True):
    """A docstring example that the function itself does not meet, reproduced twice.

    `got` is what a prompt would show of the function's outcome, which may be nothing. Of
    `candidates_total` samples, `candidates_passing` meet the example, and `candidates_agreeing`
    return what the function returns on it.
    """

    example: Example
    got: str
    candidates_passing: int
    candidates_agreeing: int
    candidates_total: int

    @property
    def is_disputed(self) -> bool:
        """Whether either the example or the function may be wrong.

        At least as many samples side with the function as meet the example, although all of them
        were shown the example.
        """
        return 0 < self.candidates_agreeing >= self.candidates_passing
