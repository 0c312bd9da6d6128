"""Work that several callers wait for.

It is begun once, its stages are told to all who wait, and it is ended when nobody waits any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

T = TypeVar("T")

# A function that is told which stage the work is in.
Tell = Callable[[str], None]


class _Work(Struct, Generic[T]):
    task: asyncio.Task[T]
    holds: list[Waiter[T]] = field(default_factory=list["Waiter[T]"])


class Waiter(Generic[T]):
    """One caller's wait for a piece of work. `joined` is set if another caller has begun it."""

    def __init__(self, work: _Work[T], tell: Tell | None, *, joined: bool) -> None:
        self._work = work
        self.tell = tell
        self.joined = joined
        work.holds.append(self)

    async def result(self) -> T:
        """The result of the work. Cancelling the wait does not cancel the work; letting go does."""
        return await asyncio.shield(self._work.task)

    async def let_go(self) -> BaseException | None:
        """Wait no longer. May be called again.

        The last caller to let go cancels the work, and returns after the work has ended. If the
        work ended with an exception instead of a result, that exception is returned.
        """
        holds, task = self._work.holds, self._work.task
        if self not in holds:
            return None
        holds.remove(self)
        if holds:
            return None
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        try:
            return task.exception()
        except asyncio.CancelledError as cancellation:
            return cancellation


class SingleFlight(Generic[T]):
    """The pieces of work under way, by key. Used from one event loop."""

    def __init__(self) -> None:
        self._works: dict[str, _Work[T]] = {}

    def join(self, key: str, tell: Tell | None = None) -> Waiter[T] | None:
        """Wait for the work with this key, if it is under way already; else None."""
        work = self._works.get(key)
        # Work that everybody has let go of may take a moment to end. Do not join it.
        if work is None or not work.holds or work.task.done():
            return None
        return Waiter(work, tell, joined=True)

    def join_all(self) -> tuple[Waiter[T], ...]:
        """Wait for all the work that is under way."""
        return tuple(filter(None, map(self.join, self._works)))

    def hold(
        self, key: str, begin: Callable[[Tell], Coroutine[Any, Any, T]], tell: Tell | None = None
    ) -> Waiter[T]:
        """Wait for the work with this key if it is under way, or else begin it.

        `begin` is given a function that tells stages to all who wait.
        """
        joined = self.join(key, tell)
        if joined is not None:
            return joined
        holds: list[Waiter[T]] = []

        def tell_all(stage: str) -> None:
            for each in holds:
                if each.tell is not None:
                    each.tell(stage)

        work = _Work(asyncio.create_task(begin(tell_all)), holds)
        self._works[key] = work
        work.task.add_done_callback(lambda _: self._forget(key, work))
        return Waiter(work, tell, joined=False)

    def _forget(self, key: str, work: _Work[T]) -> None:
        if self._works.get(key) is work:
            del self._works[key]
