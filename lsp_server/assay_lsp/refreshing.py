"""Asks the client to ask anew, once for many changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from assay_lsp.tasks import Spawn

log = logging.getLogger(__name__)

# The client then asks about every document that it shows.
GATHER_SECONDS = 0.2


class Refreshing:
    """One kind of refresh. Touched on the server's loop only."""

    def __init__(self, ask: Callable[[], Awaitable[object]], spawn: Spawn, *, works: bool) -> None:
        """`works`: the client can be asked."""
        self._works = works
        self._ask = ask
        self._spawn = spawn
        self._is_due = False

    def due(self) -> None:
        """Something that the client has asked for is another now."""
        if self._works and not self._is_due:
            self._is_due = True
            self._spawn(self._refresh())

    async def _refresh(self) -> None:
        await asyncio.sleep(GATHER_SECONDS)
        self._is_due = False
        try:
            await self._ask()
        except Exception as refusal:
            log.info("the client does not refresh: %s", refusal)
