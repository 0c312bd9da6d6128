"""Asks whether model servers found on this machine may be used.

It asks about each server once, and again if the user demands a check after dismissing the question.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from assay_lsp.engine_access import EngineAccess, Pending
from assay_lsp.questions import Answer, Questions

log = logging.getLogger(__name__)

# How long checks wait for an answer before they go on without a model. It is counted from the
# question, so that no later check waits again. A later answer still counts.
ANSWER_SECONDS = 120.0


class Consent:
    """Before the user's yes, nothing is sent to a server that was found rather than configured."""

    def __init__(
        self, questions: Questions, given: Callable[[], None], patience: float = ANSWER_SECONDS
    ) -> None:
        """`given` is called when the user has said yes."""
        self._questions = questions
        self._given = given
        self._patience = patience
        self._asked: set[str] = set()
        self._declined: set[str] = set()
        self._asking: asyncio.Task[None] | None = None
        self._patience_ends = 0.0

    async def settle(self, engine: EngineAccess, *, demanded: bool) -> None:
        """Return when nothing is left to ask, or `ANSWER_SECONDS` after an unanswered question.
        `demanded`: the user waits for a check, and is asked again what they dismissed.

        Raises what the engine raises when it cannot be opened.
        """
        now = asyncio.get_running_loop().time()
        # One that the user demands has them asked again: the question may be hidden by now.
        if self._asking is None or self._asking.done() or demanded:
            self._asking = asyncio.create_task(self._ask_about_all(engine, demanded))
            self._patience_ends = now + self._patience
        # Not cancelled with the check that asks: the question is on the user's screen.
        await asyncio.wait([self._asking], timeout=max(0.0, self._patience_ends - now))
        if self._asking.done():
            self._asking.result()

    async def ask_again(self, engine: EngineAccess) -> bool:
        """Ask, even if the question is on the screen, or was answered by no; False if there is no
        server to ask about. Returns before the answer."""
        self._asked.clear()
        self._declined.clear()
        await engine.reconsider()
        if not await engine.pending_consent():
            return False
        self._asking = asyncio.create_task(self._ask_about_all(engine, demanded=True))
        self._patience_ends = asyncio.get_running_loop().time() + self._patience
        return True

    async def _ask_about_all(self, engine: EngineAccess, demanded: bool) -> None:
        for server in await engine.pending_consent():
            url = server.base_url
            if url in self._declined:
                # An engine that was opened since does not know the answer.
                await engine.give_consent(url, False)
                continue
            if url in self._asked and not demanded:
                continue
            self._asked.add(url)
            answer = await self._answer(server, modal=demanded)
            if answer is None:
                continue
            if not answer:
                self._declined.add(url)
            await engine.give_consent(url, answer)
            if answer:
                self._given()
                return

    async def _answer(self, server: Pending, *, modal: bool) -> bool | None:
        """The user's answer, or None if the question was dismissed."""
        model = f" ({server.model})" if server.model else ""
        question = (
            f"Assay: use {server.product} at {urlsplit(server.base_url).netloc}{model} to draw "
            "other implementations?"
        )
        detail = (
            "Signature and docstring of the functions you check, and the definitions that they "
            "use (with bodies only those of the same file) are sent there, and what a doubted "
            "function does on a few inputs."
        )
        try:
            chosen = await self._questions.ask(
                question, (Answer.YES, Answer.NO), detail=detail, modal=modal
            )
        except Exception as refusal:
            # Not every client can ask. The reports say how to consent elsewhere.
            log.info("the client does not ask the user: %s", refusal)
            return None
        return None if chosen is None else chosen is Answer.YES
