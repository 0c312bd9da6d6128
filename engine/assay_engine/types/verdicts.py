"""Verdicts and findings on a function, their witnesses, and replacements for the function."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from assay_engine.types.behaviours import Origin
from assay_engine.types.phrases import Phrase, text_of
from assay_engine.types.text import Span


class Status(StrEnum):
    TRUSTED = "trusted"
    SUSPECT = "suspect"
    AMBIGUOUS = "ambiguous"
    ABSTAINED = "abstained"
    UNSUPPORTED = "unsupported"


class Support(Struct, frozen=True):
    """`agreeing` of `total` samples, with the share's exact (Clopper-Pearson) 95 % interval."""

    agreeing: int
    total: int
    low: float
    high: float


class Verdict(Struct, frozen=True):
    """The decision. `confidence` is a probability in [0, 1], or None where nothing was decided."""

    status: Status
    confidence: float | None
    support: Support | None
    inputs_run: int
    inputs_in_domain: int


class Severity(StrEnum):
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
    AMBIGUOUS = "ASY201"
    NOT_DETERMINISTIC = "ASY202"
    DOUBTFUL_EXAMPLE = "ASY203"
    NOT_CHECKED = "ASY301"


class Outcome(Struct, frozen=True):
    """One line of a witness table: who did what on the input, in words, with whole values.

    `parts` tell which parts of `what` are our words and which are code.
    """

    who: str
    what: str
    weight: int
    is_original: bool
    parts: Phrase

    @classmethod
    def of(cls, who: str, parts: Phrase, weight: int, *, is_original: bool) -> Outcome:
        return cls(who, text_of(parts), weight, is_original, parts)


class Witness(Struct, frozen=True):
    """The concrete input that shows a finding, rendered as Python, and what everybody did on it.

    `partition` is the kind of input for which the model proposed this one, in its words, or empty.
    """

    call: str
    outcomes: tuple[Outcome, ...]
    origin: Origin
    partition: str = ""


class Related(Struct, frozen=True):
    """A further place in the same unit; `span` is relative to the unit's start."""

    span: Span
    message: str


class Finding(Struct, frozen=True):
    """Something to tell the user. `span` is relative to the unit's start.

    `message` is one line that can stand alone. It ends with the `caveat`, if there is one: what a
    reader has to know to weigh the finding.
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

    `line` counts from 1 in the candidate, `code` is what begins there, on one line, and `reason`
    completes a sentence that begins with the code.
    """

    line: int
    code: str
    reason: str


class Replacement(Struct, frozen=True):
    """A candidate that the evidence selects and that was re-run in place before being offered.

    `candidate` is the module text to splice; `behaviour` says in a few words what the choice means;
    `diff` is a unified diff against the file as it was checked. Without `caution`, the trial has
    seen all its code run, and it reaches nothing that the file does not reach already.
    """

    candidate: str
    behaviour: str
    diff: str
    caution: Caution | None = None


class Clarification(Struct, frozen=True):
    """An example that, once in the docstring, would say that a certain behaviour is meant.

    The example was run before it was offered. `behaviour` describes the behaviour in words,
    `example` holds the lines, and `who` tells which programs behave so: ``this function``, ``3 of 5
    candidates``.
    """

    behaviour: str
    example: str
    who: str
