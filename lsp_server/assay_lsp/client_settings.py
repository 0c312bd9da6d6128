"""The client's settings, and how long the server waits for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from assay_lsp.tasks import Spawn

log = logging.getLogger(__name__)

# With few exceptions, clients answer `workspace/configuration` at once or never.
SETTINGS_SECONDS = 2.0
# The check of a save waits for longer: the answer may be that nothing is to be sent.
PATIENCE_SECONDS = 15.0


# The section of each folder that the client was asked about; under None, that of all others.
Sections = Mapping[str | None, object]


class ClientSettings:
    """The client's sections of settings. Touched on the server's loop only.

    `changing` is held while settings change. While it is held, `take_in` is called when a section
    may have changed.
    """

    def __init__(
        self, changing: asyncio.Lock, take_in: Callable[[], Awaitable[None]], spawn: Spawn
    ) -> None:
        self._changing = changing
        self._take_in = take_in
        self._spawn = spawn
        self._sections: Sections = {}
        # The function that asks for the sections, until its turn comes, and its future answer.
        self._ask: Callable[[], Awaitable[Sections]] | None = None
        self._answer: asyncio.Future[Sections] | None = None
        # Ends with the answer, or earlier if that takes too long.
        self._patience: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()

    @property
    def patience(self) -> asyncio.Task[None] | None:
        """The task that ends when the client has answered or has taken too long; None if it has
        ended."""
        return None if self._patience is None or self._patience.done() else self._patience

    def section_of(self, folder: str | None) -> object:
        return self._sections.get(folder, self._sections.get(None))

    async def known(self) -> None:
        """Wait for the client's settings, so that the engine is not opened twice at the start, and
        for a change of them that is under way."""
        try:
            await asyncio.wait_for(self._settled.wait(), SETTINGS_SECONDS)
        except TimeoutError:
            self._settled.set()
        async with self._changing:
            return

    async def find_out(self, ask: Callable[[], Awaitable[Sections]]) -> None:
        """Take in the sections that `ask` returns; if that takes long, as soon as they are known.

        `ask` raises `LookupError` if the client has none. A save before the client has
        answered should wait for the answer, too.
        """
        waits, self._ask = self._ask is not None, ask
        if waits:
            # The previous request is still waiting for its turn; this one takes that turn.
            return
        async with self._changing:
            ask, self._ask = self._ask, None
            # Never cancelled, or nothing would await the client's answer.
            answer = self._answer = asyncio.ensure_future(ask())
            self._patience = self._spawn(_awaited(answer))
            await asyncio.wait([answer], timeout=SETTINGS_SECONDS)
            if answer.done():
                with suppress(LookupError):
                    self._sections = answer.result()
            else:
                log.warning("the client does not tell its settings; they count once it does")
                answer.add_done_callback(self._answered_late)
            await self._take_in()
            self._settled.set()

    def _answered_late(self, answer: asyncio.Future[Sections]) -> None:
        refused = answer.cancelled() or answer.exception() is not None
        # A request made since, or about to be made, takes precedence.
        if not refused and answer is self._answer and self._ask is None:
            self._spawn(self.find_out(lambda: answer))


async def _awaited(answer: asyncio.Future[Sections]) -> None:
    await asyncio.wait([answer], timeout=PATIENCE_SECONDS)
