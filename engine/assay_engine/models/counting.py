"""Counts the requests of a check: what is sent, what comes back and what it costs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from assay_engine.errors import ModelError, ReplyUnusable
from assay_engine.models.tokens import used_by, used_by_interrupted
from assay_engine.settings import Prices
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
        self._inner = inner
        self._prices = prices
        self.drawn = Usage()
        self.paid = Usage()
        self.failed = 0

    @property
    def name(self) -> str:
        return self._inner.name

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
        self._inner = inner
        self._members = members

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def cost(self) -> Cost:
        return sum((member.cost for member in self._members), Cost())

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        return await self._inner.reply(prompt, sample)
