"""The requests that may be under way at a time: fewer where a server turns some away."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType


class Slots:
    """An asynchronous context manager that lets in at most `most` at a time."""

    def __init__(self, most: int) -> None:
        self._limit = most
        self._under_way = 0
        self._waiting = deque[asyncio.Future[None]]()

    async def __aenter__(self) -> None:
        while self._under_way >= self._limit:
            freed = asyncio.get_running_loop().create_future()
            self._waiting.append(freed)
            try:
                await freed
            except asyncio.CancelledError:
                if not freed.cancelled():
                    # It was this one's turn.
                    self._wake_next()
                raise
        self._under_way += 1

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._under_way -= 1
        self._wake_next()

    def let_in_fewer(self) -> bool:
        """Let in half as many as are under way; False if that is one already."""
        fewer = max(1, min(self._limit, self._under_way) // 2)
        others = self._under_way > 1 or fewer < self._limit
        self._limit = min(self._limit, fewer)
        return others

    def _wake_next(self) -> None:
        while self._waiting:
            freed = self._waiting.popleft()
            if not freed.done():
                freed.set_result(None)
                return
