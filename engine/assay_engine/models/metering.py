"""Shared by all meters: the message when there is no room, and the count of a request's cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from assay_engine.errors import ModelError
from assay_engine.models.tokens import used_by, used_by_interrupted
from assay_engine.types import Model, Prompt, Reply, Usage


def refusal(whose: str, unit: str, limit: int, spent: int, wanted: int, setting: str) -> str:
    """A sentence that says why a request is not sent, and which setting would allow it."""
    return (
        f"The budget of {whose} is {limit:,} {unit}, {spent:,} are spent or reserved "
        f"and this request may take {wanted:,}; raise {setting} to go on."
    )


async def metered(
    model: Model, prompt: Prompt, sample: int, settle: Callable[[Usage], None]
) -> Reply:
    """The reply of `model`. `settle` is told what the request took, even if it fails."""
    try:
        reply = await model.reply(prompt, sample)
    except asyncio.CancelledError as cancellation:
        settle(used_by_interrupted(cancellation, prompt))
        raise
    except ModelError as failure:
        settle(used_by(failure, prompt))
        raise
    settle(reply.usage)
    return reply
