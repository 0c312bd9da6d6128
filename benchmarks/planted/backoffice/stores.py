"""Small stateful containers: cache, ring buffer, task queue, state machine."""

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class InvalidTransition(Exception):
    pass


class LRUCache:
    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self._capacity = capacity
        self._data: OrderedDict[Hashable, Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._data

    def get(self, key: Hashable, default: Any = None) -> Any:
        if key not in self._data:
            return default
        self._data.move_to_end(key)
        return self._data[key]

    def put(self, key: Hashable, value: Any) -> tuple[Hashable, Any] | None:
        """Store a value, making room for it if the cache is full.

        Reading a key with ``get`` and storing a value under it both count as
        using the key. A new key in a full cache takes the place of the one
        that has been unused for longest; replacing the value of a key that is
        in the cache removes no other key.

        Returns
        -------
        tuple or None
            The key and value that were removed to make room, if any.

        Examples
        --------
        >>> cache = LRUCache(2)
        >>> cache.put("a", 1)
        >>> cache.put("b", 2)
        >>> cache.get("a")
        1
        >>> cache.put("c", 3)
        ('b', 2)
        """
        self._data[key] = value
        if len(self._data) > self._capacity:
            return self._data.popitem(last=False)
        return None


class RingBuffer(Generic[T]):
    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self._slots: list[Any] = [None] * capacity
        self._next = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, item: T) -> None:
        self._slots[self._next] = item
        self._next = (self._next + 1) % len(self._slots)
        self._size = min(self._size + 1, len(self._slots))

    def latest(self, n: int | None = None) -> list[T]:
        """Return the ``n`` items appended last, the oldest of them first.

        Parameters
        ----------
        n : int, optional
            How many items to return. If the buffer holds fewer, or if `n` is
            not given, all items it holds are returned.

        Returns
        -------
        list
            A new list; the buffer keeps its items.

        Raises
        ------
        ValueError
            If `n` is negative.

        Examples
        --------
        >>> ring = RingBuffer(3)
        >>> for reading in (5, 6, 7, 8):
        ...     ring.append(reading)
        >>> ring.latest(2)
        [7, 8]
        >>> ring.latest()
        [6, 7, 8]
        """
        if n is None:
            n = self._size
        if n < 0:
            raise ValueError("n must not be negative")
        n = min(n, self._size)
        capacity = len(self._slots)
        first = self._next - n
        return [self._slots[(first + i) % capacity] for i in range(n)]


class TaskQueue(Generic[T]):
    def __init__(self) -> None:
        self._heap: list[tuple[int, int, T]] = []
        self._counter = itertools.count()

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, task: T, priority: int = 0) -> None:
        heapq.heappush(self._heap, (priority, next(self._counter), task))

    def drain(self, limit: int | None = None) -> list[T]:
        """Take tasks out of the queue.

        Tasks come out by priority, the lowest number first, and among equal
        priorities in the order in which they were pushed.

        Parameters
        ----------
        limit : int, optional
            The most tasks to take; the others stay in the queue. By default
            the queue is emptied.

        Returns
        -------
        list
            The tasks taken, in order.

        Raises
        ------
        ValueError
            If `limit` is negative.

        Examples
        --------
        >>> queue = TaskQueue()
        >>> queue.push("report", 5)
        >>> queue.push("alarm", 1)
        >>> queue.push("invoice", 5)
        >>> queue.drain(2)
        ['alarm', 'report']
        >>> queue.drain()
        ['invoice']
        """
        if limit is not None and limit < 0:
            raise ValueError("limit must not be negative")
        count = min(limit or len(self._heap), len(self._heap))
        return [heapq.heappop(self._heap)[2] for _ in range(count)]


class StateMachine:
    def __init__(
        self, initial: str, transitions: Mapping[tuple[str, str], str]
    ) -> None:
        self.state = initial
        self._transitions = dict(transitions)
        self._callbacks: defaultdict[str, list[Callable[..., Any]]] = defaultdict(list)

    def on_enter(self, state: str, callback: Callable[..., Any]) -> None:
        self._callbacks[state].append(callback)

    def fire(self, event: str, *args: Any) -> str:
        """Make the transition that ``event`` causes in the current state.

        First the state is changed, then the callbacks registered with
        ``on_enter`` for the new state are called, in the order of their
        registration, as ``callback(old_state, new_state, *args)``. This also
        happens when the transition leads back to the same state. If a
        callback raises, the exception is passed on; the machine stays in the
        new state and the remaining callbacks are not called.

        Returns
        -------
        str
            The state that the transition led to.

        Raises
        ------
        InvalidTransition
            If the event has no transition in the current state. The state is
            not changed and no callback is called.
        """
        old = self.state
        try:
            new = self._transitions[old, event]
        except KeyError:
            raise InvalidTransition(f"no transition for {event!r} in {old!r}") from None
        self.state = new
        for callback in list(self._callbacks.get(new, ())):
            callback(old, new, *args)
        return new
