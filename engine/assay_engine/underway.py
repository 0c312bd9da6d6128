"""Work that several wait for: begun once, told of by all, and ended when nobody waits any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")

# Told which stage the work is in.
Tell = Callable[[str], None]


@dataclass(slots=True)
class _Work(Generic[T]):
    task: asyncio.Task[T]
    told: list[Tell] = field(default_factory=list[Tell])


class Hold(Generic[T]):
    """One of those who wait for a piece of work."""

    def __init__(self, work: _Work[T], tell: Tell) -> None:
        self._work = work
        self._tell = tell
        work.told.append(tell)

    async def result(self) -> T:
        """What comes of it. Cancelling the wait does not cancel the work; letting go does."""
        return await asyncio.shield(self._work.task)

    async def let_go(self) -> None:
        """Wait no longer; the last one to go takes the work along, and returns when it has ended.
        May be called again."""
        told, task = self._work.told, self._work.task
        if self._tell not in told:
            return
        told.remove(self._tell)
        if not told and not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class UnderWay(Generic[T]):
    """The pieces of work under way, by key. Used from one event loop."""

    def __init__(self) -> None:
        self._works: dict[str, _Work[T]] = {}

    def join(self, key: str, tell: Tell) -> Hold[T] | None:
        """Wait for what is under way already, if it is."""
        work = self._works.get(key)
        # What everybody has let go of may take a moment to end.
        return Hold(work, tell) if work is not None and work.told else None

    def hold(
        self, key: str, tell: Tell, begin: Callable[[Tell], Coroutine[Any, Any, T]]
    ) -> Hold[T]:
        """Wait for what is under way, or begin it; `begin` is given what tells all who wait."""
        joined = self.join(key, tell)
        if joined is not None:
            return joined
        told: list[Tell] = []

        def tell_all(stage: str) -> None:
            for each in told:
                each(stage)

        work = _Work(asyncio.create_task(begin(tell_all)), told)
        self._works[key] = work
        work.task.add_done_callback(lambda _: self._forget(key, work))
        return Hold(work, tell)

    def _forget(self, key: str, work: _Work[T]) -> None:
        if self._works.get(key) is work:
            del self._works[key]
