"""Which checks run and which wait: one per document at a time, and the newest text wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from assay_engine.types import Tier
from assay_lsp.documents import Document, key

# A second check goes on while the first waits for a slow model; the engine spreads each by itself.
MAX_RUNNING = 2
# Files that may wait. Who saves more than this at once has replaced a tree, not edited it.
MAX_WAITING = 64


@dataclass(frozen=True, slots=True)
class Wish:
    """A check that somebody wants. `names` are qualified names, None means the whole document.

    `demanded` tells a command from a save; `again` runs anew what is stored.
    """

    document: Document
    names: frozenset[str] | None = None
    demanded: bool = False
    again: bool = False
    tier: Tier = Tier.STANDARD

    def covers(self, other: Wish) -> bool:
        """Whether granting this one grants the other, given the same text."""
        wide_enough = self.names is None or (other.names is not None and other.names <= self.names)
        deep_enough = self.tier is Tier.THOROUGH or other.tier is Tier.STANDARD
        return (
            wide_enough
            and deep_enough
            and self.demanded >= other.demanded
            and self.again >= other.again
        )

    def about(self, document: Document) -> bool:
        return key(self.document.uri) == key(document.uri)


@dataclass(slots=True)
class _Run:
    wish: Wish
    task: asyncio.Task[None]

    @property
    def ending(self) -> bool:
        return self.task.cancelling() > 0


class Checks:
    """Grants wishes, in order. Touched on the server's loop only."""

    def __init__(self, grant: Callable[[Wish], Coroutine[Any, Any, None]]) -> None:
        self._grant = grant
        self._waiting: list[Wish] = []
        self._running: dict[str, _Run] = {}

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def running(self) -> int:
        return len(self._running)

    def request(self, wish: Wish) -> bool:
        """See to it that the wish is granted on the newest text; False if too many wait already.

        A check of an older text of the same document ends now and starts over behind it: what it
        has finished is in the store, what it was at may have changed.
        """
        content = wish.document.text.content
        self._waiting = [
            replace(each, document=wish.document) if each.about(wish.document) else each
            for each in self._waiting
        ]
        run = self._running.get(key(wish.document.uri))
        if run is not None and not run.ending:
            if run.wish.document.text.content != content:
                run.task.cancel()
                self._wait(replace(run.wish, document=wish.document))
            elif run.wish.covers(wish):
                return True
        granted = self._wait(wish)
        self._start_next()
        return granted

    def cancel(self, uri: str) -> None:
        """End the check of a document, and forget those that wait for it."""
        self._waiting = [each for each in self._waiting if key(each.document.uri) != key(uri)]
        if run := self._running.get(key(uri)):
            run.task.cancel()

    async def cancel_all(self) -> int:
        """End every check; returns how many there were, when all have ended."""
        count = self.waiting + self.running
        self._waiting.clear()
        tasks = [run.task for run in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return count

    def _wait(self, wish: Wish) -> bool:
        if any(each.about(wish.document) and each.covers(wish) for each in self._waiting):
            return True
        if len(self._waiting) >= MAX_WAITING:
            return False
        self._waiting.append(wish)
        return True

    def _start_next(self) -> None:
        for wish in tuple(self._waiting):
            where = key(wish.document.uri)
            if len(self._running) < MAX_RUNNING and where not in self._running:
                self._waiting.remove(wish)
                task = asyncio.create_task(self._grant(wish))
                self._running[where] = _Run(wish, task)
                # Not a `finally` inside the task: one cancelled before its first step has none.
                task.add_done_callback(lambda _, where=where: self._ended(where))

    def _ended(self, where: str) -> None:
        del self._running[where]
        self._start_next()
