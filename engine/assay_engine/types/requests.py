"""Requests to a model, and its replies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from assay_engine.types.problems import Problem


class Prompt(Struct, frozen=True):
    """A request. `name` and `version` identify the template that the prompt was made from."""

    name: str
    version: int
    system: str
    user: str
    temperature: float
    max_tokens: int


class Usage(Struct, frozen=True):
    """A number of `requests` to a model, and their tokens.

    - `prompt_tokens`, `completion_tokens`: what was sent, and what was answered; 0 if a command is
      asked that nobody pays by the token
    - `cached_tokens`: those of the prompt that the provider had cached
    """

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
        )

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class EditorOffer(Struct, frozen=True):
    """A model that the editor has, and asks for us. Messages call it by its `name`.

    `ask` gives the text, and the usage as far as the editor tells it. It raises `EditorRefused`, or
    `ValueError` for an answer that is none. It may be cancelled.
    """

    id: str
    name: str
    ask: Callable[[Prompt], Awaitable[tuple[str, Usage]]]


class Refusal(StrEnum):
    """Why an editor answers no request to a model, in the words of docs/protocol.md."""

    CONSENT = "consent"
    QUOTA = "quota"
    UNAVAILABLE = "unavailable"


class EditorRefused(Exception):
    """The editor answered with an error: what it `said`, and `why`, if it is one that lasts."""

    def __init__(self, why: Refusal | None, said: str) -> None:
        super().__init__(said)
        self.why = why
        self.said = said


class Price(Struct, frozen=True):
    """What something costs, by the prices that the user has given.

    - `amount`: so much of the currency, not rounded
    - `currency`: its code of three letters
    """

    amount: float
    currency: str

    def __str__(self) -> str:
        shown = "less than 0.01" if 0 < self.amount < 0.01 else f"{self.amount:,.2f}"
        return f"{shown} {self.currency}"


class Reply(Struct, frozen=True):
    """One completion. `usage` is its cost when first drawn; `cached` if it was not drawn now.

    `response_id` is the name that the endpoint gave to its response, or empty: replies of one name
    are copies of one response. Where several models are asked in turn, `model` is the one that
    wrote it, and `instead_of` says whose turn it was, and why that one did not.
    """

    text: str
    sample: int
    usage: Usage
    cached: bool
    response_id: str = ""
    model: str = ""
    instead_of: str = ""


class Model(Protocol):
    """A source of replies. The same prompt and sample index give the same reply once recorded."""

    @property
    def name(self) -> str: ...

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        """Draw sample number `sample` (0-based) for `prompt`.

        Raises a `ModelError` if no reply can be had; never returns an empty reply.
        """
        ...


class Draw(Struct, frozen=True):
    """The result of asking for several samples: replies in sample order, and what went wrong.

    `unused` is what copies of replies, and replies of no use, cost.
    """

    replies: tuple[Reply, ...]
    problems: tuple[Problem, ...]
    unused: Usage = Usage()

    @property
    def usage(self) -> Usage:
        """The cost of the replies when they were requested, and of those of no use."""
        return sum((reply.usage for reply in self.replies), self.unused)


class Candidate(Struct, frozen=True):
    """Another implementation, as the model wrote it.

    `source` is module text: imports, helpers and the function. `digest` identifies the normalised
    syntax tree, so that equal programs are run once but counted each time. `samples` are the
    indices of the draws that gave this program, and `models` the models that wrote them, if several
    were asked.
    """

    source: str
    digest: str
    samples: tuple[int, ...]
    models: tuple[str, ...] = ()

    @property
    def weight(self) -> int:
        return len(self.samples)
