"""Request-side helpers: URLs, headers, permissions, limits and retries."""

from __future__ import annotations

import asyncio
import posixpath
import re
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

T = TypeVar("T")

_WEIGHT = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")


def with_query_params(url: str, params: Mapping[str, object]) -> str:
    """Return ``url`` with the given query parameters set.

    Parameters of the URL that are not named in ``params`` are kept, in their
    order and ahead of the new ones; those that are named are replaced. A value
    of ``None`` removes the parameter, and a list or tuple gives one
    ``name=value`` pair per element. The fragment is kept.

    >>> with_query_params("/items?q=tea&page=2#list", {"page": 3})
    '/items?q=tea&page=3#list'
    """
    parts = urlsplit(url)
    query: list[tuple[str, object]] = [
        (name, value) for name, value in parse_qsl(parts.query) if name not in params
    ]
    for name, value in params.items():
        if value is None:
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        query.extend((name, item) for item in values)
    return urlunsplit(parts._replace(query=urlencode(query)))


def safe_join(root: str, user_path: str) -> str:
    """Join a user-supplied relative path to ``root``.

    ``.`` and ``..`` segments are resolved. Only the text of the paths is looked
    at, not the file system.

    Returns:
        The normalised path.

    Raises:
        PermissionError: If the path would lie outside of ``root``.

    >>> safe_join("/srv/data", "img/../logo.png")
    '/srv/data/logo.png'
    """
    root = posixpath.normpath(root)
    target = posixpath.normpath(posixpath.join(root, user_path))
    if not target.startswith(root):
        raise PermissionError(f"path leaves {root}: {user_path!r}")
    return target


def _to_weight(text: str) -> float:
    if not _WEIGHT.fullmatch(text):
        return 0.0
    weight = float(text)
    return weight if weight <= 1 else 0.0


def parse_accept_language(header: str) -> list[str]:
    """Return the language tags of an ``Accept-Language`` header, best first.

    Entries without a ``q`` weight have weight 1, and entries of equal weight
    stay in the order of the header. Entries with weight 0, or with a weight
    that is not a plain decimal number from 0 to 1, are left out. Tags are
    returned as written.

    >>> parse_accept_language("de;q=0.7, en, fr;q=0.9")
    ['en', 'fr', 'de']
    """
    weighted: list[tuple[float, str]] = []
    for entry in header.split(","):
        tag, *params = (part.strip() for part in entry.split(";"))
        if not tag:
            continue
        weight = 1.0
        for param in params:
            name, _, value = param.partition("=")
            if name.strip().lower() == "q":
                weight = _to_weight(value.strip())
        if weight > 0:
            weighted.append((weight, tag))
    weighted.sort(key=lambda item: item[0], reverse=True)
    return [tag for _, tag in weighted]


@dataclass(frozen=True)
class Role:
    name: str
    granted: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()


def _covers(patterns: Iterable[str], permission: str) -> bool:
    return any(fnmatchcase(permission, pattern) for pattern in patterns)


def is_allowed(roles: Iterable[Role], permission: str) -> bool:
    """Tell whether a user with the given roles may use ``permission``.

    A role grants or denies permissions such as ``"orders:refund"`` by exact
    name or with a wildcard such as ``"orders:*"``. A user with several roles
    has everything that any of them grants, except for what any of them denies.
    What is not granted is not allowed.
    """
    for role in roles:
        if _covers(role.denied, permission):
            return False
        if _covers(role.granted, permission):
            return True
    return False


class SlidingWindowLimiter:
    """Limits how many requests each client may make in a span of time."""

    def __init__(self, limit: int, window: float) -> None:
        self.limit = limit
        self.window = window
        self._hits: dict[str, deque[float]] = defaultdict(deque)

    def allow(self, key: str, now: float) -> bool:
        """Tell whether a request by ``key`` at time ``now`` may go ahead.

        A request goes ahead if fewer than ``limit`` requests by the same key
        went ahead in the ``window`` seconds before it. One that is exactly
        ``window`` seconds old no longer counts, and neither do requests that
        were turned down.

        :param key: the client, e.g. an API token
        :param now: the time in seconds; never goes backwards between calls
        """
        hits = self._hits[key]
        while hits and now - hits[0] >= self.window:
            hits.popleft()
        hits.append(now)
        return len(hits) <= self.limit


async def gather_limited(calls: Iterable[Callable[[], Awaitable[T]]], limit: int) -> list[T]:
    """Run async calls with at most ``limit`` of them in progress at a time.

    Args:
        calls: Functions without arguments that return an awaitable.
        limit: The largest number of calls in progress.

    Returns:
        The results in the order of ``calls``, whatever order they finish in.

    Raises:
        ValueError: If ``limit`` is below one.
        Exception: If a call fails, its exception is raised after the calls that
            have not finished are cancelled.
    """
    if limit < 1:
        raise ValueError("limit must be at least 1")
    semaphore = asyncio.Semaphore(limit)

    async def run(call: Callable[[], Awaitable[T]]) -> T:
        async with semaphore:
            return await call()

    tasks = [asyncio.ensure_future(run(call)) for call in calls]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def retry_async(
    operation: Callable[[], Awaitable[T]],
    *,
    attempts: int = 3,
    base_delay: float = 0.5,
    retry_on: tuple[type[Exception], ...] = (ConnectionError, TimeoutError),
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> T:
    """Await ``operation()`` until it succeeds, at most ``attempts`` times.

    The wait before the second attempt is ``base_delay`` seconds, and each
    further wait is twice as long as the one before it. Only the exceptions in
    ``retry_on`` lead to another attempt; any other exception, and that of the
    last attempt, is passed on at once.

    Raises:
        ValueError: If ``attempts`` is below one.
    """
    if attempts < 1:
        raise ValueError("attempts must be at least 1")
    for attempt in range(1, attempts + 1):
        try:
            return await operation()
        except retry_on:
            if attempt == attempts:
                raise
            await sleep(base_delay * 2**attempt)
    raise AssertionError("unreachable")
