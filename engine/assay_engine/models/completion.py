"""Reads a chat completion from a response body, trusting nothing about its shape."""

from __future__ import annotations

import json
from typing import cast

from msgspec import Struct

from assay_engine.models.failures import Wording, server_message
from assay_engine.words import whole_characters

# A larger number is a server's mistake, and would use up the day's budget at once.
PLAUSIBLE_TOKENS_MAX = 10_000_000


class Completion(Struct, frozen=True):
    """The text of the first choice; token counts are None where the server gave none."""

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None


class ReplyLimit(Struct, frozen=True):
    """The length at which replies are cut off, in tokens, and what to do when one is."""

    max_tokens: int
    advice: str


def read_completion(body: bytes, wording: Wording, limit: ReplyLimit) -> Completion:
    """The completion in `body`; `limit` says where a reply is cut off.

    Raises `ReplyUnusable` for a body that is no completion, or an incomplete one.
    """
    try:
        whole: object = json.loads(body)
    except (ValueError, RecursionError):
        raise wording.unusable(_not_json(body)) from None
    answer = _mapping(whole)
    if answer.get("error"):
        said = wording.quoted(server_message(json.dumps(answer)))
        raise wording.unusable(f"reported an error instead of a reply{said}")
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise wording.unusable("sent a reply without any choice")
    usage = _mapping(answer.get("usage"))
    used = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    choice = _mapping(cast("list[object]", choices)[0])
    text = _text_of(choice)
    if choice.get("finish_reason") == "length":
        before = "" if text.strip() else " before it wrote anything"
        raise wording.unusable(
            f"cut its reply off at max_tokens = {limit.max_tokens}{before}",
            limit.advice,
            prompt_tokens=used[0],
            completion_tokens=used[1],
        )
    if not text.strip():
        seen, advice = _why_empty(choice, wording)
        # There is no text whose tokens could be estimated.
        raise wording.unusable(seen, advice, prompt_tokens=used[0], completion_tokens=used[1] or 0)
    return Completion(text, *used)


def _text_of(choice: dict[str, object]) -> str:
    message = _mapping(choice.get("message"))
    return whole_characters(_joined(message.get("content")))


def _why_empty(choice: dict[str, object], wording: Wording) -> tuple[str, str]:
    """What the reply had instead of a text, and what to do about it."""
    refusal = _mapping(choice.get("message")).get("refusal")
    if isinstance(refusal, str) and refusal:
        return f"declined to answer{wording.quoted(refusal)}", "choose another model"
    if choice.get("finish_reason") == "content_filter":
        return "filtered its reply away", "choose another model"
    return "sent an empty reply", "try again or choose another model"


def _joined(content: object) -> str:
    """The content as text: usually it is a string, but some servers send a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (_mapping(part).get("text") for part in cast("list[object]", content))
    return "".join(part for part in parts if isinstance(part, str))


def _mapping(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _count(usage: dict[str, object], name: str) -> int | None:
    value = usage.get(name)
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and 0 <= value <= PLAUSIBLE_TOKENS_MAX
    ):
        return value
    return None


def _not_json(body: bytes) -> str:
    start = body.lstrip()[:1]
    if not start:
        return "sent an empty body"
    if start == b"<":
        return "sent an HTML page instead of a reply"
    if start in (b"{", b"["):
        return "sent a reply that breaks off or is not JSON"
    return "sent something that is not JSON"
