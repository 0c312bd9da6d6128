"""The client's own models, which the server asks by a request: docs/protocol.md."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

from pygls.exceptions import JsonRpcException

from assay_engine.types import EditorOffer, EditorRefused, Prompt, Refusal, Usage
from assay_lsp.client import Client

METHOD = "assay/complete"
# A larger number is a mistake, and would use up the day's budget at once.
TOKENS_MAX = 10_000_000

# Sends a request, and withdraws it if it is cancelled. Raises `JsonRpcException`.
Send = Callable[[str, object], Awaitable[object]]


def offers(client: Client, send: Send) -> tuple[EditorOffer, ...]:
    """The models that the client has announced, to be asked from any thread's loop."""
    here = asyncio.get_running_loop()

    def offer(identifier: str, name: str) -> EditorOffer:
        async def request(prompt: Prompt) -> object:
            return await send(
                METHOD,
                {
                    "model": identifier,
                    "messages": _messages(prompt, system=client.takes_system_messages),
                    "maxTokens": prompt.max_tokens,
                },
            )

        async def ask(prompt: Prompt) -> tuple[str, Usage]:
            sent = asyncio.run_coroutine_threadsafe(request(prompt), here)
            try:
                return _read(await asyncio.wrap_future(sent))
            except JsonRpcException as error:
                raise EditorRefused(_reason(error.data), str(error.message)) from None

        return EditorOffer(identifier, name, ask)

    return tuple(offer(identifier, name) for identifier, name in client.models)


def _messages(prompt: Prompt, *, system: bool) -> list[dict[str, str]]:
    if system and prompt.system:
        return [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ]
    together = "\n\n".join(filter(None, (prompt.system, prompt.user)))
    return [{"role": "user", "content": together}]


def _reason(data: object) -> Refusal | None:
    match data:
        case {"reason": str(reason)} if reason in tuple(Refusal):
            return Refusal(reason)
        case _:
            return None


def _read(result: Any) -> tuple[str, Usage]:
    """The answer, whose members arrive as attributes. Raises `ValueError` if it has no text."""
    text, usage = getattr(result, "text", None), getattr(result, "usage", None)
    if not isinstance(text, str):
        raise ValueError
    return text, Usage(1, _count(usage, "promptTokens"), _count(usage, "completionTokens"))


def _count(usage: object, name: str) -> int:
    value = cast("object", getattr(usage, name, 0))
    return value if type(value) is int and 0 <= value <= TOKENS_MAX else 0
