"""Caches, graphs, queues and intervals."""

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class CycleError(ValueError):
    pass


def topological_order(dependencies: Mapping[str, Iterable[str]]) -> list[str]:
    """Order tasks so that each comes after everything it depends on.

    Tasks that are only named as a dependency of others are included. Whenever
    several tasks could come next, the alphabetically first one does.

    Args:
        dependencies: Maps each task to the tasks it depends on.

    Raises:
        CycleError: If tasks depend on each other in a circle.

    >>> topological_order({"deploy": ["test", "build"], "test": ["build"]})
    ['build', 'test', 'deploy']
    """
    needs: dict[str, set[str]] = {task: set(deps) for task, deps in dependencies.items()}
    needed_by: dict[str, list[str]] = defaultdict(list)
    for task, deps in list(needs.items()):
        for dep in deps:
            needs.setdefault(dep, set())
            needed_by[dep].append(task)
    waiting = {task: len(deps) for task, deps in needs.items()}
    ready = [task for task, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        task = heapq.heappop(ready)
        order.append(task)
        for dependent in needed_by[task]:
            waiting[dependent] -= 1
            if waiting[dependent] == 0:
                heapq.heappush(ready, dependent)
    if len(order) < len(needs):
        raise CycleError("circular dependency")
    return order


class LRUCache(Generic[K, V]):
    """A mapping of limited size that forgets what was not used for longest."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self.capacity = capacity
        self._data: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, key: object) -> bool:
        return key in self._data

    def get(self, key: K, default: V | None = None) -> V | None:
        if key not in self._data:
            return default
        self._data.move_to_end(key)
        return self._data[key]

    def put(self, key: K, value: V) -> None:
        """Store ``value`` under ``key`` as the most recently used entry.

        An earlier value of the key is replaced. If a new key does not fit, the
        least recently used entry is dropped first.
        """
        if key not in self._data and len(self._data) >= self.capacity:
            self._data.popitem(last=False)
        self._data[key] = value


class UndoStack(Generic[V]):
    """Keeps the history of a document."""

    def __init__(self, initial: V, limit: int = 100) -> None:
        self.current = initial
        self._undo: deque[V] = deque(maxlen=limit)
        self._redo: list[V] = []

    def undo(self) -> V:
        if self._undo:
            self._redo.append(self.current)
            self.current = self._undo.pop()
        return self.current

    def redo(self) -> V:
        if self._redo:
            self._undo.append(self.current)
            self.current = self._redo.pop()
        return self.current

    def push(self, state: V) -> None:
        """Make ``state`` the current state.

        The state before it can be brought back with ``undo``, as can the ones
        before that, up to ``limit`` states in all; older ones are forgotten.
        States that were undone can no longer be brought back with ``redo``.
        """
        self._undo.append(self.current)
        self._redo.clear()
        self.current = state


class EventScheduler:
    """Keeps named events until they are due."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, str]] = []
        self._ids = itertools.count(1)
        self._cancelled: set[int] = set()

    def schedule(self, when: float, name: str) -> int:
        event_id = next(self._ids)
        heapq.heappush(self._heap, (when, event_id, name))
        return event_id

    def cancel(self, event_id: int) -> None:
        self._cancelled.add(event_id)

    def pop_due(self, now: float) -> list[str]:
        """Remove the events that are due at ``now`` and return their names.

        An event is due from its scheduled time on. The names are in order of
        scheduled time; events for the same time are in the order in which they
        were scheduled. Cancelled events are not returned.
        """
        names: list[str] = []
        while self._heap and self._heap[0][0] <= now:
            _, event_id, name = heapq.heappop(self._heap)
            if event_id in self._cancelled:
                self._cancelled.discard(event_id)
                continue
            names.append(name)
        return names


def merge_intervals(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge overlapping ``(start, end)`` intervals.

    The result is sorted by start.

    >>> merge_intervals([(8, 9), (1, 4), (2, 6)])
    [(1, 6), (8, 9)]
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
