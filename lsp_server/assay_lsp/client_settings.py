"""What the client says of its settings, and how long that is waited for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from assay_lsp.tasks import Spawn

log = logging.getLogger(__name__)

# Clients answer `workspace/configuration` at once, or never, but for a few.
SETTINGS_SECONDS = 2.0
# Who saves meanwhile waits for longer: the answer may be that nothing is to be sent.
PATIENCE_SECONDS = 15.0


class ClientSettings:
    """The client's section of settings. Touched on the server's loop only.

    `changing` is held while settings change; with it, `take_in` is called when the section may be
    another one.
    """

    def __init__(
        self, changing: asyncio.Lock, take_in: Callable[[], Awaitable[None]], spawn: Spawn
    ) -> None:
        self._changing = changing
        self._take_in = take_in
        self._spawn = spawn
        self.section: object = None
        # What finds the section out, until its turn comes, and what that came to or will come to.
        self._ask: Callable[[], Awaitable[object]] | None = None
        self._answer: asyncio.Future[object] | None = None
        # Ends with that, or before if it takes too long.
        self._patience: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()

    @property
    def patience(self) -> asyncio.Task[None] | None:
        """What ends when the client has answered, or nobody waits for it any more; None if it has
        ended."""
        return None if self._patience is None or self._patience.done() else self._patience

    async def known(self) -> None:
        """Wait for the client's settings, so that the engine is not opened twice at the start, and
        for a change of them that is under way."""
        try:
            await asyncio.wait_for(self._settled.wait(), SETTINGS_SECONDS)
        except TimeoutError:
            self._settled.set()
        async with self._changing:
            return

    async def find_out(self, ask: Callable[[], Awaitable[object]]) -> None:
        """Take in the section, which `ask` finds out; if that takes long, as soon as it is known.

        It raises `LookupError` if the client has none to give. Who saves before the client has
        answered is meant to wait for it, too.
        """
        waits, self._ask = self._ask is not None, ask
        if waits:
            # The one before has not had its turn, which is this one's now.
            return
        async with self._changing:
            ask, self._ask = self._ask, None
            # Never cancelled: the client's answer would have no taker.
            answer = self._answer = asyncio.ensure_future(ask())
            self._patience = self._spawn(_awaited(answer))
            await asyncio.wait([answer], timeout=SETTINGS_SECONDS)
            if answer.done():
                with suppress(LookupError):
                    self.section = answer.result()
            else:
                log.warning("the client does not tell its settings; they count once it does")
                answer.add_done_callback(self._answered_late)
            await self._take_in()
            self._settled.set()

    def _answered_late(self, answer: asyncio.Future[object]) -> None:
        refused = answer.cancelled() or answer.exception() is not None
        # What was asked since, or is about to be, is the later word.
        if not refused and answer is self._answer and self._ask is None:
            self._spawn(self.find_out(lambda: answer))


async def _awaited(answer: asyncio.Future[object]) -> None:
    await asyncio.wait([answer], timeout=PATIENCE_SECONDS)
