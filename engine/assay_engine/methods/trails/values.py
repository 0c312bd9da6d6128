"""The data of judges: settings and jury, votes on pairs, and the judgement that follows."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from assay_engine.types import Input, Opinion, Problem, Ruling, Usage
from assay_sandbox import Call, Observation


class Question(StrEnum):
    """The question that a vote answers.

    CONFORMS: does this output conform? OWN_FIRST, OWN_SECOND: which of two outputs conforms, with
    the function's own shown first or second? CODE: does this code do what is specified? TESTS: do
    generated tests select this code among its rivals?
    """

    CONFORMS = "conforms"
    OWN_FIRST = "own-first"
    OWN_SECOND = "own-second"
    CODE = "code"
    TESTS = "tests"


class JudgeSettings(Struct, frozen=True):
    """The paper's parameters, with its defaults (section 3.3), and those of Assay's additions.

    `scenarios` is s, and `steps` is g (replies with inputs per scenario, repairs included).
    `inputs_per_scenario` is the most inputs that deduplication leaves of a scenario, `disputed` the
    most inputs on which candidates disagree. A right function is expected to reach a share of
    CORRECT of at least `threshold`. `max_tokens` bounds a reply.
    """

    scenarios: int = 3
    steps: int = 3
    inputs_per_scenario: int = 3
    disputed: int = 2
    threshold: float = 0.8
    temperature: float = 0.5
    max_tokens: int = 2000


class Jury(Struct, frozen=True):
    """Candidates: program texts with the function in place, and how many samples gave each.

    `inputs` are calls to run them on, to see where they disagree.
    """

    sources: tuple[str, ...] = ()
    weights: tuple[int, ...] = ()
    inputs: tuple[Input, ...] = ()


class JudgeVote(Struct, frozen=True):
    """One question and the answer to it. `opinion` is None if there was no usable answer.

    `opinion` is always about the function's own output. `reason` is one sentence, or empty.
    """

    question: Question
    opinion: Opinion | None
    reason: str


class JudgedPair(Struct, frozen=True):
    """An input, what the function did on it, and the votes on that.

    `input` and `output` are the texts that the judge was shown. `scenario` is the behaviour that
    the input is to exercise, or None for an input on which candidates disagree. `opinion` is None
    if the votes decide nothing.
    """

    call: Call
    observation: Observation
    input: str
    output: str
    scenario: str | None
    votes: tuple[JudgeVote, ...]
    opinion: Opinion | None

    @property
    def reason(self) -> str:
        """One sentence for the opinion: the last one given, since later questions press harder."""
        reasons = [vote.reason for vote in self.votes if vote.opinion is self.opinion]
        return next((reason for reason in reversed(reasons) if reason), "")


class Judgement(Struct, frozen=True):
    """A judge's result for one function.

    `score` is the share of CORRECT in [0, 1], None if nothing was judged. `votes` are from judges
    that read code. `usage` is the cost of the replies when they were drawn. `objection` is the pair
    that an accusation rests on.
    """

    judge: str
    ruling: Ruling
    score: float | None
    threshold: float
    pairs: tuple[JudgedPair, ...] = ()
    votes: tuple[JudgeVote, ...] = ()
    objection: JudgedPair | None = None
    usage: Usage = field(default_factory=Usage)
    problems: tuple[Problem, ...] = ()
