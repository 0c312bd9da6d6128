"""Helpers for asyncio code. Clocks and sleeps are passed in by the caller."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def bounded_gather(
    factories: Iterable[Callable[[], Awaitable[T]]],
    *,
    limit: int,
    return_exceptions: bool = False,
) -> list[Any]:
    """Run awaitables concurrently, but not more than ``limit`` at a time.

    The factories are called in order, each one when there is a free place.

    Args:
        factories: Functions without arguments that return an awaitable.
        limit: The most awaitables to run at the same time, at least 1.
        return_exceptions: Put exceptions in the result, in the place of the
            awaitable that raised them, and carry on. Otherwise the first
            exception is raised; the awaitables running at that time are
            cancelled and no further factory is called.

    Returns:
        The results in the order of the factories.

    Raises:
        ValueError: If ``limit`` is less than 1.

    >>> async def double(n):
    ...     return 2 * n
    >>> asyncio.run(bounded_gather([lambda: double(1), lambda: double(2)], limit=1))
    [2, 4]
    """
    if limit < 1:
        raise ValueError("limit must be at least 1")
    pending = deque(enumerate(factories))
    results: list[Any] = [None] * len(pending)

    async def work() -> None:
        while pending:
            index, factory = pending.popleft()
            try:
                results[index] = await factory()
            except Exception as exc:
                if not return_exceptions:
                    pending.clear()
                    raise
                results[index] = exc

    workers = [asyncio.ensure_future(work()) for _ in range(min(limit, len(pending)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return results


async def poll_until(
    check: Callable[[], Awaitable[T]],
    *,
    interval: float,
    timeout: float,
    clock: Callable[[], float],
    sleep: Callable[[float], Awaitable[Any]],
) -> T:
    """Call ``check`` again and again until it gives a true result.

    The first check is made at once. After an unsuccessful one there is a
    pause of ``interval`` seconds, or of the time left until the timeout if
    that is less. When the timeout has been reached after an unsuccessful
    check, no further check is made.

    Args:
        check: Returns an awaitable of the result.
        interval: Seconds between checks, more than 0.
        timeout: Seconds from the call until giving up; 0 means that only a
            single check is made.
        clock: Returns the current time in seconds.
        sleep: Returns an awaitable that takes the given number of seconds.

    Returns:
        The first true result.

    Raises:
        TimeoutError: If there was no true result in time.
    """
    deadline = clock() + timeout
    while True:
        result = await check()
        if result:
            return result
        if clock() >= deadline:
            raise TimeoutError(f"no result within {timeout} seconds")
        await sleep(interval)


class ResourcePool(Generic[T]):
    def __init__(self, resources: Iterable[T]) -> None:
        self._idle: asyncio.Queue[T] = asyncio.Queue()
        for resource in resources:
            self._idle.put_nowait(resource)
        self.failures = 0

    @property
    def idle(self) -> int:
        return self._idle.qsize()

    async def use(self, job: Callable[[T], Awaitable[R]]) -> R:
        """Run a job with a resource from the pool.

        Waits until a resource is idle, then awaits ``job(resource)``. No
        other job gets the resource in the meantime. The resource is idle
        again as soon as the job is over, in whatever way it ends. Jobs that
        raise an ``Exception`` are counted in ``failures``.

        Args:
            job: Gets the resource and returns an awaitable.

        Returns:
            What the job returns. What the job raises is passed on.

        >>> async def ping(connection):
        ...     return f"{connection} ok"
        >>> asyncio.run(ResourcePool(["db-1"]).use(ping))
        'db-1 ok'
        """
        resource = await self._idle.get()
        try:
            result = await job(resource)
        except Exception:
            self.failures += 1
            self._idle.put_nowait(resource)
            raise
        self._idle.put_nowait(resource)
        return result


class Topic(Generic[T]):
    def __init__(self, maxsize: int = 100) -> None:
        self._maxsize = maxsize
        self._queues: list[asyncio.Queue[T]] = []

    def subscribe(self) -> asyncio.Queue[T]:
        queue: asyncio.Queue[T] = asyncio.Queue(self._maxsize)
        self._queues.append(queue)
        return queue

    def publish(self, message: T) -> None:
        """Send a message to all subscribers without waiting for any of them.

        Each subscriber gets the messages in the order in which they were
        published. When the queue of a subscriber is full, a message is
        dropped for this subscriber; the others are not affected.

        Args:
            message: The message; all subscribers get the same object.
        """
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(message)
