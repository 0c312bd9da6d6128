"""A table of what real endpoints do, each played over HTTP for a check of one right function.

Every play answers the prompts of a check of `RIGHT_MODULE` rightly, as far as it answers at all.
Where a model writes down thoughts, these hold a draft that is wrong (`DRAFT`): if it became a
candidate, the check would say so.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from support.check_workspace import INPUTS, RIGHT, WRONG
from support.clamp_judge import preference
from support.judging_reader import read
from support.openai_server import (
    Behaviour,
    Exchange,
    OpenAIServer,
    Request,
    answer,
    completion,
    status,
)

DRAFT = f"Perhaps like this:\n\n```python\n{WRONG}```\n\nNo, both ends are included."


class Played:
    """The state of one play."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.under_way = 0
        self.answered = 0


Play = Callable[[Played, Request], Behaviour]


def asked(request: Request) -> str:
    return str(request.body["messages"][-1]["content"])


def answer_to(request: Request, fence: tuple[str, str] = ("```python", "```")) -> str:
    """What a good model answers."""
    if "Two functions" in asked(request):
        return preference(read(asked(request))[1])
    text = INPUTS if "Choose inputs" in asked(request) else RIGHT
    return f"{fence[0]}\n{text}{fence[1]}"


def usage(request: Request, text: str, **changes: Any) -> dict[str, Any]:
    """Counts as a real server has them."""
    sent = sum(len(str(message["content"])) for message in request.body["messages"])
    return {"prompt_tokens": sent // 4, "completion_tokens": len(text) // 4 + 1, **changes}


def said(request: Request, text: str | None, *, reason: str = "stop", **message: Any) -> Behaviour:
    """A completion with real counts."""
    choice = {"index": 0, "finish_reason": reason}
    choice["message"] = {"role": "assistant", "content": text, **message}
    counted = usage(request, str(text) + "".join(map(str, message.values())))
    return answer(completion(text, choices=[choice], usage=counted))


def good(_played: Played, request: Request) -> Behaviour:
    return said(request, answer_to(request))


def limit_of(request: Request) -> int:
    return int(request.body.get("max_tokens") or request.body.get("max_completion_tokens") or 0)


# ---------------------------------------------------------------------------------- thinking


def _thinks(tokens: int, where: str, *, heeds_effort: bool = False) -> Play:
    """A model that thinks for so many tokens; if the limit comes first, its reply is empty."""

    def play(_played: Played, request: Request) -> Behaviour:
        effort = request.body.get("reasoning_effort")
        thought = 0 if heeds_effort and effort in ("none", "minimal", "low") else tokens
        text, limit = answer_to(request), limit_of(request)
        cut = thought >= limit
        message: dict[str, Any] = {"role": "assistant", "content": "" if cut else text}
        if where == "tags":
            message["content"] = f"<think>\n{DRAFT}" + ("" if cut else f"\n</think>\n\n{text}")
        elif where:
            message[where] = DRAFT
        counted = usage(request, text)
        counted["completion_tokens"] = limit if cut else thought + counted["completion_tokens"]
        if where != "tags":
            counted["completion_tokens_details"] = {"reasoning_tokens": min(thought, limit)}
        choice = {"index": 0, "finish_reason": "length" if cut else "stop", "message": message}
        return answer(completion(None, choices=[choice], usage=counted))

    return play


def effort_refused(_played: Played, request: Request) -> Behaviour:
    if "reasoning_effort" in request.body:
        return status(400, "Unrecognized request argument supplied: reasoning_effort")
    return _thinks(3_000, "reasoning_content")(_played, request)


def efforts_listed(_played: Played, request: Request) -> Behaviour:
    effort = request.body.get("reasoning_effort")
    if effort in ("none", "minimal"):
        return status(
            400,
            f"Unsupported value: 'reasoning_effort' does not support '{effort}' with this model. "
            "Supported values are: 'low', 'medium', and 'high'.",
        )
    return _thinks(100 if effort == "low" else 3_000, "reasoning")(_played, request)


def answer_filed_as_thought(_played: Played, request: Request) -> Behaviour:
    return said(request, "", reasoning_content=answer_to(request))


def thoughts_only(_played: Played, request: Request) -> Behaviour:
    return said(request, None, reasoning_content=DRAFT)


def thought_without_an_end(_played: Played, request: Request) -> Behaviour:
    return said(request, f"<think>\n{DRAFT}")


def thought_in_a_line(_played: Played, request: Request) -> Behaviour:
    return said(request, f"{DRAFT} Done.</think>\n{answer_to(request)}")


def thought_by_other_marks(_played: Played, request: Request) -> Behaviour:
    return said(request, f"[THINK]\n{DRAFT}\n[/THINK]\n{answer_to(request)}")


# ---------------------------------------------------------------------------------- refusals


def _refusing(parameter: str, message: str, code: int = 400) -> Play:
    def play(played: Played, request: Request) -> Behaviour:
        if parameter in request.body:
            return status(code, message)
        return good(played, request)

    return play


def no_system_role(played: Played, request: Request) -> Behaviour:
    if request.body["messages"][0]["role"] == "system":
        return status(400, "System role not supported")
    return good(played, request)


def least_limit(played: Played, request: Request) -> Behaviour:
    if limit_of(request) < 4096:
        return status(
            400,
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 4096, "
            f"but got {limit_of(request)} instead.",
        )
    return good(played, request)


def greatest_limit(played: Played, request: Request) -> Behaviour:
    if limit_of(request) > 1024:
        return status(400, "max_tokens must be between 1 and 1024 for this model")
    return good(played, request)


def three_refusals(played: Played, request: Request) -> Behaviour:
    if "max_tokens" in request.body:
        return status(400, "Use 'max_completion_tokens': 'max_tokens' is not supported")
    if "temperature" in request.body:
        return status(400, "Unknown parameter: 'temperature'")
    return no_system_role(played, request)


def refused_in_a_list(played: Played, request: Request) -> Behaviour:
    if "temperature" in request.body:
        detail = [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]
        return lambda exchange: answer_with(exchange, 422, {"detail": detail})
    return good(played, request)


def answer_with(exchange: Exchange, code: int, body: object) -> None:
    exchange.send(code, json.dumps(body).encode())


# ------------------------------------------------------------------------------------ shapes


def harmony(_played: Played, request: Request) -> Behaviour:
    return said(
        request,
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{answer_to(request)}<|return|>",
    )


def harmony_without_marks(_played: Played, request: Request) -> Behaviour:
    return said(request, f"analysis{DRAFT}assistantfinal{answer_to(request)}")


def harmony_unfinished(_played: Played, request: Request) -> Behaviour:
    return said(request, f"<|channel|>analysis<|message|>{DRAFT}")


def _fenced(opening: str, closing: str) -> Play:
    return lambda _played, request: said(request, answer_to(request, (opening, closing)))


def parts(_played: Played, request: Request) -> Behaviour:
    text = answer_to(request)
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]},
        {"type": "text", "text": text[:20]},
        {"type": "text", "text": text[20:]},
    ]
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    return answer(completion(None, choices=[choice], usage=usage(request, text)))


def error_in_a_choice(_played: Played, request: Request) -> Behaviour:
    choice = {
        "finish_reason": "error",
        "error": {"code": 502, "message": "Upstream provider overloaded"},
        "message": {"role": "assistant", "content": f"```python\n{WRONG}```"},
    }
    return answer(completion(None, choices=[choice]))


def cut_without_a_word(_played: Played, request: Request) -> Behaviour:
    """The reply ends where the limit is, and says nothing of it."""
    choice = {"finish_reason": None, "message": {"content": f"```python\n{WRONG}"}}
    counted = usage(request, "", completion_tokens=limit_of(request))
    return answer(completion(None, choices=[choice], usage=counted))


def repeated_id(_played: Played, request: Request) -> Behaviour:
    text = answer_to(request)
    return answer(completion(text, id="chatcmpl-same", usage=usage(request, text)))


def no_usage(_played: Played, request: Request) -> Behaviour:
    counted = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return answer(completion(answer_to(request), usage=counted))


# ----------------------------------------------------------------------------------- the way


def loading(played: Played, request: Request) -> Behaviour:
    if time.monotonic() < played.began + 4:
        return status(503, "Loading model")
    return good(played, request)


def loading_for_ever(_played: Played, _request: Request) -> Behaviour:
    return status(503, "Loading model")


def one_slot(played: Played, request: Request) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        with played.lock:
            # Together, those of a first look take longer than each of them may.
            exchange.wait(1.2)
            good(played, request)(exchange)

    return behave


def one_at_a_time(played: Played, request: Request) -> Behaviour:
    """Turns away whoever comes while another is served."""

    def behave(exchange: Exchange) -> None:
        if not played.lock.acquire(blocking=False):
            status(429, "Too many concurrent requests")(exchange)
            return
        try:
            exchange.wait(0.5)
            good(played, request)(exchange)
        finally:
            played.lock.release()

    return behave


def rate_limited(played: Played, request: Request) -> Behaviour:
    with played.lock:
        played.answered += 1
        if played.answered % 2:
            return status(429, "Rate limit reached", {"Retry-After": "1"})
    return good(played, request)


def asking_to_wait(_played: Played, _request: Request) -> Behaviour:
    return status(429, "Rate limit reached", {"Retry-After": "45"})


def nothing_left(_played: Played, _request: Request) -> Behaviour:
    return status(429, "You exceeded your current quota. (insufficient_quota)")


def prompt_cut(_played: Played, request: Request) -> Behaviour:
    text = f"```python\n{WRONG}```"
    return answer(completion(text, usage=usage(request, text, prompt_tokens=64)))


def over_the_context(_played: Played, _request: Request) -> Behaviour:
    return status(400, "This model's maximum context length is 256 tokens. Shorten the messages.")


def small_context(played: Played, request: Request) -> Behaviour:
    """As vLLM has it: what is asked for has to fit into the context beside the prompt."""
    tokens = usage(request, "")["prompt_tokens"]
    if tokens + limit_of(request) > 1600:
        return status(
            400,
            f"'max_tokens' or 'max_completion_tokens' is too large: {limit_of(request)}. This "
            f"model's maximum context length is 1600 tokens and your request has {tokens} input "
            f"tokens ({limit_of(request)} > 1600 - {tokens}).",
        )
    return good(played, request)


TRUSTED = "clamp: trusted"

# What each endpoint does, and what a check says in the end: that the function is trusted, or words
# of the message that names the cause.
PLAYS: dict[str, tuple[Play, str]] = {
    "good": (good, TRUSTED),
    "thoughts use up the limit": (_thinks(4_000, "reasoning_content"), TRUSTED),
    "thoughts use up the limit and are not shown": (_thinks(4_000, ""), TRUSTED),
    "thoughts use up the limit in tags": (_thinks(4_000, "tags"), TRUSTED),
    "thoughts stop where little effort is asked for": (
        _thinks(200_000, "reasoning", heeds_effort=True),
        TRUSTED,
    ),
    "thoughts without end": (_thinks(200_000, "reasoning"), "still thinking"),
    "effort is no parameter": (effort_refused, TRUSTED),
    "some efforts only": (efforts_listed, TRUSTED),
    "the answer is filed as a thought": (answer_filed_as_thought, TRUSTED),
    "thoughts and no answer": (thoughts_only, "but no answer"),
    "a thought that does not end": (thought_without_an_end, "but no answer"),
    "a thought that ends in a line": (thought_in_a_line, TRUSTED),
    "a thought by other marks": (thought_by_other_marks, TRUSTED),
    "temperature is deprecated": (
        _refusing("temperature", "`temperature` is deprecated for this model."),
        TRUSTED,
    ),
    "only one temperature": (
        _refusing("temperature", "invalid temperature: only 1 is allowed for this model"),
        TRUSTED,
    ),
    "temperature is unsupported": (
        _refusing("temperature", "Unsupported value: 'temperature' does not support 0.7"),
        TRUSTED,
    ),
    "temperature last": (_refusing("temperature", "This model has no temperature."), TRUSTED),
    "an unknown parameter": (
        _refusing("temperature", "Unrecognized request argument supplied: temperature"),
        TRUSTED,
    ),
    "an unknown parameter in a list": (refused_in_a_list, TRUSTED),
    "no system role": (no_system_role, TRUSTED),
    "another name for the limit": (
        _refusing(
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
        ),
        TRUSTED,
    ),
    "a least limit": (least_limit, TRUSTED),
    "a greatest limit": (greatest_limit, TRUSTED),
    "three refusals": (three_refusals, TRUSTED),
    "harmony": (harmony, TRUSTED),
    "harmony without its marks": (harmony_without_marks, TRUSTED),
    "harmony without a final channel": (harmony_unfinished, "but no answer"),
    "a fence that ends in tildes": (_fenced("```python", "~~~"), TRUSTED),
    "a fence that ends in quotes": (_fenced("```python", "'''"), TRUSTED),
    "a fence of two marks": (_fenced("``python", "``"), TRUSTED),
    "a fence that ends in a tag": (_fenced("```python", "</code>"), TRUSTED),
    "a fence of brackets": (_fenced("[PYTHON]", "[/PYTHON]"), TRUSTED),
    "a fence without an end": (_fenced("```python", ""), TRUSTED),
    "content in parts": (parts, TRUSTED),
    "an error inside a choice": (error_in_a_choice, "Upstream provider overloaded"),
    "a cut that is not said": (cut_without_a_word, "cut its reply off at max_tokens"),
    "no usage": (no_usage, TRUSTED),
    "a model that is being loaded": (loading, TRUSTED),
    "a model that is never loaded": (loading_for_ever, "is still loading its model"),
    "one slot": (one_slot, TRUSTED),
    "one at a time": (one_at_a_time, TRUSTED),
    "a rate limit": (rate_limited, TRUSTED),
    "a long wait": (asking_to_wait, "because of its rate limit"),
    "nothing left to spend": (nothing_left, "check the account"),
    "a prompt that was cut": (prompt_cut, "read only 64 tokens of a prompt of about"),
    "a prompt over the context": (over_the_context, "longer context"),
    "a context that just fits": (small_context, TRUSTED),
}


@contextmanager
def playing(play: Play) -> Iterator[OpenAIServer]:
    played = Played()
    with OpenAIServer(lambda request: play(played, request)) as server:
        yield server
