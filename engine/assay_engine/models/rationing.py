"""Keeps a check or a triangulation within its limits, whichever request is answered first.

Shared by all meters: the message when there is no room, and the count of a request's cost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from msgspec import Struct, field

from assay_engine.config.settings import Budget, Thorough
from assay_engine.errors import BudgetSpent, ModelError
from assay_engine.models.counting import estimated_cost, used_by, used_by_interrupted
from assay_engine.models.slots import telling_unsent
from assay_engine.types import Model, Prompt, Reply, Usage


class Allowance(Struct, frozen=True):
    """The most that requests may take together.

    Messages say `whose` allowance it is and name the `setting` for the unit.
    """

    requests: int
    tokens: int
    whose: str
    setting: str

    @classmethod
    def of_check(cls, budget: Budget) -> Allowance:
        requests, tokens = budget.requests_per_check, budget.tokens_per_check
        return cls(requests, tokens, "this check", "budget.{}_per_check")

    @classmethod
    def of_triangulation(cls, thorough: Thorough) -> Allowance:
        return cls(thorough.requests, thorough.tokens, "this triangulation", "thorough.{}")


class AllowedRequest(Struct, eq=False):
    """A request that was allowed; `taken` is what it took, once it has `ended`."""

    reserved: int
    taken: Usage = Usage()
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self, taken: Usage) -> None:
        self.taken = taken
        self.ended.set()


class Ration:
    """Gives room to the requests of one check or triangulation, whichever model they ask.

    `spent` is what has been taken before. Requests are counted in the order in which they were
    made. Where only the tokens set aside for uncounted requests leave no room, a request waits for
    the oldest of these, until there is room or all are counted. So which requests are refused
    follows from their order and from what each took, and not from how long they were under way. A
    request also waits while `uncounted_max` requests are not counted: a limit can be passed at most
    by what these take beyond what was set aside. The caller has to set a deadline, as for the
    replies themselves.
    """

    def __init__(
        self, allowance: Allowance, uncounted_max: int, spent: Usage | None = None
    ) -> None:
        self._allowance = allowance
        self._uncounted_max = uncounted_max
        self._turn = asyncio.Lock()
        self._uncounted = deque[AllowedRequest]()
        spent = spent or Usage()
        # The sums of what is counted and of what is set aside for the uncounted requests.
        self._requests, self._tokens = spent.requests, spent.tokens

    async def allowed(self, tokens: int) -> AllowedRequest:
        """The request, once there is room for it.

        Raises `BudgetSpent` if there is no room though all requests before are counted.
        """
        async with self._turn:
            while len(self._uncounted) >= self._uncounted_max:
                await self._count_oldest()
            while why := self._refusal(tokens):
                if not self._uncounted:
                    raise BudgetSpent(why)
                await self._count_oldest()
            request = AllowedRequest(tokens)
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
        """Why a request for this many tokens cannot be allowed now; empty if it can."""
        allowed = self._allowance
        for unit, limit, spent, wanted in (
            ("requests", allowed.requests, self._requests, 1),
            ("tokens", allowed.tokens, self._tokens, tokens),
        ):
            if spent + wanted > limit:
                setting = allowed.setting.format(unit)
                return refusal(allowed.whose, unit, limit, spent, wanted, setting)
        return ""


class RationedModel:
    """Asks `inner` only for replies that the ration has room for, in tokens if these are `counted`.

    Replies that `inner` takes from a cache count as if they were drawn, so that the same
    triangulation has the same outcome again.
    """

    def __init__(self, inner: Model, ration: Ration, *, counted: bool = True) -> None:
        self.name = inner.name
        self._inner = inner
        self._ration = ration
        self._counted = counted

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        with telling_unsent():
            request = await self._ration.allowed(estimated_cost(prompt) if self._counted else 0)
        return await metered(self._inner, prompt, sample, request.end)


def refusal(whose: str, unit: str, limit: int, spent: int, wanted: int, setting: str) -> str:
    """A sentence that says why a request is not sent, and which setting would allow it."""
    return (
        f"The budget of {whose} is {limit:,} {unit}, {spent:,} are spent or reserved "
        f"and this request may take {wanted:,}; raise {setting} to go on."
    )


async def metered(
    model: Model, prompt: Prompt, sample: int, settle: Callable[[Usage], None]
) -> Reply:
    """The reply of `model`. `settle` is told what the request took, even if it fails."""
    try:
        reply = await model.reply(prompt, sample)
    except asyncio.CancelledError as cancellation:
        settle(used_by_interrupted(cancellation, prompt))
        raise
    except ModelError as failure:
        settle(used_by(failure, prompt))
        raise
    settle(reply.usage)
    return reply
