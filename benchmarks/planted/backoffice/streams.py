"""Iterators and context managers."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


def windows(iterable: Iterable[T], size: int, *, step: int = 1) -> Iterator[list[T]]:
    """Iterate over windows of consecutive items.

    The first window starts at the first item, and each following window
    starts ``step`` items after the start of the one before. Windows that
    would reach beyond the last item are not yielded. The input is consumed
    only as far as needed, so it may be infinite.

    Args:
        iterable: The items.
        size: Number of items in each window, at least 1.
        step: Distance between the starts of windows, at least 1.

    Returns:
        An iterator of lists, each a new one.

    Raises:
        ValueError: If ``size`` or ``step`` is less than 1, at the call.

    >>> list(windows("abcde", 3))
    [['a', 'b', 'c'], ['b', 'c', 'd'], ['c', 'd', 'e']]
    >>> list(windows([1, 2, 3, 4, 5], 2, step=2))
    [[1, 2], [3, 4]]
    """
    if size < 1 or step < 1:
        raise ValueError("size and step must be at least 1")

    def generate() -> Iterator[list[T]]:
        buffer: list[T] = []
        for item in iterable:
            buffer.append(item)
            if len(buffer) == size:
                yield buffer[:]
                del buffer[:step]

    return generate()


def paginate(
    fetch: Callable[[int, int], Sequence[T]],
    *,
    page_size: int = 50,
    limit: int | None = None,
) -> Iterator[T]:
    """Iterate over the items of a source that is read page by page.

    Pages are requested with ``fetch(offset, page_size)``, where ``offset`` is
    the number of items on the pages before. A page with fewer than
    ``page_size`` items is the last one. Fetching is expensive: a page is
    requested only when an item of it is about to be yielded or when it has
    to be seen whether there is another item to yield.

    Args:
        fetch: Returns the page that starts at an offset; an empty sequence
            if there is nothing there.
        page_size: Items per page, at least 1.
        limit: The most items to yield. By default all are yielded.

    Yields:
        The items in order.

    >>> letters = "abcdefg"
    >>> def fetch(offset, count):
    ...     print("fetch", offset)
    ...     return letters[offset:offset + count]
    >>> list(paginate(fetch, page_size=3, limit=5))
    fetch 0
    fetch 3
    ['a', 'b', 'c', 'd', 'e']
    """
    offset = 0
    yielded = 0
    while True:
        page = fetch(offset, page_size)
        for item in page:
            if yielded == limit:
                return
            yield item
            yielded += 1
        if len(page) < page_size:
            return
        offset += len(page)


def merge_sorted(
    *iterables: Iterable[T],
    key: Callable[[T], Any] | None = None,
    unique: bool = False,
) -> Iterator[T]:
    """Merge sorted iterables into one sorted iterator.

    The inputs are read lazily. Items that compare equal are yielded in the
    order of the inputs they come from, and in their own order if they come
    from the same one.

    Args:
        *iterables: The inputs, each in ascending order.
        key: Computes what the items are compared by; the items themselves by
            default.
        unique: Yield only the first of several items that compare equal.

    Yields:
        The merged items in ascending order.

    >>> list(merge_sorted([1, 4, 4], [2, 4], unique=True))
    [1, 2, 4]
    """
    previous: Any = None
    first = True
    for item in heapq.merge(*iterables, key=key):
        current = item if key is None else key(item)
        if unique and not first and current == previous:
            continue
        first = False
        previous = current
        yield item


@contextmanager
def overridden(
    mapping: MutableMapping[str, Any], /, **changes: Any
) -> Iterator[MutableMapping[str, Any]]:
    """Change some entries of a mapping for the time of a ``with`` block.

    On entry the mapping is changed in place and is the value of the ``with``
    statement. When the block is left, even by an exception, each key in
    ``changes`` gets back the value that it had before, or is removed if it
    was not in the mapping, whatever the block has done with it. Other
    entries that the block has changed stay changed. Exceptions are passed on.

    Args:
        mapping: The mapping to change.
        **changes: The temporary values by key.

    >>> settings = {"debug": False}
    >>> with overridden(settings, debug=True, trace=1) as current:
    ...     print(current)
    {'debug': True, 'trace': 1}
    >>> settings
    {'debug': False}
    """
    before = {key: mapping[key] for key in changes if key in mapping}
    mapping.update(changes)
    try:
        yield mapping
    finally:
        for key in changes:
            if key in before:
                mapping[key] = before[key]
            else:
                mapping.pop(key, None)
