"""Reads a chat completion from a response body, trusting nothing about its shape."""

from __future__ import annotations

import json
from typing import cast

from msgspec import Struct

from assay_engine.errors import ReplyUnusable
from assay_engine.models.counting import estimated_tokens
from assay_engine.models.failures import PromptCut, ThoughtAway, Wording, server_message
from assay_engine.models.thoughts import answer_among, without_thoughts
from assay_engine.words import whole_characters

# A larger number is a server's mistake, and would use up the day's budget at once.
PLAUSIBLE_TOKENS_MAX = 10_000_000
# Longer names of a response are cut: they only tell copies of one response.
NAME_CHARACTERS_MAX = 100

# The reasons for which a reply ends that is whole. Some servers give none at all.
_WHOLE = frozenset(
    ("", "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed", "done")
)
_CUT = frozenset(("length", "max_tokens", "max_output_tokens", "model_length", "token_limit"))
# The parts of a content in parts that are the answer. Others hold thoughts, or data.
_ANSWERS = frozenset(("", "text", "output_text"))
_THOUGHTS = frozenset(("thinking", "reasoning", "thought", "reasoning_content"))
_TOOLS = frozenset(("tool_calls", "function_call"))

# What a server counts of a text differs from an estimate, but by less than this factor, unless it
# counts something else.
_FACTOR = 2
# No model reads fewer tokens. Who counts fewer counts something else.
_WINDOW_MIN = 32
# A reply's template takes a few tokens that are not in its text.
UNSEEN_TOKENS_MIN = 100

_THINK_LESS = (
    "choose a model that thinks less, or reduce its thinking with `extra_body` under [endpoint] "
    "in your settings"
)


class Completion(Struct, frozen=True):
    """The text of the first choice; token counts are None where the server gave none.

    `thinks` tells whether the model was seen to think before it answered.
    """

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int
    thinks: bool
    response_id: str


class CompletionAsked(Struct, frozen=True):
    """What was asked for: an estimate of the prompt's tokens, and where a reply is cut off.

    `advice` says what to do about a reply that is too long.
    """

    prompt_tokens: int
    max_tokens: int
    advice: str


class _Used(Struct, frozen=True):
    prompt: int | None
    completion: int | None
    cached: int
    reasoning: int


def read_completion(body: bytes, wording: Wording, asked: CompletionAsked) -> Completion:
    """The completion in `body`, if it is a whole answer to the whole prompt.

    Raises `ReplyUnusable` for a body that is no completion, or an incomplete one: `ThoughtAway` if
    the model only thought, `PromptCut` if the server cut the prompt.
    """
    try:
        whole: object = json.loads(body)
    except (ValueError, RecursionError):
        start = body.lstrip()[:1]
        seen = {
            b"": "sent an empty body",
            b"<": "sent an HTML page instead of a reply",
            b"{": "sent a reply that breaks off or is not JSON",
            b"[": "sent a reply that breaks off or is not JSON",
        }.get(start, "sent something that is not JSON")
        raise wording.unusable(seen) from None
    answer = _mapping(whole)
    _check_for_error(answer, wording)
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise wording.unusable("sent a reply without any choice")
    choice = _mapping(cast("list[object]", choices)[0])
    _check_for_error(choice, wording)
    message = _mapping(choice.get("message"))
    used = _used(_mapping(answer.get("usage")))
    if message.get("refusal"):
        raise _empty(choice, used, wording, thinks=False)
    written = whole_characters(_joined(message.get("content"), _ANSWERS))
    text = without_thoughts(written)
    # Thoughts stand beside the content, or among its parts.
    content = message.get("content")
    beside = [
        _joined(message.get(name), _ANSWERS | _THOUGHTS)
        for name in ("reasoning_content", "reasoning", "thinking")
    ]
    among = "" if isinstance(content, str) else _joined(content, _THOUGHTS)
    thoughts = whole_characters(next((each for each in beside if each.strip()), among))
    thinks = bool(thoughts.strip() or used.reasoning) or text.strip() != written.strip()
    # If the server counts many more tokens than the text has, its model thought unseen.
    unseen = (used.completion or 0) - _FACTOR * estimated_tokens(written)
    thinks = thinks or (bool(written.strip()) and unseen > UNSEEN_TOKENS_MIN)
    _check_for_end(choice, used, asked, wording, written if text.strip() else "", thinks=thinks)
    if not text.strip():
        written = text = answer_among(thoughts)
    if not text.strip():
        raise _empty(choice, used, wording, thinks=thinks)
    # Who counts the reply wrongly counts the prompt wrongly, too: such a count says nothing.
    seen = (used.prompt or 0) + used.cached
    counts = used.completion is not None and (
        used.completion * _FACTOR >= estimated_tokens(text) and seen >= _WINDOW_MIN
    )
    if used.prompt and counts and seen * _FACTOR < asked.prompt_tokens:
        raise wording.unusable(
            f"read only {seen:,} tokens of a prompt of about {asked.prompt_tokens:,} and cut the "
            "rest",
            wording.context_advice,
            PromptCut,
            used.prompt,
            used.completion,
        )
    name = answer.get("id")
    return Completion(
        text=written,
        prompt_tokens=used.prompt,
        completion_tokens=used.completion,
        cached_tokens=used.cached,
        thinks=thinks,
        response_id=name[:NAME_CHARACTERS_MAX] if isinstance(name, str) else "",
    )


def _check_for_error(part: dict[str, object], wording: Wording) -> None:
    if part.get("error"):
        said = wording.quoted(server_message(json.dumps({"error": part["error"]})))
        raise wording.unusable(
            f"reported an error instead of a reply{said}",
            prompt_tokens=None,
            completion_tokens=None,
        )


def _check_for_end(
    choice: dict[str, object],
    used: _Used,
    asked: CompletionAsked,
    wording: Wording,
    text: str,
    *,
    thinks: bool,
) -> None:
    """Raise an error unless the reply ended by itself."""
    given = choice.get("finish_reason")
    reason = given.strip().lower() if isinstance(given, str) else ""
    # Some servers do not say that they cut a reply, but count it.
    full = (used.completion or 0) - asked.max_tokens
    if reason in _CUT or full == 0 or (not reason and full > 0):
        before = "" if text.strip() else " before it wrote anything"
        seen = f"cut its reply off at max_tokens = {asked.max_tokens}{before}"
        tokens = used.prompt, used.completion
        if thinks or not text.strip():
            seen += ", as its model was still thinking" if thinks else ""
            advice = _THINK_LESS if thinks else asked.advice
            failure = wording.unusable(seen, advice, ThoughtAway, *tokens)
            failure.cut_off = True
            raise failure
        raise wording.unusable(seen, asked.advice, ReplyUnusable, *tokens)
    if reason == "content_filter":
        raise _empty(choice, used, wording, thinks=thinks)
    if reason not in _WHOLE and (text.strip() or reason not in _TOOLS):
        ended = wording.quoted(reason)
        raise wording.unusable(
            f"ended its reply before it was complete{ended}",
            "try again or choose another model",
            prompt_tokens=used.prompt,
            completion_tokens=used.completion,
        )


def _empty(
    choice: dict[str, object], used: _Used, wording: Wording, *, thinks: bool
) -> ReplyUnusable:
    """The error for a reply without an answer: what it had instead, and what to do about it."""
    refusal = _mapping(choice.get("message")).get("refusal")
    seen, advice = "sent an empty reply", "try again or choose another model"
    kind = ReplyUnusable
    if isinstance(refusal, str) and refusal:
        seen, advice = f"declined to answer{wording.quoted(refusal)}", "choose another model"
    elif choice.get("finish_reason") == "content_filter":
        seen, advice = "filtered out its reply", "choose another model"
    elif thinks:
        seen, advice, kind = "sent its model's thinking, but no answer", _THINK_LESS, ThoughtAway
    # There is no text whose tokens could be estimated.
    return wording.unusable(seen, advice, kind, used.prompt, used.completion or 0)


def _joined(content: object, kinds: frozenset[str]) -> str:
    """The content as text: usually it is a string, but some servers send a list of parts.

    Of these, the parts of the named kinds are taken.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    taken: list[str] = []
    for each in cast("list[object]", content):
        part = _mapping(each)
        kind = part.get("type", "")
        if isinstance(each, str):
            taken.append(each if "" in kinds else "")
        elif part.get("thought") is True and "thought" not in kinds:
            continue
        elif isinstance(kind, str) and kind in kinds:
            inner = next((part[name] for name in ("text", kind, "content") if name in part), "")
            taken.append(_joined(inner, kinds | _ANSWERS))
    return "".join(taken)


def _used(usage: dict[str, object]) -> _Used:
    of_prompt = _mapping(usage.get("prompt_tokens_details"))
    of_reply = _mapping(usage.get("completion_tokens_details"))
    cached = _count(of_prompt, "cached_tokens")
    if cached is None:
        # DeepSeek's name for it.
        cached = _count(usage, "prompt_cache_hit_tokens")
    return _Used(
        # A server that counts nothing says 0.
        _count(usage, "prompt_tokens") or None,
        _count(usage, "completion_tokens") or None,
        cached or 0,
        _count(of_reply, "reasoning_tokens") or 0,
    )


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
