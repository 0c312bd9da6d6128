"""Reasons why something could not be done, and phrases about programs.

A phrase is in parts that tell our own words from what programs contain. Only the code that puts it
together knows which words are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct


class ProblemKind(StrEnum):
    """Why a check fell short. The problem's own message says what would help."""

    NO_DOCSTRING = "no-docstring"
    INPUT_OUTPUT = "input-output"
    MISSING_IMPORT = "missing-import"
    UNSUPPORTED_TYPE = "unsupported-type"
    UNSUPPORTED_SHAPE = "unsupported-shape"
    BROKEN_SOURCE = "broken-source"
    MODEL_UNAVAILABLE = "model-unavailable"
    REPLY_UNUSABLE = "reply-unusable"
    REPLY_REJECTED = "reply-rejected"
    BUDGET_SPENT = "budget-spent"
    DEADLINE = "deadline"
    OFFLINE = "offline"
    NO_CONSENT = "no-consent"
    SANDBOX_UNAVAILABLE = "sandbox-unavailable"
    NO_INPUTS = "no-inputs"
    TOO_FEW_CANDIDATES = "too-few-candidates"
    NOT_DETERMINISTIC = "not-deterministic"
    NO_CONSENSUS = "no-consensus"
    NO_REPLACEMENT = "no-replacement"
    NOT_TRANSFORMED = "not-transformed"
    NOT_CONFIRMED = "not-confirmed"
    NOT_RUN = "not-run"
    NO_OTHER_VERSION = "no-other-version"
    COMMENT_UNCLEAR = "comment-unclear"
    INTERNAL = "internal"


class Problem(Struct, frozen=True, omit_defaults=True):
    """A reason why a check fell short.

    - `kind`: a word for programs
    - `message`: one sentence that names what to do

    Some sentences count requests of the function, or name what only experts know. Then `cause` is
    the part that the same problem of another function shares, `brief` the sentence without either,
    and `mention` a few words for it where the cause has been told before. Where one of these is
    left out, the message serves.
    """

    kind: ProblemKind
    message: str
    cause: str = ""
    brief: str = ""
    mention: str = ""

    @property
    def reason(self) -> str:
        """What tells whether another function's problem is the same one."""
        return self.cause or self.message


class Words(Struct, frozen=True, tag_field="kind", tag="words"):
    """Words of ours, with the blanks between them and the neighbouring parts."""

    text: str


class Verbatim(Struct, frozen=True, tag_field="kind", tag="verbatim"):
    """Text that a program or a model wrote, or a value as Python text."""

    text: str


class Name(Struct, frozen=True, tag_field="kind", tag="name"):
    """A name that a program uses. Without backticks, it could be taken for a word of ours."""

    text: str


Phrase = tuple[Words | Verbatim | Name, ...]


def text_of(phrase: Phrase) -> str:
    """The text of a phrase, as terminals, messages and reports show it."""
    return "".join(f"`{part.text}`" if isinstance(part, Name) else part.text for part in phrase)


def joined(phrases: Iterable[Phrase]) -> Phrase:
    """The phrases joined by "and"."""
    return tuple(part for phrase in phrases for part in (Words(" and "), *phrase))[1:]
