"""Reports on trials, and their progress."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field

from assay_engine.types.behaviours import EquivalenceClass
from assay_engine.types.problems import Problem
from assay_engine.types.requests import Price, Usage
from assay_engine.types.verdicts import (
    Clarification,
    Code,
    Expectation,
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

    names: frozenset[str] | None
    demanded: bool
    again: bool
    tier: Tier


class Opinion(StrEnum):
    """One vote of a judge: on an output, or, from a judge that reads code, on the code."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Reading(StrEnum):
    """Which of two outcomes the docstring promises, as a model reads it.

    `own` (what the function does is right), `theirs` (what the candidates do), `both`, `neither`,
    or `open`: the docstring does not say.
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

    - `input`, `output`: as they were shown
    - `scenario`: the behaviour that the input is to exercise; None if the input was chosen because
      candidates disagree on it
    - `votes`: in the order of asking; None stands for a reply without a vote
    - `opinion`: what they come to; None if they decide nothing
    - `reason`: one sentence in the model's words, or empty
    """

    input: str
    output: str
    scenario: str | None
    votes: tuple[Opinion | None, ...]
    opinion: Opinion | None
    reason: str


class Judged(Struct, frozen=True):
    """What a judge concluded about the function: see docs/findings/ASY102.md.

    - `judge`: its name
    - `ruling`: what it decided
    - `score`: the share of outputs found correct; None if nothing was judged
    - `threshold`: what the score has to reach
    - `pairs`: what the judge was shown
    """

    judge: str
    ruling: Ruling
    score: float | None
    threshold: float
    pairs: tuple[JudgedOutput, ...] = ()


class Settling(Struct, frozen=True):
    """A model's answers when asked whether the docstring settles a disputed call.

    See docs/findings/ASY101.md.

    - `call`: what candidates do something other than the function on
    - `readings`: in the order of asking, with the two outcomes exchanged the second time; None
      stands for a reply that could not be read
    - `is_answered`: false if the last question got no reply at all, which a problem of the report
      explains; its reading is None
    - `reason`: the last reason that the model gave, one sentence in its words, or empty
    - `own_first`: whether "the first" in the reason is this function, and not the candidates
    """

    call: str
    readings: tuple[Reading | None, ...]
    reason: str
    is_answered: bool = True
    own_first: bool = True

    @property
    def agreed(self) -> Reading | None:
        """The reading in both orders; None if the two contradict each other, or one is missing.

        Where neither holds anything against the function, they agree on that.
        """
        if len(self.readings) < 2 or None in self.readings:
            return None
        said = set(self.readings)
        if len(said) == 1 and said != {Reading.BOTH}:
            return self.readings[0]
        return None if said & {Reading.THEIRS, Reading.NEITHER} else Reading.OPEN


class TransformedSolution(Struct, frozen=True):
    """A witness of a triangulation: a program for a transformed problem.

    - `problem`: its header and docstring
    - `program`: the source
    - `samples`: how many draws gave this very program
    """

    problem: str
    program: str
    samples: int


class Refutation(Struct, frozen=True):
    """A program that witnesses refute, and the call on which they do.

    - `call`: as Python text
    - `returned`: what the program returns there
    - `confirmed`: what the program that the witnesses confirm returns
    - `weight`: the samples of the refuted program; 0 for the user's function
    - `is_original`: whether it is the user's function
    """

    call: str
    returned: str
    confirmed: str
    weight: int
    is_original: bool


class Triangulated(Struct, frozen=True):
    """What semantic triangulation found: see docs/triangulation.md.

    - `scheme`: the scheme that decided; None if triangulation abstained
    - `is_baseline`: the witnesses need no other algorithm than the function, so that their
      agreement says little
    - `agreeing`: of the `drawn` witness samples, those that agree
    - `confirmed`: how many of the candidates' samples they confirm
    - `confirms_original`: whether they confirm the user's function, too
    - `inputs`: the first five that they agree on, as Python text
    - `witnesses`: the programs
    - `refuted`: programs that the witnesses refute, five at most
    - `usage`: what the replies cost when they were requested
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

    - `name`: in the model's words
    - `inputs_run`: how many of the inputs that the model proposed for this part were run; 0 if none
      could be made. An input proposed for several parts counts for each of them.
    - `inputs_in_domain`: how many of these count
    """

    name: str
    inputs_run: int
    inputs_in_domain: int


class Versions(Struct, frozen=True):
    """What a comparison with another version of the function showed: see docs/findings/ASY105.md.

    - `other`: what messages call the other version
    - `inputs_run`: how many inputs were run on both
    - `inputs_accepted`: how many of these the other version accepts
    - `differs`: whether the function does something else on one of those
    """

    other: str
    inputs_run: int
    inputs_accepted: int
    differs: bool


class Cost(Struct, frozen=True):
    """The cost of a check; docs/configuration.md says what a request that brought no reply counts.

    - `paid`: what the check sent and paid now
    - `failed`: of the requests of `paid`, those that brought no answer
    - `drawn`: what the replies that the check rests on cost when they were requested
    - `program_calls`: calls of programs that were run for it, with those of examples and of
      trying replacements; 0 if the report was stored
    - `price`: of `paid`, by the prices in the user's settings at the time; null if these do not
      tell it of every model that was asked
    - `drawn_price`: the same of `drawn`
    """

    paid: Usage = field(default_factory=Usage)
    drawn: Usage = field(default_factory=Usage)
    program_calls: int = 0
    failed: int = 0
    price: Price | None = None
    drawn_price: Price | None = None

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.paid + other.paid,
            self.drawn + other.drawn,
            self.program_calls + other.program_calls,
            self.failed + other.failed,
            _together((self.paid, self.price), (other.paid, other.price)),
            _together((self.drawn, self.drawn_price), (other.drawn, other.drawn_price)),
        )


def _together(*parts: tuple[Usage, Price | None]) -> Price | None:
    """The price of it all; None if that of a part is not known."""
    prices = [price for usage, price in parts if usage != Usage()]
    known = [price for price in prices if price is not None]
    if len(known) < len(prices) or len({price.currency for price in known}) != 1:
        return None
    return Price(sum(price.amount for price in known), known[0].currency)


class Report(Struct, frozen=True):
    """Everything said about one function.

    - `path`, `qualname`: where it is
    - `line`: of its name, from 1, in the file as it was checked
    - `text_digest`: SHA-256 of the function's own text: the report applies to a function of that
      name as long as it has that text
    - `digest`: SHA-256 of everything that the report rests on, the context, settings, prompts and
      the interpreter's file included; the report is stored under it
    - `verdict`: the decision
    - `findings`: what there is to tell of it
    - `problems`: what the check fell short of
    - `replacements`: what the function could be replaced by
    - `classes`: the equivalence classes of the candidates, heaviest first
    - `model`: the name of the model that was asked, or None
    - `cost`: what the check cost
    - `candidates`: how many candidates were asked for: four, or all if anything was in dispute (see
      docs/inputs.md)
    - `prompts`: the prompts used, each by its name with its version
    - `judged`: what a judge said, if one was asked
    - `triangulation`: of a thorough check
    - `partitions`: the parts into which the model divided the inputs, in its order
    - `dissent`: the input on which the fewest candidates agree with a function that is found right;
      or, if disagreement of the candidates keeps a verdict away, on which the fewest agree with
      each other; None if all agree
    - `settling`: what the model was asked before the function was accused
    - `ignored`: the codes of findings that a comment in the function's header, or a baseline, keeps
      out of `findings`
    - `clarifications`: examples that would say in the docstring what is meant on the input shown
    - `expectations`: tests of what may be meant on the input shown
    - `inputs`: some of the inputs that count, those first that tell the classes apart, and what
      each class did on them
    - `versions`: of a comparison with another version of the function
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
    partitions: tuple[Partition, ...] = ()
    dissent: Witness | None = None
    settling: tuple[Settling, ...] = ()
    ignored: tuple[Code, ...] = ()
    clarifications: tuple[Clarification, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    inputs: tuple[Witness, ...] = ()
    versions: Versions | None = None


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
