"""Sends the first request for a prompt ahead, where the endpoint keeps prompts in a cache."""

from __future__ import annotations

import asyncio

from assay_engine.models.counting import estimated_tokens
from assay_engine.models.learning import LearntDialect
from assay_engine.models.slots import telling_unsent
from assay_engine.types import Model, Prompt, Reply

# https://platform.openai.com/docs/guides/prompt-caching: "prompts containing 1024 tokens or more".
# Others ask for as many (https://ai.google.dev/gemini-api/docs/caching), or for more.
CACHED_TOKENS_MIN = 1024


class LeadingModel:
    """Asks `inner`, for the first sample of a long prompt ahead of the others.

    These then find the prompt in the endpoint's cache, if it has been seen to have one; they wait
    until the first is answered or has failed. Only prompts called `name` are led. `turn` is shared
    by all members of a panel: who waits is let through in the order of the samples, however long
    replies take, and so the budget is spent in that order.
    """

    def __init__(self, inner: Model, learnt: LearntDialect, name: str, turn: asyncio.Lock) -> None:
        self.name = inner.name
        self._inner = inner
        self._learnt = learnt
        self._led = name
        self._turn = turn
        self._ended: dict[Prompt, asyncio.Event] = {}

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if prompt.name != self._led:
            return await self._inner.reply(prompt, sample)
        with telling_unsent():
            async with self._turn:
                first = self._ended.get(prompt)
                if first is not None and self._is_cached(prompt):
                    await first.wait()
        if first is not None:
            return await self._inner.reply(prompt, sample)
        ended = self._ended[prompt] = asyncio.Event()
        try:
            return await self._inner.reply(prompt, sample)
        finally:
            ended.set()

    def _is_cached(self, prompt: Prompt) -> bool:
        sent = estimated_tokens(prompt.system, prompt.user)
        return self._learnt.dialect.caches and sent >= CACHED_TOKENS_MIN
