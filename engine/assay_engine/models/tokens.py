"""Estimates the tokens of a text: for reservations, and where a server does not report them."""

from __future__ import annotations

import asyncio
import math

from assay_engine.errors import ModelError
from assay_engine.models.departing import NeverSent, RefusedMeanwhile
from assay_engine.types import Prompt, Usage

# Vocabularies differ between models and would have to be downloaded. Code is near this number with
# every tokenizer in use, and a reservation is settled as soon as the server reports.
BYTES_PER_TOKEN = 3.5


def estimated_tokens(*texts: str) -> int:
    """An upper-middling guess at the tokens of `texts` together."""
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    return math.ceil(size / BYTES_PER_TOKEN)


def estimated_cost(prompt: Prompt) -> int:
    """The tokens that one request for `prompt` can cost: the prompt, and the longest reply."""
    return estimated_tokens(prompt.system, prompt.user) + prompt.max_tokens


def used_by(failure: ModelError, prompt: Prompt) -> Usage:
    """The usage of a request that brought no reply.

    Where nobody knows the tokens, the prompt counts as estimated, and a reply that may have been
    written counts as the longest possible one.
    """
    if not failure.sent:
        return Usage()
    sent, written = failure.prompt_tokens, failure.completion_tokens
    return Usage(
        failure.requests,
        estimated_tokens(prompt.system, prompt.user) if sent is None else sent,
        prompt.max_tokens if written is None else written,
    )


def used_by_interrupted(cancellation: asyncio.CancelledError, prompt: Prompt) -> Usage:
    """The usage of a request that was given up while its reply was awaited.

    The prompt counts if it was sent and not refused. Nobody knows about the reply, but closing the
    connection tells the server to stop.
    """
    if isinstance(cancellation, NeverSent):
        return Usage()
    if isinstance(cancellation, RefusedMeanwhile):
        return Usage(1, 0, 0)
    return Usage(1, estimated_tokens(prompt.system, prompt.user), 0)
