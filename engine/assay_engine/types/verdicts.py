"""Verdicts and findings on a function, their witnesses, and replacements for the function."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Self

from msgspec import Struct

from assay_engine.types.behaviours import Origin
from assay_engine.types.functions import Span
from assay_engine.types.problems import Phrase, text_of


class Stand(Enum):
    """What a verdict means for the function."""

    FOR = "the function is found right"
    AGAINST = "the function is found wrong"
    BETWEEN = "several behaviours are found, and none is found right"
    NOWHERE = "the function was tried, and nothing followed"
    UNTRIED = "the function could not be tried"


class Status(StrEnum):
    """What a check decided."""

    # This is the one table of verdicts. Whatever acts on a verdict, or words it, looks up here:
    # - what it means for the function
    # - how much it asks for the reader's attention, 1 being the most; 0 for not at all
    # - what it is called in one or two words, and in one clause
    # - what the confidence is the probability of; empty for a verdict that has none
    stand: Stand
    attention: int
    label: str
    headline: str
    likely: str

    TRUSTED = (
        "trusted",
        Stand.FOR,
        3,
        "trusted",
        "trusted, it agrees with the candidates",
        "that it is right",
    )
    SUSPECT = (
        "suspect",
        Stand.AGAINST,
        1,
        "suspect",
        "suspect",
        "that it is wrong",
    )
    AMBIGUOUS = (
        "ambiguous",
        Stand.BETWEEN,
        2,
        "ambiguous",
        "ambiguous, its docstring allows several behaviours",
        "that its docstring is read in two ways",
    )
    ABSTAINED = (
        "abstained",
        Stand.NOWHERE,
        3,
        "abstained",
        "abstained, nothing decides",
        "",
    )
    UNSUPPORTED = (
        "unsupported",
        Stand.UNTRIED,
        0,
        "not checked",
        "unsupported, not checked",
        "",
    )

    def __new__(
        cls, name: str, stand: Stand, attention: int, label: str, headline: str, likely: str
    ) -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.stand, member.attention = stand, attention
        member.label, member.headline, member.likely = label, headline, likely
        return member

    @property
    def accuses(self) -> bool:
        return self.stand is Stand.AGAINST

    @property
    def acquits(self) -> bool:
        return self.stand is Stand.FOR

    @property
    def is_verdict(self) -> bool:
        """Whether the check came to a verdict; if not, the problems of the report say why."""
        return self.stand not in (Stand.NOWHERE, Stand.UNTRIED)

    @property
    def is_untried(self) -> bool:
        return self.stand is Stand.UNTRIED

    @property
    def fell_short(self) -> bool:
        """Whether the function was tried, and nothing followed."""
        return self.stand is Stand.NOWHERE


class Support(Struct, frozen=True):
    """How many samples support the verdict on the input that decides.

    `agreeing` of `total` samples, with the share's exact (Clopper-Pearson) 95 % interval from `low`
    to `high`.
    """

    agreeing: int
    total: int
    low: float
    high: float


class Verdict(Struct, frozen=True):
    """The decision.

    - `status`: what was decided
    - `confidence`: the probability that the verdict is true; None where nothing was decided or no
      measure exists
    - `support`: None where no input decides
    - `inputs_run`: how many inputs were run
    - `inputs_in_domain`: how many of these count: most candidates accept them
    """

    status: Status
    confidence: float | None
    support: Support | None
    inputs_run: int
    inputs_in_domain: int


class Severity(StrEnum):
    """How much a finding weighs: only an error or a warning accuses."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


class Code(StrEnum):
    """Finding codes; each has a page in docs/findings/."""

    DIFFERS = "ASY101"
    JUDGED = "ASY102"
    FAILS_EXAMPLE = "ASY103"
    RAISES = "ASY104"
    CHANGED = "ASY105"
    AMBIGUOUS = "ASY201"
    NOT_DETERMINISTIC = "ASY202"
    DOUBTFUL_EXAMPLE = "ASY203"
    NOT_CHECKED = "ASY301"


class Outcome(Struct, frozen=True):
    """One line of a witness table: who did what on the input.

    - `who`: the function, or some of the candidates
    - `what`: what they did, in words, with whole values (up to 10,000 characters)
    - `weight`: how many samples these are
    - `is_original`: whether it is the user's function
    - `parts`: which parts of `what` are our words and which are code
    - `candidates`: the numbers of the candidates that did this, as in `EquivalenceClass.members`
    """

    who: str
    what: str
    weight: int
    is_original: bool
    parts: Phrase
    candidates: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        who: str,
        parts: Phrase,
        weight: int,
        *,
        is_original: bool,
        candidates: tuple[int, ...] = (),
    ) -> Outcome:
        return cls(who, text_of(parts), weight, is_original, parts, candidates)


class Witness(Struct, frozen=True):
    """The concrete input that shows a finding, and what everybody did on it.

    - `call`: as Python text
    - `outcomes`: a line for each
    - `origin`: where the input came from
    - `partition`: the kind of input for which the model proposed this one, in its words, or empty
    - `script`: the input on lines of its own, if it holds a block, which `call` runs together
    """

    call: str
    outcomes: tuple[Outcome, ...]
    origin: Origin
    partition: str = ""
    script: str = ""


class Related(Struct, frozen=True):
    """A further place in the same function, such as the example that it fails.

    `span` is relative to the function's start, and `message` says what is there.
    """

    span: Span
    message: str


class Finding(Struct, frozen=True):
    """Something to tell the user.

    - `code`: what kind of finding it is
    - `severity`: how much it weighs
    - `message`: one line that can stand alone
    - `span`: relative to the function's start
    - `witness`: None where no input shows it
    - `related`: further places in the function
    - `caveat`: how `message` ends, if a reader has to know something to weigh the finding: how
      the model reads the docstring there
    """

    code: Code
    severity: Severity
    message: str
    span: Span
    witness: Witness | None = None
    related: tuple[Related, ...] = ()
    caveat: str = ""


class Caution(Struct, frozen=True):
    """What somebody should read before taking a replacement, since the trial does not vouch for it.

    - `line`: in the candidate, from 1
    - `code`: what begins there, on one line
    - `reason`: why it is to be read; completes a sentence that begins with the code
    """

    line: int
    code: str
    reason: str


class Replacement(Struct, frozen=True):
    """A candidate that the evidence selects and that was re-run in place before being offered.

    - `candidate`: the source of the module to splice
    - `behaviour`: what the choice means, in a few words
    - `diff`: a unified diff against the file as it was checked
    - `caution`: what of it the trial cannot vouch for; without it, the trial has seen all its code
      run, and it reaches nothing that the file does not reach already
    """

    candidate: str
    behaviour: str
    diff: str
    caution: Caution | None = None


class Clarification(Struct, frozen=True):
    """An example that, once in the docstring, would say that a certain behaviour is meant.

    - `behaviour`: the behaviour in words
    - `example`: lines of a doctest, perhaps of several statements, that only programs which behave
      so have met
    - `who`: which programs behave so: `this function`, `3 of 5 candidates`
    """

    behaviour: str
    example: str
    who: str


class Expectation(Struct, frozen=True):
    """A test of the input that was shown, which expects a certain behaviour.

    `behaviour` and `who` are as in `Clarification`; `is_original` tells whether it is what the
    function itself does. `body` holds the statements of a pytest function, which may use its
    fixtures `tmp_path`, `monkeypatch` and `capsys`: run in the sandbox, a program that behaves so
    passed, and one that does not failed. If `body` is empty, `obstacle` says why there is no test.
    `kills` are the programs that fail the test: what they do on the input, and which candidates
    these are.
    """

    behaviour: str
    who: str
    is_original: bool
    body: str = ""
    obstacle: str = ""
    kills: tuple[Outcome, ...] = ()
