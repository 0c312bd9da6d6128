"""The requests that may be under way at a time (fewer where a server turns some away), and whether
one has left and was refused.

A request that is cancelled before it leaves has cost nothing. Neither has one that is cancelled
after a refusal, before another attempt has left.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from msgspec import Struct


class RequestSlots:
    """An asynchronous context manager that lets in at most `most` at a time."""

    def __init__(self, most: int) -> None:
        self._limit = most
        self._under_way = 0
        self._waiting = deque[asyncio.Future[None]]()

    async def __aenter__(self) -> None:
        while self._under_way >= self._limit:
            freed = asyncio.get_running_loop().create_future()
            self._waiting.append(freed)
            try:
                await freed
            except asyncio.CancelledError:
                if not freed.cancelled():
                    # It was this one's turn.
                    self._wake_next()
                raise
        self._under_way += 1

    async def __aexit__(self, *_: object) -> None:
        self._under_way -= 1
        self._wake_next()

    def let_in_fewer(self) -> bool:
        """Let in half as many as are under way; False if that is one already."""
        fewer = max(1, min(self._limit, self._under_way) // 2)
        others = self._under_way > 1 or fewer < self._limit
        self._limit = min(self._limit, fewer)
        return others

    def _wake_next(self) -> None:
        while self._waiting:
            freed = self._waiting.popleft()
            if not freed.done():
                freed.set_result(None)
                return


# The first status that is no success.
_FAILED = 300


class NeverSent(asyncio.CancelledError):
    """The request was cancelled before it had a connection, or between two attempts to get one."""


class RefusedMeanwhile(asyncio.CancelledError):
    """The request was cancelled after its last attempt was answered with a failure status."""


class _Departure(Struct):
    seen: bool = False
    refused: bool = False


# A context variable, since the library between the caller and the transport passes nothing on. Each
# of several requests under way is made in a task of its own.
_current: ContextVar[_Departure | None] = ContextVar("departure", default=None)


@contextmanager
def telling_unsent() -> Generator[None]:
    """Turn the cancellation of a request into an error that says whether it has left.

    The error is `NeverSent` if the request has not left, and `RefusedMeanwhile` if it was refused
    meanwhile.
    """
    departure = _Departure()
    token = _current.set(departure)
    try:
        yield
    except asyncio.CancelledError:
        if departure.refused:
            raise RefusedMeanwhile from None
        if departure.seen:
            raise
        raise NeverSent from None
    finally:
        _current.reset(token)


async def note_departure(event: str, info: Mapping[str, object]) -> None:
    """Note a step of the current request; the HTTP library calls this for every step."""
    departure = _current.get()
    if departure is None:
        return
    if event.endswith("send_request_headers.complete"):
        departure.seen, departure.refused = True, False
    elif event.endswith("receive_response_headers.complete"):
        returned = info.get("return_value")
        # It holds the version of the protocol, the status, and more.
        parts = cast("tuple[object, ...]", returned) if isinstance(returned, tuple) else ()
        status = parts[1] if len(parts) > 1 else None
        departure.refused = isinstance(status, int) and status >= _FAILED
