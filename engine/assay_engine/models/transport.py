"""An HTTP client that bounds every attempt in time and bytes.

This module imports the HTTP library, so it is itself imported only for the first request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import httpx2
from typing_extensions import override

from assay_engine.errors import ModelError
from assay_engine.models.slots import note_departure

# The headers about the body that are no longer true once the body has been read and decoded here.
_SPENT_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


# The library's debug log has the servers' headers verbatim, and a server may send the key back in
# one of them.
logging.getLogger("httpcore2").setLevel(logging.WARNING)


class BoundedClient(httpx2.AsyncClient):
    """Reads whole bodies, including those of errors, within `seconds` and `max_bytes`.

    The library's own timeouts restart with every byte, so a server that sends byte by byte could
    hold a request for ever. A server may answer one request after the other: so while it answers
    others, those that were under way with them are given `seconds` anew. The library also puts no
    bound on a body. Errors made by `stalled`,
    `too_large` and `garbled` (for a body that is not coded as its header says) pass through the SDK
    without a retry: a request that was answered once costs as much the second time.

    The client uses the environment's settings for proxies and certificates. Its constructor raises
    `ImportError` for a kind of proxy that needs another package, `ValueError` for an address that
    is no proxy, and `OSError` for certificates that cannot be read.
    """

    def __init__(
        self,
        *,
        seconds: float,
        max_bytes: int,
        stalled: Callable[[float], ModelError],
        too_large: Callable[[int], ModelError],
        garbled: Callable[[], ModelError],
        use_system_proxies: bool,
    ) -> None:
        # No connection outlives its request. So nothing is left to close, and the client may be
        # used from one event loop after another. A handshake is nothing beside a generation.
        limits = httpx2.Limits(max_keepalive_connections=0)
        # A redirect would carry the user's code to a host that nobody said yes to.
        super().__init__(
            limits=limits,
            follow_redirects=False,
            trust_env=use_system_proxies,
            # The user's own certificate authority also counts for servers on this machine.
            verify=httpx2.create_ssl_context(),
        )
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._stalled = stalled
        self._too_large = too_large
        self._garbled = garbled
        # The requests under way, and how many answers to others each of them may yet wait for.
        self._waiting: dict[asyncio.Timeout, int] = {}

    @override
    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        asking = asyncio.current_task()
        if asking is not None and asking.cancelling():
            # A connection that fails during a cancellation can hide the cancellation: the SDK would
            # try again, although nobody waits any more.
            raise asyncio.CancelledError
        # A request for which a person waits has a shorter timeout.
        timeouts: dict[str, float] = request.extensions["timeout"]
        seconds = min(self._seconds, timeouts["read"])
        request.extensions = {
            **request.extensions,
            "trace": note_departure,
            # The timeout below is extended, and the library's could not be.
            "timeout": {**timeouts, "read": None},
        }
        try:
            async with asyncio.timeout(seconds) as patience:
                self._waiting[patience] = len(self._waiting)
                try:
                    response = await super().send(request, stream=True, **options)
                    try:
                        body = await self._bounded_body(response)
                    finally:
                        await response.aclose()
                finally:
                    self._waiting.pop(patience)
            if response.is_success and seconds == self._seconds:
                self._wait_for_others()
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout):
            raise self._stalled(seconds) from None
        except httpx2.DecodingError:
            raise self._garbled() from None
        for name in _SPENT_HEADERS:
            response.headers.pop(name, None)
        if response.status_code in (429, 503):
            # Who is turned away waits outside the slots, and not in the SDK.
            response.headers["x-should-retry"] = "false"
        read = httpx2.Response(
            response.status_code, headers=response.headers, content=body, request=request
        )
        # JSON is in UTF-8. A server may name a codec like `hex`, which raises unexpected errors.
        read.encoding = "utf-8"
        return read

    def _wait_for_others(self) -> None:
        """Give every other request its time anew, since the server may get to it only now."""
        until = asyncio.get_running_loop().time() + self._seconds
        for patience, answers in self._waiting.items():
            if answers and not patience.expired():
                patience.reschedule(until)
                self._waiting[patience] = answers - 1

    async def _bounded_body(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self._max_bytes:
                raise self._too_large(self._max_bytes)
        return bytes(body)
