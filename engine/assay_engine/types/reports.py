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


class Wanted(Struct, frozen=True):
    """A check that somebody wants of a text: of the functions named, or of all.

    `demanded` distinguishes a command from a save.
    """

    names: tuple[str, ...] | None
    demanded: bool
    again: bool
    tier: Tier


class Opinion(StrEnum):
    """One vote of a judge: on an output, or, from a judge that reads code, on the code."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Reading(StrEnum):
    """Which of two outcomes the docstring promises, as a model reads it.

    The function's own outcome, that of the candidates, both, or neither; `OPEN` means that the
    docstring does not say.
    """

    OWN = "own"
    THEIRS = "theirs"
    BOTH = "both"
    NEITHER = "neither"
    OPEN = "open"


class Ruling(StrEnum):
    """A judge's decision on the function."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    ABSTAINED = "abstained"


class JudgedOutput(Struct, frozen=True):
    """An input and the function's outcome, as shown to the judge, with the judge's votes.

    `scenario` is the behaviour that the input is to exercise; None if the input was chosen because
    candidates disagree on it. `votes` are in the order of asking; None stands for a reply without a
    vote. `opinion` is None if the votes decide nothing. `reason` is one sentence in the model's
    words, or empty.
    """

    input: str
    output: str
    scenario: str | None
    votes: tuple[Opinion | None, ...]
    opinion: Opinion | None
    reason: str


class Judged(Struct, frozen=True):
    """What a judge concluded about the function: see docs/findings/ASY102.md.

    `score` is the share of outputs found correct; None if nothing was judged.
    """

    judge: str
    ruling: Ruling
    score: float | None
    threshold: float
    pairs: tuple[JudgedOutput, ...] = ()


class Settling(Struct, frozen=True):
    """A model's answers when asked whether the docstring settles a disputed call.

    On such a call, candidates do something other than the function: see docs/findings/ASY101.md.
    `readings` are in the order of asking. None stands for a reply that could not be read, or, at
    the end if not `is_answered`, for a question that got no reply. `reason` is the last reason that
    the model gave, one sentence in its words, or empty.
    """

    call: str
    readings: tuple[Reading | None, ...]
    reason: str
    is_answered: bool = True


class TransformedSolution(Struct, frozen=True):
    """A witness: a program for a transformed problem.

    `problem` is the header and docstring of that problem. `samples` counts the draws that gave this
    very program.
    """

    problem: str
    program: str
    samples: int


class Refutation(Struct, frozen=True):
    """A program that witnesses refute, and the call on which they do.

    `returned` is what the program returns there, and `confirmed` what the program that the
    witnesses confirm returns. `weight` counts the samples of the refuted program; it is 0 for the
    user's function.
    """

    call: str
    returned: str
    confirmed: str
    weight: int
    is_original: bool


class Triangulated(Struct, frozen=True):
    """What semantic triangulation found.

    `scheme` is the scheme that decided; None if triangulation abstained. `agreeing` of `drawn`
    samples are witnesses that agree, on `inputs` (calls as text), with `confirmed` of the
    candidates' samples, and with the user's function if `confirms_original`. If `is_baseline`, the
    witnesses need no other algorithm than the function, so their agreement says little.
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
    """A part of the input space, as the model named it.

    `inputs_run` is how many of the inputs that the model proposed for this part were run; it is 0
    if none could be made. `inputs_in_domain` is how many of these count. An input proposed for
    several parts counts for each of them."""

    name: str
    inputs_run: int
    inputs_in_domain: int


class Cost(Struct, frozen=True):
    """The cost of a check.

    `paid` is what the check sent and paid now; `failed` of its requests brought no answer. `drawn`
    is what the replies that the check rests on cost when they were drawn.
    """

    paid: Usage = field(default_factory=Usage)
    drawn: Usage = field(default_factory=Usage)
    program_calls: int = 0
    failed: int = 0


class Report(Struct, frozen=True):
    """Everything said about one unit.

    `text_digest` identifies the unit's own text (see `digest.of_text`): a report applies to a unit
    of that name as long as the unit has that text. `digest` also covers context, settings and
    prompts: it is the key under which the report is stored. `line` is the 1-based line of the name
    in the file as it was checked. `candidates` is how many candidates were asked for.
    `stated` is, in words, what the docstring states of the arguments and the inputs keep to.
    `partitions` are the parts into which the model divided the inputs, in its order. `dissent` is
    the input on which the fewest candidates agree with a function that is found right; or, if
    disagreement of the candidates keeps a verdict away, on which the fewest agree with each other.
    It is None if all agree. `settling` is what the model was asked before the function was accused.
    `ignored` are the codes of findings that a comment in the function's header keeps out of
    `findings`. `clarifications` are examples, for the docstring, of what may be meant.
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
