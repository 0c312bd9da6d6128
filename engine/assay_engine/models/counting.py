"""Counts the requests of a check and what they cost, estimates the tokens of texts, and reports how
many replies have come: with a slow model, replies are what takes time.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Protocol

from assay_engine.config.settings import Prices
from assay_engine.errors import ModelError, ReplyUnusable
from assay_engine.models.slots import NeverSent, RefusedMeanwhile
from assay_engine.types import Cost, Model, Prompt, Reply, Usage


class CountedModel(Model, Protocol):
    """A model that tells what it has cost so far; calls of programs are counted elsewhere."""

    @property
    def cost(self) -> Cost: ...


class CountingModel:
    """Passes on the replies of `inner`, and counts what they cost, at `prices` if these are known.

    `drawn` is the cost of the replies when they were first drawn. `paid` is the cost of the
    requests sent now: a reply from the cache is free. `failed` counts the requests in `paid` that
    brought no answer.
    """

    def __init__(self, inner: Model, prices: Prices | None = None) -> None:
        self.name = inner.name
        self._inner = inner
        self._prices = prices
        self.drawn = Usage()
        self.paid = Usage()
        self.failed = 0

    @property
    def cost(self) -> Cost:
        price, drawn_price = (
            self._prices and self._prices.of(usage) for usage in (self.paid, self.drawn)
        )
        return Cost(self.paid, self.drawn, failed=self.failed, price=price, drawn_price=drawn_price)

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        try:
            reply = await self._inner.reply(prompt, sample)
        except asyncio.CancelledError as cancellation:
            used = used_by_interrupted(cancellation, prompt)
            self.paid += used
            self.failed += used.requests
            raise
        except ModelError as failure:
            self.paid += used_by(failure, prompt)
            self.failed += failure.sent and not isinstance(failure, ReplyUnusable)
            raise
        self.drawn += reply.usage
        if not reply.cached:
            self.paid += reply.usage
        return reply


class CountedTogether:
    """Passes on the replies of `inner`, which has them from `members`: these count."""

    def __init__(self, inner: Model, members: Sequence[CountingModel]) -> None:
        self.name = inner.name
        self._inner = inner
        self._members = members

    @property
    def cost(self) -> Cost:
        return sum((member.cost for member in self._members), Cost())

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        return await self._inner.reply(prompt, sample)


class ProgressModel:
    """Passes on the replies of `inner`, and tells `heard` after each how many have come."""

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


def used_by(failure: ModelError, prompt: Prompt) -> Usage:
    """The usage of a request that brought no reply.

    Where nobody knows the tokens, the prompt counts as estimated, and a reply that may have been
    written counts as the longest possible one.
    """
    if not failure.sent:
        return Usage()
    sent, written = failure.prompt_tokens, failure.completion_tokens
    return Usage(
        failure.requests,
        estimated_tokens(prompt.system, prompt.user) if sent is None else sent,
        prompt.max_tokens if written is None else written,
    )


def used_by_interrupted(cancellation: asyncio.CancelledError, prompt: Prompt) -> Usage:
    """The usage of a request that was given up while its reply was awaited.

    The prompt counts if it was sent and not refused. Nobody knows about the reply, but closing the
    connection tells the server to stop.
    """
    if isinstance(cancellation, NeverSent):
        return Usage()
    if isinstance(cancellation, RefusedMeanwhile):
        return Usage(1, 0, 0)
    return Usage(1, estimated_tokens(prompt.system, prompt.user), 0)
