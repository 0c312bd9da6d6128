"""Runs batches side by side: a bounded number of children, one loop per caller."""

from __future__ import annotations

import selectors
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import BoundedSemaphore
from time import monotonic
from typing import cast

from .batches import Batch
from .errors import WorkerLost
from .frames import Answers

# How late a cancellation may be noticed.
LONGEST_WAIT_SECONDS = 0.05

Numbered = tuple[int, Answers]


def drive(
    batches: Sequence[Batch], slots: BoundedSemaphore, cancelled: Callable[[], bool]
) -> Iterator[Numbered]:
    """Answers of every batch, with the batch's number, as they come.

    `slots`: as many as children may run at once, over all callers. Closing the iterator early kills
    what runs.
    """
    yield from _Loop(batches, slots).run(cancelled)


class _Loop:
    def __init__(self, batches: Sequence[Batch], slots: BoundedSemaphore) -> None:
        self._batches = batches
        self._slots = slots
        self._waiting = deque(number for number, batch in enumerate(batches) if not batch.done)
        self._running: set[int] = set()
        # The waiting batch that was last prepared, so that each is prepared only once.
        self._prepared: int | None = None
        # The data of a descriptor: its batch's number, and whether it is the pipe (or else the
        # zygote's socket).
        self._selector = selectors.DefaultSelector()

    def run(self, cancelled: Callable[[], bool]) -> Iterator[Numbered]:
        try:
            while self._waiting or self._running:
                if cancelled():
                    yield from self._cancel()
                    return
                self._start()
                if self._running:
                    yield from self._wait()
        finally:
            for number in list(self._running):
                self._end(number)
            for batch in self._batches:
                batch.close()
            self._selector.close()

    def _start(self) -> None:
        while self._waiting and self._slots.acquire(
            timeout=0.0 if self._running else LONGEST_WAIT_SECONDS
        ):
            number = self._waiting.popleft()
            self._running.add(number)
            self._batches[number].start()
            self._watch(number)
        if self._waiting and self._running and self._waiting[0] != self._prepared:
            # So the next child is forked and confined before one of these ends. An error may be
            # ignored here: `start` tries again, and raises it if it persists.
            self._prepared = self._waiting[0]
            with suppress(OSError, WorkerLost):
                self._batches[self._prepared].prepare()

    def _wait(self) -> Iterator[Numbered]:
        due = min(self._batches[number].due for number in self._running)
        wait = min(max(due - monotonic(), 0.0), LONGEST_WAIT_SECONDS)
        for key, _event in self._selector.select(wait):
            number, is_pipe = cast("tuple[int, bool]", key.data)
            # An earlier step of this round may have closed or replaced this descriptor.
            if self._selector.get_map().get(key.fd) is key:
                batch = self._batches[number]
                yield from self._step(number, batch.pipe_ready if is_pipe else batch.job_ready)
        for number in list(self._running):
            if monotonic() >= self._batches[number].due:
                yield from self._step(number, self._batches[number].check)

    def _cancel(self) -> Iterator[Numbered]:
        for number in [*self._running, *self._waiting]:
            for answers in self._batches[number].cancel():
                yield number, answers

    def _step(self, number: int, stepping: Callable[[], list[Answers]]) -> Iterator[Numbered]:
        batch = self._batches[number]
        before = batch.child, batch.listening
        found = stepping()
        if (batch.child, batch.listening) != before:
            # A new child may have descriptors of the same numbers as the one that ended. The system
            # does not wait for these until they are registered, as for any other new descriptor.
            self._forget(number)
            self._watch(number)
        if batch.done:
            self._end(number)
        for answers in found:
            yield number, answers

    def _watch(self, number: int) -> None:
        for descriptor, is_pipe in self._batches[number].listening:
            self._selector.register(descriptor, selectors.EVENT_READ, (number, is_pipe))

    def _forget(self, number: int) -> None:
        for key in [key for key in self._selector.get_map().values() if key.data[0] == number]:
            self._selector.unregister(key.fd)

    def _end(self, number: int) -> None:
        self._forget(number)
        self._running.discard(number)
        self._slots.release()
