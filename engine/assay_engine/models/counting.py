"""Counts the requests of a check: what is sent, what comes back and what it costs."""

from __future__ import annotations

import asyncio

from assay_engine.errors import ModelError, ReplyUnusable
from assay_engine.models.tokens import used_by, used_by_interrupted
from assay_engine.types import Cost, Model, Prompt, Reply, Usage


class CountingModel:
    """Passes on the replies of `inner`, and counts what they cost.

    `drawn` is the cost of the replies when they were first drawn. `paid` is the cost of the
    requests sent now: a reply from the cache is free. `failed` counts the requests in `paid` that
    brought no answer.
    """

    def __init__(self, inner: Model) -> None:
        self._inner = inner
        self.drawn = Usage()
        self.paid = Usage()
        self.failed = 0

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def cost(self) -> Cost:
        """The cost of all requests so far; calls of programs are counted elsewhere."""
        return Cost(self.paid, self.drawn, failed=self.failed)

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
