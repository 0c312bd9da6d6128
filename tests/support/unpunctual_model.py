"""A model whose replies are always the same and come in another order each time."""

from __future__ import annotations

import asyncio
from random import Random

from msgspec.structs import replace

from assay_engine.models.counting import estimated_cost
from assay_engine.types import Model, Prompt, Reply, Usage

DELAYS_SECONDS = (0.0, 0.005, 0.01, 0.02, 0.03)


class UnpunctualModel:
    """Delays replies of `inner` by chance, from `seed`; without one, none is late.

    What a reply took is a share of the most that it was expected to take, from `shares`: by chance,
    but the same for each prompt and sample. Remembers the requests in the order in which they came,
    and what they took together.
    """

    def __init__(self, inner: Model, seed: int | None, shares: tuple[float, float]) -> None:
        self._inner = inner
        self._order = None if seed is None else Random(seed)
        self._shares = shares
        self.name = inner.name
        self.asked: list[tuple[Prompt, int]] = []
        self.tokens = 0

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        self.asked.append((prompt, sample))
        if self._order is not None:
            await asyncio.sleep(self._order.choice(DELAYS_SECONDS))
        reply = await self._inner.reply(prompt, sample)
        share = Random(f"{prompt.user} {sample}").uniform(*self._shares)
        tokens = round(share * estimated_cost(prompt))
        self.tokens += tokens
        return replace(reply, usage=Usage(1, tokens, 0))
