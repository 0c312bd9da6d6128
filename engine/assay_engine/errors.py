"""Failures of our machinery or of the world around it. What a program did is never an exception.

ModelError
├── ModelUnavailable      no endpoint, no route, refused, or still failing after the retries
├── ReplyUnusable         the endpoint answered, but with nothing that can be read as a completion
├── BudgetSpent           the ledger allows no further request
└── ReplyMissing          no reply is kept, and none may be asked for
    ├── RequestsForbidden     offline, or the user has not said yes to this endpoint
    └── TranscriptMiss        replaying, and the transcript has no such reply
StoreError                the cache or the ledger cannot be read or written
ConfigurationError        a setting that cannot be used, and where it stands

Errors of a single command or reader are defined beside it: `BadTarget`, `UnreadableDataset`.
"""

from __future__ import annotations


class AssayError(Exception):
    """The base class of all errors. The message is one sentence that tells the user what to do."""


class ModelError(AssayError):
    """No reply can be had for this request.

    `seen` is the part of the message that tells what was seen, without details and advice.
    `mention` is a few words for it where the message has been read before. `sent` tells whether the
    request left at all. The tokens are those that the request used: 0 if it was not sent or was
    refused, otherwise what the server said, or None if nobody knows; see `models.counting.used_by`.
    `requests` are more than one if the reply was asked for again before it failed.
    """

    def __init__(
        self,
        message: str,
        *,
        seen: str = "",
        mention: str = "",
        sent: bool = False,
        prompt_tokens: int | None = 0,
        completion_tokens: int | None = 0,
    ) -> None:
        super().__init__(message)
        self.seen = seen or message
        self.mention = mention
        self.sent = sent
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens
        self.requests = 1


class ModelUnavailable(ModelError):
    """The endpoint cannot be reached or keeps failing."""


class ReplyUnusable(ModelError):
    """The endpoint answered with something that is not a completion."""


class BudgetSpent(ModelError):
    """The budget of the check or of the day allows no further request."""


class ReplyMissing(ModelError):
    """No reply is stored, and none may be asked for.

    `advice` is a part of a sentence that tells what to do.
    """

    def __init__(self, message: str, advice: str = "", *, seen: str = "") -> None:
        super().__init__(f"{message}; {advice}." if advice else message, seen=seen)
        self.advice = advice


class RequestsForbidden(ReplyMissing):
    """Requests are not allowed: offline, or no consent for this endpoint."""


class TranscriptMiss(ReplyMissing):
    """The transcript being replayed holds no reply for this prompt and sample."""


class StoreError(AssayError):
    """The store on disk cannot be used."""


class ConfigurationError(AssayError):
    """A setting cannot be used."""
