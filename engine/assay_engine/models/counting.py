"""Estimates the tokens of texts and the cost of requests, and says what a request took."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Protocol

from assay_engine.errors import ModelError
from assay_engine.models.slots import NeverSent, RefusedMeanwhile
from assay_engine.types import Cost, Model, Prompt, Reply, Usage

# Vocabularies differ between models and would have to be downloaded. Code is near this number with
# every tokenizer in use, and a reservation is settled as soon as the server reports.
BYTES_PER_TOKEN = 3.5


def estimated_tokens(*texts: str) -> int:
    """An upper-middling guess at the tokens of `texts` together."""
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    return math.ceil(size / BYTES_PER_TOKEN)


def estimated_cost(prompt: Prompt) -> int:
    """The tokens that one request for `prompt` can cost: the prompt, and the longest reply."""
    return estimated_tokens(prompt.system, prompt.user) + prompt.max_tokens


def used_by(failure: ModelError | asyncio.CancelledError, prompt: Prompt) -> Usage:
    """The usage of a request that brought no reply.

    Where nobody knows the tokens, the prompt counts as estimated, and a reply that may have been
    written counts as the longest possible one. If the request was given up while its reply was
    awaited, the prompt counts if it was sent and not refused. Nobody knows about the reply, but
    closing the connection tells the server to stop.
    """
    match failure:
        case NeverSent() | ModelError(sent=False):
            return Usage()
        case RefusedMeanwhile():
            return Usage(1)
        case ModelError(prompt_tokens=sent, completion_tokens=written):
            return Usage(
                failure.requests,
                estimated_tokens(prompt.system, prompt.user) if sent is None else sent,
                prompt.max_tokens if written is None else written,
            )
        case _:
            return Usage(1, estimated_tokens(prompt.system, prompt.user))


class CountedModel(Model, Protocol):
    """A model that tells what it has cost so far; calls of programs are counted elsewhere."""

    @property
    def cost(self) -> Cost: ...


class ProgressModel:
    """Passes on the replies of `inner`, and tells `heard` after each how many have come: with a
    slow model, replies are what takes time."""

    def __init__(self, inner: Model, heard: Callable[[int], None]) -> None:
        self.name = inner.name
        self._inner = inner
        self._heard = heard
        self._count = 0

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        reply = await self._inner.reply(prompt, sample)
        self._count += 1
        self._heard(self._count)
        return reply
