"""Describes an endpoint's failures in one sentence each, which never contains the key."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, urlsplit

from typing_extensions import TypeVar

from assay_engine.config.settings import Endpoint, Redacted
from assay_engine.errors import ModelError, ModelUnavailable, ReplyUnusable
from assay_engine.models.providers import context_advice

if TYPE_CHECKING:
    from openai import APIConnectionError

QUOTED_CHARACTERS_MAX = 160
BACKOFF_SECONDS_MAX = 2.0

# Servers may also echo the beginning of a key, so these first characters are enough to remove a
# word. A shorter key could be any word: then nothing that a server says is quoted at all.
RECOGNISABLE_KEY_CHARACTERS = 8

REDACTED = "[key]"

# Statuses that every other request would get, too: the key, the account, the address or the model
# is wrong.
_LASTING = (401, 402, 403, 404)
# So would any other if nothing is left to be spent; these are OpenAI's and DeepSeek's words for it.
_SPENT = ("insufficient_quota", "Insufficient Balance")

# The statuses with which servers refuse a prompt that is too long, and their words for it. Each is
# a code or message that a product documents: OpenAI, llama.cpp, Anthropic, Gemini, Mistral.
_PROMPT_REFUSED = (400, 413, 422, 500)
_ABOUT_LENGTH = (
    "context_length",
    "context length",
    "context size",
    "context window",
    "exceed_context_size",
    "prompt is too long",
    "input token count",
    "too large for model",
    "context too long",
)
# llama.cpp, Hugging Face and LM Studio say so while a model is loaded.
_LOADING = "loading"


class AnswerLost(ModelUnavailable):
    """The request was accepted, but its answer never came."""


class RefusesAll(ModelUnavailable):
    """The request failed in a way in which any other request would fail now."""


class TurnedAway(ModelUnavailable):
    """The server is up and has no room now: too many requests, or a model that is being loaded."""

    loading: bool = False
    retry_after: float | None = None

    def heed(self, retry_after: str | None) -> None:
        """Take in for how many seconds the server asks to be left alone."""
        with suppress(ValueError):
            self.retry_after = max(0.0, float(retry_after or ""))

    def seconds(self, attempts: int) -> float:
        """How long to wait after so many attempts: as long as the server asks for, or longer
        from time to time."""
        if self.retry_after is not None:
            return self.retry_after
        return BACKOFF_SECONDS_MAX if self.loading else min(2.0**attempts / 4, BACKOFF_SECONDS_MAX)


class PromptRefused(ModelError):
    """The prompt is too long: any other reply to it would fail in the same way."""


class PromptTooLong(PromptRefused, ModelUnavailable):
    """The server does not take a prompt of this length."""


class PromptCut(PromptRefused, ReplyUnusable):
    """The server left out a part of the prompt before its model read it."""


class ThoughtAway(ReplyUnusable):
    """The reply holds nothing but thoughts, most often since it was `cut_off` while thinking."""

    cut_off: bool = False


_Unusable = TypeVar("_Unusable", bound=ReplyUnusable, default=ReplyUnusable)


class Wording(Redacted, frozen=True):
    """Turns a failure of one endpoint into an error to raise."""

    HIDDEN = frozenset(("key",))

    host: str
    model: str
    seconds: float
    key: str = ""
    # The scheme of the endpoint's address, where requests to it may go through a proxy.
    scheme: str = ""
    # What to do if the server takes fewer tokens at once than a prompt has.
    context_advice: str = "choose a model with a longer context"

    def stalled(self, seconds: float) -> AnswerLost:
        """The error for a server that did not answer within this many seconds.

        They are `self.seconds`, or fewer for an answer that a server has ready, like its list of
        models.
        """
        advice = "raise request_seconds or choose a faster model"
        if seconds < self.seconds:
            advice = "or check what keeps it busy"
        seen = f"{self.host} accepted the request but did not answer within {seconds:g} s"
        # In all that time the model may have written, and been paid for, a whole reply.
        return AnswerLost(
            f"{seen}; try again, {advice}.",
            seen=seen,
            mention=f"a request was not answered in {seconds:g} s",
            sent=True,
            prompt_tokens=None,
            completion_tokens=None,
        )

    def too_large(self, bound: int) -> ReplyUnusable:
        return self.unusable(
            f"sent more than {bound:,} bytes in one reply, which was dropped",
            "lower max_tokens or choose another model",
            prompt_tokens=None,
            completion_tokens=None,
        )

    def garbled(self) -> ReplyUnusable:
        return self.unusable(
            "sent a reply that does not match its content-encoding",
            "check for a proxy in between",
            prompt_tokens=None,
            completion_tokens=None,
        )

    def unusable(
        self,
        seen: str,
        advice: str = "check the model and the base URL",
        kind: type[_Unusable] = ReplyUnusable,
        prompt_tokens: int | None = 0,
        completion_tokens: int | None = 0,
    ) -> _Unusable:
        """The error for an unusable answer.

        The tokens are as in `ModelError`: none unless the answer is a completion.
        """
        return kind(
            f"{self.host} {seen}; {advice}.",
            sent=True,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
        )

    def unprepared(self, error: ImportError | ValueError | OSError) -> RefusesAll:
        """The error for a client that cannot be made.

        The message of `error` is not quoted: the address of a proxy may hold a password.
        """
        match error:
            case OSError():
                seen = "the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"
                advice = "correct the variable, or unset it"
            case ImportError():
                seen = "the environment names a SOCKS proxy, which needs a missing package"
                advice = f"pip install socksio, or name {self.host} in NO_PROXY"
            case _:
                seen = "the environment names a proxy that is not an HTTP address"
                advice = (
                    f"correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or name {self.host} in NO_PROXY"
                )
        return RefusesAll(
            f"{self.host} cannot be asked: {seen}; {advice}.", seen=f"{self.host} cannot be asked"
        )

    def unreachable(self, error: APIConnectionError) -> ModelUnavailable:
        """The error for a failure of the HTTP library, whose exception is the cause of `error`."""
        from urllib.request import getproxies, proxy_bypass

        said = self.quoted(str(error.__cause__ or ""))
        way, advice = "", "check that the server runs and that the base URL is right"
        detour = f"check HTTPS_PROXY and similar variables, or name {self.host} in NO_PROXY"
        goes_round = not self.scheme or proxy_bypass(self.host)
        if not goes_round and not getproxies().keys().isdisjoint((self.scheme, "all")):
            way, advice = " through the proxy that the environment names", detour
        match type(error.__cause__).__name__:
            case "ConnectError" if "CERTIFICATE_VERIFY_FAILED" in said:
                advice = (
                    "if you run its certificate authority, name that certificate in SSL_CERT_FILE"
                )
                seen = f"{self.host} cannot be trusted"
                return RefusesAll(f"{seen}{said}; {advice}.", seen=seen)
            case "ProxyError":
                seen = f"the proxy to {self.host} refuses"
                return RefusesAll(f"{seen}{said}; {detour}.", seen=seen)
            case "ConnectError":
                seen = f"{self.host} cannot be reached{way}"
                return RefusesAll(f"{seen}{said}; {advice}.", seen=seen)
            case "ConnectTimeout":
                seen = f"{self.host} accepts no connection{way}"
                return ModelUnavailable(f"{seen}; {advice}.", seen=seen)
            case "ReadError" | "RemoteProtocolError":
                seen = f"{self.host} closes the connection before its answer is complete"
                return AnswerLost(f"{seen}; {advice}.", seen=seen, sent=True, prompt_tokens=None)
            case other:
                seen = f"{self.host} cannot be asked"
                return ModelUnavailable(f"{seen} ({other}{said}); {advice}.", seen=seen)

    def refused(self, status: int, body: str) -> ModelUnavailable:
        """The error for a failure status."""
        message = server_message(body)
        said = self.quoted(message)
        seen, advice = self._status_words(status)
        seen = f"{self.host} {seen}"
        if status in _PROMPT_REFUSED and any(mark in body.lower() for mark in _ABOUT_LENGTH):
            text = f"{seen} (HTTP {status}{said}); {self.context_advice}."
            return PromptTooLong(text, seen=f"{seen}, because of its length", sent=True)
        if status == 503 and _LOADING in message.lower():
            seen, advice = f"{self.host} is still loading its model", "wait until it has"
        text = f"{seen} (HTTP {status}{said}); {advice}."
        if status in _LASTING or any(mark in body for mark in _SPENT):
            return RefusesAll(text, seen=seen, sent=True)
        if status in (429, 503):
            turned_away = TurnedAway(text, seen=seen, sent=True)
            turned_away.loading = _LOADING in message.lower()
            return turned_away
        return ModelUnavailable(text, seen=seen, sent=True)

    def quoted(self, said: str) -> str:
        """A server's words as `: "..."`, shortened and without the key; or an empty text."""
        if 0 < len(self.key) < RECOGNISABLE_KEY_CHARACTERS:
            return ""
        words = " ".join(self.redacted(said).split())
        printable = "".join(letter for letter in words if letter.isprintable())
        if len(printable) > QUOTED_CHARACTERS_MAX:
            printable = printable[: QUOTED_CHARACTERS_MAX - 1] + "…"
        return f': "{printable.rstrip(".")}"' if printable else ""

    def redacted(self, text: str) -> str:
        """`text` without the key, be it whole or cut short."""
        if len(self.key) < RECOGNISABLE_KEY_CHARACTERS:
            return text
        for shape in {self.key, quote(self.key, safe="")}:
            start = re.escape(shape[:RECOGNISABLE_KEY_CHARACTERS])
            text = re.sub(start + r"[^\s\"'<>]*", REDACTED, text.replace(shape, REDACTED))
        return text

    def _status_words(self, status: int) -> tuple[str, str]:
        """What was seen, and what to do about it."""
        match status:
            case 401 if not self.key:
                words = "asks for an API key and none is set", "set the key of this endpoint"
            case 401:
                words = "does not accept the API key", "set the key that belongs to this endpoint"
            case 402:
                words = "requires payment first", "check the account"
            case 403:
                words = f"does not let this key use {self.model}", "check what the key may do"
            case 404 if not self.model:
                words = "lists no models at this address", "check the address; most end in /v1"
            case 404:
                words = f"has no model {self.model} at this address", "check model and address"
            case 429:
                words = (
                    "keeps refusing because of its rate limit or a spent quota",
                    "wait, lower the concurrency, or check the account",
                )
            case _ if 300 <= status < 400:
                # To follow would send the user's code to a place that nobody said yes to.
                words = "redirects to another address", "set the base URL to the final address"
            case _ if status == 408 or status >= 500:
                words = "keeps failing", "try again later or choose another endpoint"
            case _:
                words = "refuses the request", f"check that {self.model} takes such requests"
        return words


def wording_for(endpoint: Endpoint, seconds: float) -> Wording:
    """The wording for `endpoint`, which is named by host and port only, never with credentials."""
    address = urlsplit(endpoint.base_url)
    return Wording(
        host=address.netloc.rsplit("@", 1)[-1] or endpoint.base_url,
        model=endpoint.model,
        seconds=seconds,
        key=endpoint.api_key.strip(),
        scheme="" if endpoint.is_local else address.scheme,
        context_advice=context_advice(endpoint),
    )


def server_message(body: str) -> str:
    """The message in an error body, in any of the forms that servers use; empty for HTML."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        return "" if body.lstrip().startswith("<") else body
    whole = found
    if isinstance(found, list) and found:
        # Gemini's endpoint sends its error in a list.
        found = cast("list[object]", found)[0]
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = cast("dict[str, object]", found)[name]
    if isinstance(found, list | dict) and found is not whole:
        # FastAPI's servers list what is wrong with each parameter.
        return json.dumps(found, ensure_ascii=False)
    return found if isinstance(found, str) else ""
