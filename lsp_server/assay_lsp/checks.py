"""Schedules checks: one per document at a time, and the newest text wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.types import Tier
from assay_lsp.documents import TextDocument, key

# A second check goes on while the first waits for a slow model; the engine spreads each by itself.
RUNNING_MAX = 2
# Files that may wait. A user who saves more at once has replaced a tree, not edited it.
WAITING_MAX = 64


class CheckRequest(Struct, frozen=True):
    """A requested check. `names` are qualified names; None means the whole document, or, if only
    what has `changed` is wanted, what is new or changed since the last commit.

    `demanded` distinguishes a command from a save; `again` runs anew even if a result is stored.
    `told` is the number of requests that the user has agreed to.
    """

    document: TextDocument
    names: frozenset[str] | None = None
    changed: bool = False
    demanded: bool = False
    again: bool = False
    tier: Tier = Tier.STANDARD
    told: int = 0

    def covers(self, other: CheckRequest) -> bool:
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

    def about(self, document: TextDocument) -> bool:
        return key(self.document.uri) == key(document.uri)


class _Run(Struct):
    request: CheckRequest
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


# Grants a request. It calls its first callback when it has begun, that is when it has joined all
# running trials that it needs, too. It calls the second when the user stops it, which also stops
# all that waits for the same document.
Grant = Callable[[CheckRequest, Callable[[], None], Callable[[], None]], Coroutine[Any, Any, None]]


class Scheduler:
    """Grants requests, in order. Touched on the server's loop only."""

    def __init__(self, grant: Grant, stopped: Callable[[TextDocument], None]) -> None:
        """`stopped` is called when the user stops the check of a document."""
        self._grant = grant
        self._stopped = stopped
        self._waiting: list[CheckRequest] = []
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
    def unfinished(self) -> tuple[CheckRequest, ...]:
        """The requests that run or wait, except for cancelled ones."""
        runs = (run.request for run in self._running.values() if not run.ending)
        return (*runs, *self._waiting)

    def request(self, request: CheckRequest) -> bool:
        """Have the request granted on the newest text; False if too many wait already.

        A check of an older text of the same document is handed over to one of the newest: trials of
        unchanged functions continue, and the others end.
        """
        self._waiting = [
            replace(each, document=request.document) if each.about(request.document) else each
            for each in self._waiting
        ]
        run = self._running.get(key(request.document.uri))
        if run is not None and not run.ending:
            if run.request.document.text.content != request.document.text.content:
                run = self._hand_over(run, request.document)
            if run.request.covers(request):
                return True
        granted = self._wait(request)
        self._start_next()
        return granted

    def cancel(self, uri: str) -> None:
        """End the check of a document, and forget the requests that wait for it."""
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

    def _wait(self, request: CheckRequest) -> bool:
        if any(each.about(request.document) and each.covers(request) for each in self._waiting):
            return True
        if len(self._waiting) >= WAITING_MAX:
            return False
        self._waiting.append(request)
        return True

    def _start_next(self) -> None:
        for request in tuple(self._waiting):
            if len(self._running) < RUNNING_MAX and key(request.document.uri) not in self._running:
                self._waiting.remove(request)
                self._start(request)

    def _hand_over(self, run: _Run, document: TextDocument) -> _Run:
        former = run.task
        if not run.begun and run.former is not None:
            # It has taken nothing over yet: all trials are still with the check before it.
            former = run.former
            run.task.cancel()
        return self._start(replace(run.request, document=document), former)

    def _start(self, request: CheckRequest, former: asyncio.Task[None] | None = None) -> _Run:
        def begun() -> None:
            run.begun = True
            run.end_former()

        def stop() -> None:
            self._stopped(request.document)
            self.cancel(request.document.uri)

        run = _Run(request, asyncio.create_task(self._grant(request, begun, stop)), former)
        self._running[key(request.document.uri)] = run
        self._tasks.add(run.task)
        # Not a `finally` inside the task: one cancelled before its first step has none.
        run.task.add_done_callback(lambda _: self._ended(run))
        return run

    def _ended(self, run: _Run) -> None:
        self._tasks.discard(run.task)
        where = key(run.request.document.uri)
        if self._running.get(where) is run:
            run.end_former()
            del self._running[where]
        self._start_next()
