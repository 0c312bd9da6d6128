"""Schedules checks: one per document at a time, and the newest text wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.types import Tier
from assay_lsp.documents import Document, key

# A second check goes on while the first waits for a slow model; the engine spreads each by itself.
RUNNING_MAX = 2
# Files that may wait. A user who saves more at once has replaced a tree, not edited it.
WAITING_MAX = 64


class Wish(Struct, frozen=True):
    """A requested check. `names` are qualified names; None means the whole document, or, if only
    what has `changed` is wanted, what is new or changed since the last commit.

    `demanded` distinguishes a command from a save; `again` runs anew even if a result is stored.
    `told` is the number of requests that the user has agreed to.
    """

    document: Document
    names: frozenset[str] | None = None
    changed: bool = False
    demanded: bool = False
    again: bool = False
    tier: Tier = Tier.STANDARD
    told: int = 0

    def covers(self, other: Wish) -> bool:
        """Whether granting this one grants the other, given the same text."""
        wide_enough = self.names is None or (other.names is not None and other.names <= self.names)
        wide_enough = wide_enough and self.changed <= other.changed
        deep_enough = self.tier is Tier.THOROUGH or other.tier is Tier.STANDARD
        return (
            wide_enough
            and deep_enough
            and self.demanded >= other.demanded
            and self.again >= other.again
            and self.told >= other.told
        )

    def about(self, document: Document) -> bool:
        return key(self.document.uri) == key(document.uri)


class _Run(Struct):
    wish: Wish
    task: asyncio.Task[None]
    # The check of a former text, which may not end before this one has begun.
    former: asyncio.Task[None] | None = None
    begun: bool = False

    @property
    def ending(self) -> bool:
        return self.task.cancelling() > 0

    def end_former(self) -> None:
        if self.former is not None:
            self.former.cancel()
            self.former = None

    def end(self) -> None:
        self.task.cancel()
        self.end_former()


# Grants a wish. It calls its first callback when it has begun, that is when it has joined all
# running trials that it needs, too. It calls the second when the user stops it, which also stops
# all that waits for the same document.
Grant = Callable[[Wish, Callable[[], None], Callable[[], None]], Coroutine[Any, Any, None]]


class Checks:
    """Grants wishes, in order. Touched on the server's loop only."""

    def __init__(self, grant: Grant, stopped: Callable[[Document], None]) -> None:
        """`stopped` is called when the user stops the check of a document."""
        self._grant = grant
        self._stopped = stopped
        self._waiting: list[Wish] = []
        self._running: dict[str, _Run] = {}
        # All tasks that have not ended, including those of former texts.
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def wished(self) -> tuple[Wish, ...]:
        """The wishes that run or wait, except for cancelled ones."""
        runs = (run.wish for run in self._running.values() if not run.ending)
        return (*runs, *self._waiting)

    def request(self, wish: Wish) -> bool:
        """Have the wish granted on the newest text; False if too many wait already.

        A check of an older text of the same document is handed over to one of the newest: trials of
        unchanged functions continue, and the others end.
        """
        self._waiting = [
            replace(each, document=wish.document) if each.about(wish.document) else each
            for each in self._waiting
        ]
        run = self._running.get(key(wish.document.uri))
        if run is not None and not run.ending:
            if run.wish.document.text.content != wish.document.text.content:
                run = self._hand_over(run, wish.document)
            if run.wish.covers(wish):
                return True
        granted = self._wait(wish)
        self._start_next()
        return granted

    def cancel(self, uri: str) -> None:
        """End the check of a document, and forget the wishes that wait for it."""
        self._waiting = [each for each in self._waiting if key(each.document.uri) != key(uri)]
        if run := self._running.get(key(uri)):
            run.end()

    async def cancel_all(self) -> int:
        """End every check; when all have ended, return how many there were."""
        count = self.waiting + self.running
        self._waiting.clear()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return count

    def _wait(self, wish: Wish) -> bool:
        if any(each.about(wish.document) and each.covers(wish) for each in self._waiting):
            return True
        if len(self._waiting) >= WAITING_MAX:
            return False
        self._waiting.append(wish)
        return True

    def _start_next(self) -> None:
        for wish in tuple(self._waiting):
            if len(self._running) < RUNNING_MAX and key(wish.document.uri) not in self._running:
                self._waiting.remove(wish)
                self._start(wish)

    def _hand_over(self, run: _Run, document: Document) -> _Run:
        former = run.task
        if not run.begun and run.former is not None:
            # It has taken nothing over yet: all trials are still with the check before it.
            former = run.former
            run.task.cancel()
        return self._start(replace(run.wish, document=document), former)

    def _start(self, wish: Wish, former: asyncio.Task[None] | None = None) -> _Run:
        def begun() -> None:
            run.begun = True
            run.end_former()

        def stop() -> None:
            self._stopped(wish.document)
            self.cancel(wish.document.uri)

        run = _Run(wish, asyncio.create_task(self._grant(wish, begun, stop)), former)
        self._running[key(wish.document.uri)] = run
        self._tasks.add(run.task)
        # Not a `finally` inside the task: one cancelled before its first step has none.
        run.task.add_done_callback(lambda _: self._ended(run))
        return run

    def _ended(self, run: _Run) -> None:
        self._tasks.discard(run.task)
        where = key(run.wish.document.uri)
        if self._running.get(where) is run:
            run.end_former()
            del self._running[where]
        self._start_next()
