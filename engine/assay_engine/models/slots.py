"""The requests that may be under way at a time: fewer where a server turns some away."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Slots:
    """An asynchronous context manager that lets in at most `most` at a time, in their order."""

    def __init__(self, most: int) -> None:
        self._limit = most
        self._under_way = 0
        self._freed = asyncio.Condition()

    async def __aenter__(self) -> None:
        async with self._freed:
            await self._freed.wait_for(lambda: self._under_way < self._limit)
            self._under_way += 1

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._under_way -= 1
        async with self._freed:
            self._freed.notify()

    def let_in_fewer(self) -> bool:
        """Let in half as many as are under way; False if that is one already."""
        fewer = max(1, min(self._limit, self._under_way) // 2)
        others = self._under_way > 1 or fewer < self._limit
        self._limit = min(self._limit, fewer)
        return others
