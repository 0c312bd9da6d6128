"""The identities of prompts and replies, for the cache and for transcripts."""

from __future__ import annotations

import json

from msgspec.structs import asdict

from assay_engine.digest import of_text
from assay_engine.types import Prompt


def prompt_digest(prompt: Prompt) -> str:
    """The identity of all that is asked: template, version, both texts and parameters."""
    return _digest(asdict(prompt))


def reply_key(prompt: Prompt, model: str, sample: int) -> str:
    """The identity of one sample of a prompt by one model.

    The endpoint's address is left out: the same model behind another proxy is the same model, and
    a cache that moves with a laptop should keep its worth.
    """
    return _digest({"prompt": asdict(prompt), "model": model, "sample": sample})


def _digest(value: object) -> str:
    return of_text(json.dumps(value, sort_keys=True, separators=(",", ":")))
