"""Runs batches side by side: a bounded number of children, one loop per caller, no extra threads."""

from __future__ import annotations

import select
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from .batches import Batch
from .frames import Record

# How late a cancellation may be noticed.
LONGEST_WAIT_SECONDS = 0.05

Numbered = tuple[int, Record]


class Slots:
    """How many children may run at once, over all callers."""

    def __init__(self, count: int) -> None:
        self._semaphore = threading.BoundedSemaphore(count)

    def take(self, *, wait: bool) -> bool:
        if wait:
            return self._semaphore.acquire(timeout=LONGEST_WAIT_SECONDS)
        return self._semaphore.acquire(blocking=False)

    def give_back(self) -> None:
        self._semaphore.release()


def drive(
    batches: Sequence[Batch], slots: Slots, cancelled: Callable[[], bool]
) -> Iterator[Numbered]:
    """Every record of every batch, with the batch's number, as they come.

    Closing the iterator early kills what runs.
    """
    waiting = deque(number for number, batch in enumerate(batches) if not batch.done)
    running: set[int] = set()
    poll = select.poll()
    by_descriptor: dict[int, tuple[int, bool]] = {}

    def watch(number: int) -> None:
        child = batches[number].child
        if child is None:
            return
        if not child.finished_writing:
            by_descriptor[child.pipe] = (number, True)
            poll.register(child.pipe, select.POLLIN)
        if not child.zygote_lost and child.exit_status is None:
            job = child.job.fileno()
            by_descriptor[job] = (number, False)
            poll.register(job, select.POLLIN)

    def forget(number: int) -> None:
        for descriptor in [fd for fd, (owner, _) in by_descriptor.items() if owner == number]:
            poll.unregister(descriptor)
            del by_descriptor[descriptor]

    def step(number: int, records: Iterator[Record]) -> Iterator[Numbered]:
        # Registered anew after every step: it may have ended one child and begun another, whose
        # descriptors can have the same numbers.
        child = batches[number].child
        before = (child, child and (child.finished_writing, child.zygote_lost, child.exit_status))
        for record in records:
            yield number, record
        child = batches[number].child
        if before == (
            child,
            child and (child.finished_writing, child.zygote_lost, child.exit_status),
        ):
            return
        forget(number)
        watch(number)
        if batches[number].done:
            running.discard(number)
            slots.give_back()

    try:
        while waiting or running:
            if cancelled():
                for number in [*running, *waiting]:
                    for record in batches[number].cancel():
                        yield number, record
                return
            while waiting and slots.take(wait=not running):
                number = waiting.popleft()
                running.add(number)
                batches[number].start()
                watch(number)
            if not running:
                continue
            due = min(batches[number].due for number in running)
            wait = min(max(due - monotonic(), 0.0), LONGEST_WAIT_SECONDS)
            for descriptor, _event in poll.poll(wait * 1000):
                owner = by_descriptor.get(descriptor)
                if owner is None:
                    continue
                number, is_pipe = owner
                batch = batches[number]
                yield from step(number, batch.pipe_ready() if is_pipe else batch.job_ready())
            for number in list(running):
                if monotonic() >= batches[number].due:
                    yield from step(number, batches[number].check())
    finally:
        for number in running:
            batches[number].close()
            slots.give_back()
