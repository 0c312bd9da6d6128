"""How many tokens a text is, roughly: for reservations, and where a server does not say."""

from __future__ import annotations

import asyncio
import math

from assay_engine.errors import ModelError
from assay_engine.models.departing import NeverSent, RefusedMeanwhile
from assay_engine.types import Prompt, Usage

# Vocabularies differ per model and would have to be downloaded; code in every tokenizer in use
# lies near this, and a reservation is settled as soon as the server reports.
BYTES_PER_TOKEN = 3.5


def estimated_tokens(*texts: str) -> int:
    """An upper-middling guess at the tokens of `texts` together."""
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    return math.ceil(size / BYTES_PER_TOKEN)


def estimated_cost(prompt: Prompt) -> int:
    """The tokens that asking `prompt` once can cost: what is sent, and the longest reply."""
    return estimated_tokens(prompt.system, prompt.user) + prompt.max_tokens


def used_by(failure: ModelError, prompt: Prompt) -> Usage:
    """What a request counts for that brought no reply.

    Where nobody knows the tokens, the prompt counts as estimated, and a reply that may have been
    written counts as the longest one.
    """
    if not failure.sent:
        return Usage()
    sent, written = failure.prompt_tokens, failure.completion_tokens
    return Usage(
        1,
        estimated_tokens(prompt.system, prompt.user) if sent is None else sent,
        prompt.max_tokens if written is None else written,
    )


def used_by_interrupted(cancellation: asyncio.CancelledError, prompt: Prompt) -> Usage:
    """What a request counts for that was given up while its reply was awaited.

    The prompt, if it was sent and not refused. Of the reply nobody knows; closing the connection
    tells the server to stop.
    """
    if isinstance(cancellation, NeverSent):
        return Usage()
    if isinstance(cancellation, RefusedMeanwhile):
        return Usage(1, 0, 0)
    return Usage(1, estimated_tokens(prompt.system, prompt.user), 0)
