"""Whether a request has left, and was refused: what is cancelled before that, or after it and
before another attempt has left, has cost nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from msgspec import Struct

# The first status that is no success.
_FAILED = 300


class NeverSent(asyncio.CancelledError):
    """Cancelled while there was no connection yet, or between two attempts to get one."""


class RefusedMeanwhile(asyncio.CancelledError):
    """Cancelled when its last attempt had been answered with the status of a failure."""


class _Departure(Struct):
    seen: bool = False
    refused: bool = False


# Between those who ask and the transport stands a library that passes nothing on; of several
# requests under way, each is asked for in a task of its own.
_current: ContextVar[_Departure | None] = ContextVar("departure", default=None)


@contextmanager
def telling_unsent() -> Generator[None]:
    """Turns the cancellation of a request that has not left into `NeverSent`, and that of one which
    was refused meanwhile into `RefusedMeanwhile`."""
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
    """For the HTTP library, which tells every step of a request."""
    departure = _current.get()
    if departure is None:
        return
    if event.endswith("send_request_headers.complete"):
        departure.seen, departure.refused = True, False
    elif event.endswith("receive_response_headers.complete"):
        returned = info.get("return_value")
        # The version of the protocol, the status, and more.
        parts = cast("tuple[object, ...]", returned) if isinstance(returned, tuple) else ()
        status = parts[1] if len(parts) > 1 else None
        departure.refused = isinstance(status, int) and status >= _FAILED
