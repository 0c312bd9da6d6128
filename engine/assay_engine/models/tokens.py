"""How many tokens a text is, roughly: for reservations, and where a server does not say."""

from __future__ import annotations

import math

from assay_engine.types import Prompt

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
