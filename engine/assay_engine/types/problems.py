"""Problems: reasons why something could not be done."""

from __future__ import annotations

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
