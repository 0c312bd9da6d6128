"""Whether a request has left: what is cancelled before that has cost nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct


class NeverSent(asyncio.CancelledError):
    """Cancelled while there was no connection yet, or between two attempts to get one."""


class _Departure(Struct):
    seen: bool = False


# Between those who ask and the transport stands a library that passes nothing on; of several
# requests under way, each is asked for in a task of its own.
_current: ContextVar[_Departure | None] = ContextVar("departure", default=None)


@contextmanager
def telling_unsent() -> Generator[None]:
    """Turns the cancellation of a request that has not left into `NeverSent`."""
    departure = _Departure()
    token = _current.set(departure)
    try:
        yield
    except asyncio.CancelledError:
        if departure.seen:
            raise
        raise NeverSent from None
    finally:
        _current.reset(token)


async def note_departure(event: str, _: object) -> None:
    """For the HTTP library, which tells every step of a request."""
    departure = _current.get()
    if departure is not None and event.endswith("send_request_headers.complete"):
        departure.seen = True
