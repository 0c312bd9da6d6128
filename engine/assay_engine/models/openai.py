"""Draws replies from any endpoint that speaks the chat-completions protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec.structs import replace

from assay_engine.config.endpoints import is_openai
from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import ConfigurationError
from assay_engine.models.completion import CompletionAsked, read_completion
from assay_engine.models.counting import estimated_tokens
from assay_engine.models.dialect import LESSONS_MAX, Dialect
from assay_engine.models.discovery import listed_models
from assay_engine.models.failures import TurnedAway, wording_for
from assay_engine.models.key_sources import key_of
from assay_engine.models.learning import LearntDialect
from assay_engine.models.slots import RequestSlots, telling_unsent
from assay_engine.types import Prompt, Reply, Usage
from assay_engine.words import whole_characters

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionMessageParam

# Ten times the size of any function with its reasoning. Nothing beyond this is read.
RESPONSE_BYTES_MAX = 1_000_000

# A host that is up accepts at once; the rest of the request's time is for the model.
CONNECT_SECONDS = 5.0

# Listing models is quick, and a person waits for the list.
PROBE_SECONDS = 5.0

# Local servers ask for no key, but the SDK insists on one.
KEY_PLACEHOLDER = "none"

# The part of a draw's time in which a server may turn requests away, as while it loads its model:
# there has to be time left for its replies, or to say why there are none.
PATIENCE_SHARE = 0.5

_BAD_REQUESTS = (400, 422)
# The statuses with which no server refuses a parameter: the key, the account, the time, the rate.
_NO_REFUSALS = (401, 402, 403, 408, 409, 429, 502, 503, 504)


class OpenAIModel:
    """One model at one endpoint.

    It asks for one choice per request, since many servers ignore `n`. The SDK is imported, the key
    fetched and the client made at the first request. Nothing has to be closed. `learnt` is what is
    known of what the model takes, shared with those who make room for its thoughts.
    """

    def __init__(
        self, endpoint: Endpoint, sampling: Sampling, learnt: LearntDialect | None = None
    ) -> None:
        """Raises `ConfigurationError` for an address or a key that cannot be sent."""
        _check(endpoint)
        self.name = endpoint.model
        self._endpoint = endpoint
        self._sampling = sampling
        self._learnt = learnt or LearntDialect(endpoint)
        self._wording = wording_for(endpoint, sampling.request_seconds)
        self._client: AsyncOpenAI | None = None
        self._answered_once = False
        # Until when a server is waited for that turns requests away.
        self._patient_until: float | None = None
        # The slots are for all functions on trial together: a request that waits in a server's own
        # queue would use up its time there.
        self._slots = RequestSlots(sampling.concurrency)

    @property
    def dialect(self) -> Dialect:
        """What the model takes, as far as it is known by now."""
        return self._learnt.dialect

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        with telling_unsent():
            body = await self._completion(prompt)
        sent = estimated_tokens(prompt.system, prompt.user)
        advice = "choose a model that writes less"
        # Some prompts have a limit of their own, which no setting changes.
        if prompt.max_tokens == self._learnt.dialect.longest(self._sampling.max_tokens):
            advice = f"raise sampling.max_tokens or {advice}"
        asked = CompletionAsked(sent, prompt.max_tokens, advice)
        completion = read_completion(body, self._wording, asked)
        if completion.thinks:
            self._learnt.try_on(self._learnt.dialect.thinking_less())
        if completion.cached_tokens:
            self._learnt.note_cache()
        # If a server shows the key to its model, the model's reply could bring it into the cache.
        text = self._wording.redacted(completion.text)
        read, written = completion.prompt_tokens, completion.completion_tokens
        usage = Usage(
            1,
            sent if read is None else read,
            estimated_tokens(text) if written is None else written,
            completion.cached_tokens,
        )
        return Reply(
            text,
            sample,
            usage,
            cached=False,
            response_id=self._wording.redacted(completion.response_id),
        )

    async def listing(self) -> bytes:
        """What the endpoint says of its models, of any shape. Sends no code and costs nothing.

        Raises `ModelUnavailable`, soon and without retries since somebody is waiting.
        """
        client = (await self._opened()).with_options(max_retries=0, timeout=PROBE_SECONDS)
        return await self._answered(_listing(client))

    async def offered(self) -> tuple[str, ...]:
        """The models that the endpoint lists.

        Raises as `listing` does, and `ReplyUnusable` for an answer that is not a list of models.
        """
        listed = listed_models(await self.listing())
        if listed is None:
            raise self._wording.unusable(
                "answered the request for its models with something that is not a list of models",
                "check the path of the base URL, which usually ends with /v1",
            )
        return listed

    async def _completion(self, prompt: Prompt) -> bytes:
        """The response body. Raises `ModelUnavailable` or `ReplyUnusable`."""
        retries = self._sampling.retries
        while True:
            async with self._slots:
                try:
                    body = await self._answered(self._in_its_dialect(prompt))
                except TurnedAway as failure:
                    turned_away = failure
                    # Beside requests that it answers, a server has no room for this many.
                    fewer = self._answered_once and self._slots.let_in_fewer()
                else:
                    self._answered_once, self._patient_until = True, None
                    return body
            if not (fewer or turned_away.loading):
                retries -= 1
            seconds = turned_away.seconds(self._sampling.retries - max(retries, 0))
            if retries < 0:
                raise turned_away
            now = asyncio.get_running_loop().time()
            if self._patient_until is None:
                self._patient_until = now + PATIENCE_SHARE * self._sampling.draw_seconds
            if now + seconds > self._patient_until:
                raise turned_away
            await asyncio.sleep(seconds)

    async def _answered(self, request: Awaitable[bytes]) -> bytes:
        from openai import APIConnectionError, APIStatusError

        # The failure is raised outside the handlers. Otherwise a log of it would include the SDK's
        # error, which quotes the server verbatim.
        try:
            return await request
        except APIStatusError as error:
            failure = self._wording.refused(error.status_code, error.response.text)
            if isinstance(failure, TurnedAway):
                failure.heed(error.response.headers.get("retry-after"))
        except APIConnectionError as error:
            failure = self._wording.unreachable(error)
        raise failure

    async def _in_its_dialect(self, prompt: Prompt) -> bytes:
        from openai import APIStatusError

        dialect = self._learnt.dialect
        for lessons_left in reversed(range(LESSONS_MAX + 1)):
            try:
                body = await self._request(prompt, dialect)
            except APIStatusError as error:
                if error.status_code in _NO_REFUSALS:
                    raise
                last = lessons_left == 1
                refusal = error.response.text
                learnt = dialect.learnt_from(refusal, prompt, self._endpoint.model, last=last)
                if learnt is None and error.status_code in _BAD_REQUESTS:
                    learnt = self._learnt.without_untried(dialect)
                if learnt is None:
                    raise
                if not lessons_left:
                    # What was learnt may serve the next request.
                    self._learnt.try_on(learnt)
                    raise
                dialect = learnt
            else:
                self._learnt.keep(dialect)
                return body
        raise AssertionError("the last attempt returns or raises")

    async def _request(self, prompt: Prompt, dialect: Dialect) -> bytes:
        client = await self._opened()
        # A docstring with escapes may hold halves of surrogate pairs.
        user, system = whole_characters(prompt.user), whole_characters(prompt.system)
        messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": user}]
        if system and dialect.takes_system:
            messages.insert(0, {"role": "system", "content": system})
        elif system:
            messages = [{"role": "user", "content": f"{system}\n\n{user}"}]
        response = await client.chat.completions.with_raw_response.create(
            model=self._endpoint.model,
            messages=messages,
            extra_body={**dialect.parameters(prompt), **self._endpoint.extra_body},
        )
        return response.content

    async def _opened(self) -> AsyncOpenAI:
        if self._client is None:
            if self._endpoint.key_source is not None:
                # A command may wait for a person.
                key = await asyncio.to_thread(key_of, self._endpoint)
                endpoint = replace(self._endpoint, api_key=key, key_source=None)
                _check(endpoint)
                self._endpoint = endpoint
                self._wording = wording_for(endpoint, self._sampling.request_seconds)
            self._client = _open_client(self._endpoint, self._sampling)
        return self._client


async def _listing(client: AsyncOpenAI) -> bytes:
    return (await client.models.with_raw_response.list()).content


def _open_client(endpoint: Endpoint, sampling: Sampling) -> AsyncOpenAI:
    """The SDK's client for an endpoint.

    Raises `ModelUnavailable` if the environment's settings for proxies or certificates cannot be
    used.
    """
    from httpx2 import Timeout
    from openai import AsyncOpenAI

    from assay_engine.models.transport import BoundedClient

    seconds = sampling.request_seconds
    wording = wording_for(endpoint, seconds)
    try:
        transport = BoundedClient(
            seconds=seconds,
            max_bytes=RESPONSE_BYTES_MAX,
            stalled=wording.stalled,
            too_large=wording.too_large,
            garbled=wording.garbled,
            # Requests that are meant to stay on this machine do not go through a company's proxy.
            use_system_proxies=not endpoint.is_local,
        )
    except (ImportError, ValueError, OSError) as error:
        raise wording.unprepared(error) from None
    client = AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key.strip() or KEY_PLACEHOLDER,
        max_retries=sampling.retries,
        timeout=Timeout(seconds, connect=min(CONNECT_SECONDS, seconds / 2)),
        default_headers={"Accept-Encoding": "identity", **endpoint.headers},
        http_client=transport,
    )
    if not is_openai(endpoint.base_url):
        # The SDK takes these from the environment. They are about an account at one provider, and
        # no other provider's business.
        client.organization = client.project = None
    return client


def _check(endpoint: Endpoint) -> None:
    try:
        address = urlsplit(endpoint.base_url)
        usable = address.scheme in ("http", "https") and bool(address.hostname)
        usable = usable and address.port != 0  # reading a port that is no number raises, too
    except ValueError:
        usable = False
    if not usable:
        # The part before an @ may hold a password.
        shown = endpoint.base_url.rsplit("@", 1)[-1]
        raise ConfigurationError(
            f"The base URL {shown!r} is not an HTTP address; write it like "
            "http://127.0.0.1:11434/v1."
        )
    address = urlsplit(endpoint.base_url)
    if address.username or address.password:
        raise ConfigurationError(
            f"The base URL of {address.hostname} holds credentials, which would end up in logs; "
            "set them as the API key instead."
        )
    if endpoint.model != whole_characters(endpoint.model):
        raise ConfigurationError(
            f"The model {endpoint.model!r} holds characters that cannot be sent; correct its name."
        )
    key = endpoint.api_key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ConfigurationError(
            f"The API key for {address.hostname} holds characters that cannot be sent; "
            "copy it again, without line breaks."
        )
