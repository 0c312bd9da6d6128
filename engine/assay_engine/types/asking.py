"""What a model is asked, and what comes of it."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from assay_engine.types.problems import Problem


class Prompt(Struct, frozen=True):
    """What is asked. `name` and `version` identify the template it was made from."""

    name: str
    version: int
    system: str
    user: str
    temperature: float
    max_tokens: int


class Usage(Struct, frozen=True):
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class Reply(Struct, frozen=True):
    """One completion. `usage` is what it cost when first drawn; `cached` if not drawn now."""

    text: str
    sample: int
    usage: Usage
    cached: bool


class Model(Protocol):
    """A source of replies. The same prompt and sample index give the same reply once recorded."""

    @property
    def name(self) -> str: ...

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        """Draw sample number `sample` (0-based) for `prompt`.

        Raises a `ModelError` when there is no reply to be had; never returns an empty one.
        """
        ...


class Draw(Struct, frozen=True):
    """What came of asking for several samples: the replies in sample order, and what went wrong."""

    replies: tuple[Reply, ...]
    problems: tuple[Problem, ...]

    @property
    def usage(self) -> Usage:
        """What the replies cost when they were drawn."""
        return sum((reply.usage for reply in self.replies), Usage())


class Candidate(Struct, frozen=True):
    """Another implementation, as the model wrote it.

    `source` is module text: imports, helpers and the function. `digest` identifies its normalised
    syntax tree, so that equal programs are run once and counted each time. `samples` are the
    indices of the draws that gave it.
    """

    source: str
    digest: str
    samples: tuple[int, ...]

    @property
    def weight(self) -> int:
        return len(self.samples)
