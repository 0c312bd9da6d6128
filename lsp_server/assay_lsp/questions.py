"""Puts questions to the user, and messages with buttons, as the client can show them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from enum import StrEnum
from typing import Any, cast

from lsprotocol import types

from assay_engine.words import text_alone

log = logging.getLogger(__name__)

# The request for clients that show questions in a way of their own: docs/protocol.md.
METHOD = "assay/ask"


class Answer(StrEnum):
    """What a button says; its name in the protocol is the member's."""

    YES = "Yes"
    NO = "No"
    CHECK = "Check"
    NOT_NOW = "Not now"
    TRY_AGAIN = "Try Again"
    # The client itself does what these say.
    SET_UP_MODEL = "Set Up a Model"
    TRUST = "Trust"
    RAISE_LIMIT = "Raise the Limit"

    @property
    def id(self) -> str:
        first, *rest = self.name.split("_")
        return first.lower() + "".join(word.capitalize() for word in rest)


_OF_THE_CLIENT = frozenset({Answer.SET_UP_MODEL, Answer.TRUST, Answer.RAISE_LIMIT})

Ask = Callable[[types.ShowMessageRequestParams], Awaitable[types.MessageActionItem | None]]
# Sends a request of this server's own.
Send = Callable[[str, object], Awaitable[Any]]


class Questions:
    """Touched on the server's loop only."""

    def __init__(self, ask: Ask, send: Send, asks: Collection[str] | None) -> None:
        """`asks` are the answers that the client can act upon, by id; None: it does not know
        `assay/ask`, and `ask` is the protocol's own question."""
        self._ask = ask
        self._send = send
        self._asks = asks

    def offered(self, *answers: Answer) -> tuple[Answer, ...]:
        """Those of the buttons that a message to this client can have."""
        if self._asks is None:
            return ()
        asks = self._asks
        return tuple(each for each in answers if each not in _OF_THE_CLIENT or each.id in asks)

    async def ask(
        self,
        message: str,
        answers: Collection[Answer],
        *,
        detail: str = "",
        modal: bool = False,
        kind: types.MessageType = types.MessageType.Info,
    ) -> Answer | None:
        """The user's answer; None if the question was dismissed. `modal`: the user has just asked
        for something that depends on the answer. Raises if the client cannot ask."""
        if self._asks is None:
            together = " ".join(filter(None, (message, detail)))
            items = [types.MessageActionItem(each) for each in answers]
            chosen = await self._ask(types.ShowMessageRequestParams(kind, together, items))
            return next((each for each in answers if chosen and chosen.title == each), None)
        found = await self._send(
            METHOD,
            {
                "type": kind.value,
                "message": text_alone(message),
                "detail": text_alone(detail),
                "modal": modal,
                "answers": [{"id": each.id, "title": each.value} for each in answers],
            },
        )
        identifier = cast("object", getattr(found, "id", None))
        return next((each for each in answers if each.id == identifier), None)
