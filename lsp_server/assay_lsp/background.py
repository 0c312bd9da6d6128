"""Work beside the server's loop, which never waits for it: the engine's thread, with an event loop
of its own, and tasks that run to their end whether or not a handler waits for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")

# How long a cancelled piece of work may take to close its connections and kill its children before
# the server goes on without it.
CANCEL_SECONDS = 5.0


class Background:
    """Runs coroutines on a loop of its own, in one daemon thread that starts with the first.

    Created and used on the server's loop. Results and cancellations cross by
    `call_soon_threadsafe`, and in no other way.
    """

    def __init__(self) -> None:
        self._there: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run `work()` on the engine's loop. When the caller is cancelled, so is the work.

        Returns only when the work has ended, so that a caller that starts the next piece knows that
        the last one's requests and processes are gone.
        """
        here = asyncio.get_running_loop()
        there = self._started()
        outcome: asyncio.Future[T] = here.create_future()
        tasks: list[asyncio.Task[T]] = []

        def start() -> None:
            task = there.create_task(work())
            tasks.append(task)
            task.add_done_callback(finish)

        def finish(task: asyncio.Task[T]) -> None:
            with contextlib.suppress(RuntimeError):  # The server's loop is closed.
                here.call_soon_threadsafe(_settle, outcome, task)

        there.call_soon_threadsafe(start)
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            there.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
            await asyncio.wait([outcome], timeout=CANCEL_SECONDS)
            if outcome.done() and not outcome.cancelled():
                outcome.exception()  # Retrieved, or asyncio complains that it never was.
            raise

    def stop(self, seconds: float, last: Callable[[], None]) -> None:
        """Cancel everything, run `last` on that loop and end the thread; blocks at most `seconds`.

        Called when the server's loop has ended.
        """
        there, thread = self._there, self._thread
        if there is None or thread is None:
            return

        async def wind_up() -> None:
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            try:
                last()
            except Exception:
                log.exception("the engine did not close")
            there.stop()

        with contextlib.suppress(RuntimeError):
            asyncio.run_coroutine_threadsafe(wind_up(), there)
        thread.join(seconds)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._there is None:
            self._there = asyncio.new_event_loop()
            # A daemon: a stuck engine must not keep alive a process that has no client.
            self._thread = threading.Thread(
                target=self._there.run_forever, name="assay-engine", daemon=True
            )
            self._thread.start()
        return self._there


def _settle(outcome: asyncio.Future[T], task: asyncio.Task[T]) -> None:
    if outcome.done():
        return
    if task.cancelled():
        outcome.cancel()
    elif (error := task.exception()) is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(task.result())


Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Tasks:
    """Keeps references to running tasks, which the loop itself does not."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task for the work."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task
