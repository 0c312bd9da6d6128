"""Keeps a triangulation within its limits, whichever of its requests is answered first."""

from __future__ import annotations

import asyncio
from collections import deque

from msgspec import Struct, field

from assay_engine.errors import BudgetSpent
from assay_engine.models.ledger import metered, refusal
from assay_engine.models.tokens import estimated_cost
from assay_engine.settings import Thorough
from assay_engine.types import Model, Prompt, Reply, Usage


class _Request(Struct, eq=False):
    """One that was allowed; `taken` is what it took, once it has `ended`."""

    reserved: int
    taken: Usage = Usage()
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self, taken: Usage) -> None:
        self.taken = taken
        self.ended.set()


class RationedModel:
    """Asks `inner` only for what the limits of a triangulation allow.

    What requests took is counted in the order in which they were made: where there is room but
    for what is set aside, a request waits for the oldest that is not counted, until there is or all
    are. So which are refused follows from that order and from what each took, and not from how long
    it was under way. A request also waits while `uncounted_max` are not counted: what these take
    beyond what was set aside is the most by which a limit can be passed.

    Replies out of a cache count as if they were drawn, so that the same triangulation comes out the
    same again.
    """

    def __init__(self, inner: Model, thorough: Thorough, uncounted_max: int) -> None:
        self._inner = inner
        self._thorough = thorough
        self._uncounted_max = uncounted_max
        self._turn = asyncio.Lock()
        self._uncounted = deque[_Request]()
        # What is counted, and what is set aside for the others.
        self._requests = self._tokens = 0

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        request = await self._allowed(estimated_cost(prompt))
        return await metered(self._inner, prompt, sample, request.end)

    async def _allowed(self, tokens: int) -> _Request:
        """Raises `BudgetSpent` if there is no room though everything before is counted."""
        async with self._turn:
            while len(self._uncounted) >= self._uncounted_max:
                await self._count_oldest()
            while why := self._refusal(tokens):
                if not self._uncounted:
                    raise BudgetSpent(why)
                await self._count_oldest()
            request = _Request(tokens)
            self._uncounted.append(request)
            self._requests += 1
            self._tokens += tokens
            return request

    async def _count_oldest(self) -> None:
        oldest = self._uncounted[0]
        await oldest.ended.wait()
        self._uncounted.popleft()
        self._requests += oldest.taken.requests - 1
        self._tokens += oldest.taken.tokens - oldest.reserved

    def _refusal(self, tokens: int) -> str:
        """Why a request for so many tokens cannot be allowed now, if it cannot."""
        for unit, limit, spent, wanted in (
            ("requests", self._thorough.requests, self._requests, 1),
            ("tokens", self._thorough.tokens, self._tokens, tokens),
        ):
            if spent + wanted > limit:
                whose = "this triangulation"
                return refusal(whose, unit, limit, spent, wanted, f"thorough.{unit}")
        return ""
