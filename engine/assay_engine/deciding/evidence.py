"""What one trial established, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass

from assay_engine.deciding.voting import Vote
from assay_engine.drawing.candidates import Rival
from assay_engine.types import ExampleFailure, Input, Separation, Specification
from assay_sandbox import Observation


@dataclass(frozen=True, slots=True)
class Instability:
    """An input on which two runs of the original, with other seeds, were observed to differ."""

    input: Input
    first: Observation
    second: Observation


@dataclass(frozen=True, slots=True)
class Evidence:
    """`rivals` are the candidates that vote; `excluded` is how many samples failed an example.

    `failures` are the examples that the function fails; `doubtful` those of which it is likelier
    that they are wrong than that the function is. `traced` counts the calls made to trace programs.
    """

    specification: Specification
    rivals: tuple[Rival, ...] = ()
    excluded: int = 0
    failures: tuple[ExampleFailure, ...] = ()
    doubtful: tuple[ExampleFailure, ...] = ()
    inputs: tuple[Input, ...] = ()
    votes: tuple[Vote, ...] = ()
    separation: Separation | None = None
    shown: Vote | None = None
    instability: Instability | None = None
    traced: int = 0
