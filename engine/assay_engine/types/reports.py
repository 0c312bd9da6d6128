"""Reports on trials, and their progress."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field

from assay_engine.types.asking import Usage
from assay_engine.types.behaviours import EquivalenceClass
from assay_engine.types.problems import Problem
from assay_engine.types.verdicts import (
    Clarification,
    Code,
    Finding,
    Replacement,
    Verdict,
    Witness,
)


class Tier(StrEnum):
    """How much a check may cost. `THOROUGH` triangulates after the ordinary evidence."""

    STANDARD = "standard"
    THOROUGH = "thorough"


class Opinion(StrEnum):
    """One vote of a judge: on an output, or, by judges that read code, on the code."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Reading(StrEnum):
    """Which of two outcomes the docstring promises, as a model reads it: the function's own, that
    of the candidates, both, neither, or it does not say."""

    OWN = "own"
    THEIRS = "theirs"
    BOTH = "both"
    NEITHER = "neither"
    OPEN = "open"


class Ruling(StrEnum):
    """A judge's word on the function."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    ABSTAINED = "abstained"


class JudgedOutput(Struct, frozen=True):
    """An input and what the function did on it, as the judge was shown them, and its votes.

    `scenario` is the behaviour that the input is to exercise; None for one on which candidates
    disagree. `votes` are in the order of asking, None for a reply without one. `opinion` is None
    where they decide nothing. `reason` is one sentence in the model's words, or empty.
    """

    input: str
    output: str
    scenario: str | None
    votes: tuple[Opinion | None, ...]
    opinion: Opinion | None
    reason: str


class Judged(Struct, frozen=True):
    """What a judge made of the function: see docs/findings/ASY102.md.

    `score` is the share of outputs found correct, None where nothing was judged.
    """

    judge: str
    ruling: Ruling
    score: float | None
    threshold: float
    pairs: tuple[JudgedOutput, ...] = ()


class Settling(Struct, frozen=True):
    """What a model said when asked whether the docstring settles a call on which candidates do
    otherwise than the function: see docs/findings/ASY101.md.

    `readings` are in the order of asking, None where no reply could be read, or, if not
    `is_answered`, where the last question had none. `reason` is one sentence in the model's words,
    the last that it gave, or empty.
    """

    call: str
    readings: tuple[Reading | None, ...]
    reason: str
    is_answered: bool = True


class TransformedSolution(Struct, frozen=True):
    """A witness: a program for a transformed problem, which is given by header and docstring.

    `samples` counts the draws that gave this very program.
    """

    problem: str
    program: str
    samples: int


class Refutation(Struct, frozen=True):
    """A program that witnesses refute, on which call, with what it returns there and what the
    program that they confirm returns. `weight` counts its samples, 0 for the user's function."""

    call: str
    returned: str
    confirmed: str
    weight: int
    is_original: bool


class Triangulated(Struct, frozen=True):
    """What semantic triangulation found: `scheme` is the one that decided, None if it abstained.

    `witnesses` of `drawn` samples agree, on `inputs` (calls as text), with `confirmed` of the
    candidates' samples, and with the user's function if `confirms_original`. `is_baseline`: the
    witnesses need no other algorithm than the function, so that agreement says little.
    """

    scheme: str | None
    is_baseline: bool
    confirms_original: bool
    confirmed: int
    witnesses: tuple[TransformedSolution, ...]
    agreeing: int
    drawn: int
    inputs: tuple[str, ...]
    refuted: tuple[Refutation, ...]
    usage: Usage


class Partition(Struct, frozen=True):
    """A part of the input space, as the model named it: how many of the inputs that it proposed
    for it were run (none where none could be made), and how many of these count.

    What it proposed for several parts counts for each."""

    name: str
    inputs_run: int
    inputs_in_domain: int


class Cost(Struct, frozen=True):
    """What the check sent and paid now, and what the replies it rests on cost when they were drawn.

    Of the requests of `paid`, `failed` brought no answer.
    """

    paid: Usage = field(default_factory=Usage)
    drawn: Usage = field(default_factory=Usage)
    program_calls: int = 0
    failed: int = 0


class Report(Struct, frozen=True):
    """Everything said about one unit.

    `text_digest` identifies the unit's own text (see `digest.of_text`): a report applies to a unit
    of that name as long as it holds. `digest` also covers context, settings and prompts: it is the
    key under which the report is stored. `line` is 1-based, of the name, as the file was checked.
    `candidates` is how many were asked for.
    `stated` is what the docstring states of its arguments and inputs keep to, in words;
    `partitions` are what the model divided the inputs into, in its order. `dissent` is where
    fewest agree with a function that is found right, or with each other where that keeps a verdict
    away; None if all do. `settling` is what was asked
    before the function was accused. `ignored` are the codes of findings that a comment in the
    function's header keeps out of `findings`. `clarifications` are examples, for the docstring, of
    what may be meant.
    """

    path: str
    qualname: str
    line: int
    text_digest: str
    digest: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    replacements: tuple[Replacement, ...]
    classes: tuple[EquivalenceClass, ...]
    model: str | None
    cost: Cost
    candidates: int = 0
    prompts: Mapping[str, int] = field(default_factory=dict[str, int])
    judged: Judged | None = None
    triangulation: Triangulated | None = None
    stated: tuple[str, ...] = ()
    partitions: tuple[Partition, ...] = ()
    dissent: Witness | None = None
    settling: tuple[Settling, ...] = ()
    ignored: tuple[Code, ...] = ()
    clarifications: tuple[Clarification, ...] = ()


class Progress(Struct, frozen=True):
    """The progress of a check of several units: the unit under way and its stage."""

    done: int
    total: int
    qualname: str
    stage: str


class Listener(Protocol):
    """A function that is told about progress.

    It is called on the engine's own thread, and is expected to return at once.
    """

    def __call__(self, progress: Progress, /) -> None: ...
