"""What was learnt of a model at an endpoint, shared by all that ask it.

What it takes is kept in the store. That it answers no request at all is forgotten when somebody
tries again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import cast

import msgspec

from assay_engine.config.settings import Endpoint
from assay_engine.digest import of_parts
from assay_engine.errors import ModelError, ModelUnavailable, ReplyUnusable, StoreError
from assay_engine.models.dialect import Dialect
from assay_engine.models.failures import PromptRefused, PromptTooLong, RefusesAll, ThoughtAway
from assay_engine.models.providers import dialect_of
from assay_engine.models.slots import telling_unsent
from assay_engine.store import Store
from assay_engine.types import Model, Prompt, Reply

# An endpoint is given up after this many requests without any answer, with this many different
# prompts: a filter may turn away a single prompt.
FAILURES_MAX = 10
PROMPTS_MAX = 3


class LearntDialect:
    """The dialect of one model, as it is known by now.

    What one request learns, the others need not pay for, so the first goes alone
    (`alone_at_first`).
    """

    def __init__(
        self, endpoint: Endpoint, store: Store | None = None, *, anew: bool = False
    ) -> None:
        """Begin with what the store holds, or `anew` with what is known of the provider."""
        self._store = store
        self._key = of_parts((endpoint.base_url, endpoint.model, repr(sorted(endpoint.extra_body))))
        # The efforts with which the model has answered.
        self._efforts = set[str]()
        kept = None if anew else self._kept()
        self.dialect = kept or dialect_of(endpoint)
        self.is_known = kept is not None
        self._first = asyncio.Lock()
        self.try_again()

    def try_again(self) -> None:
        """Forget that the model came to no answer: whoever asks now may have mended that."""
        self.has_answered = False
        self.hopeless: ThoughtAway | None = None

    @asynccontextmanager
    async def alone_at_first(self) -> AsyncGenerator[None]:
        """Let the first request of a model that nobody has asked yet end before others begin."""
        if not self.is_known:
            with telling_unsent():
                await self._first.acquire()
            try:
                if not self.is_known:
                    try:
                        yield
                    finally:
                        self.is_known = True
                    return
            finally:
                self._first.release()
        yield

    def heed(self, cut: ThoughtAway, asked_in: Dialect) -> None:
        """Learn from a reply that was nothing but thoughts: ask for less thought, and for more room
        if the reply was cut off and nobody else has learnt that meanwhile."""
        learnt = self.dialect.thinking_less()
        if cut.cut_off and self.dialect.room <= asked_in.room:
            learnt = learnt.with_more_room()
        self.try_on(learnt)

    def despair(self, failure: ThoughtAway) -> None:
        """Note a reply that was nothing but thoughts, although there was room for an answer."""
        if not self.has_answered:
            self.hopeless = failure

    def try_on(self, dialect: Dialect) -> None:
        """Use a dialect from the next request on, as long as this process lives."""
        self.dialect = dialect

    def without_untried(self, dialect: Dialect) -> Dialect | None:
        """The dialect without an effort that the model has never taken yet; else None."""
        untried = dialect.takes_effort and dialect.effort not in (None, *self._efforts)
        return msgspec.structs.replace(dialect, takes_effort=False) if untried else None

    def keep(self, dialect: Dialect) -> None:
        """Keep the dialect of a request that was answered, for other processes as well."""
        if dialect.takes_effort and dialect.effort is not None:
            self._efforts.add(dialect.effort)
        # Others may have learnt of these meanwhile, from the replies.
        known = self.dialect
        kept = msgspec.structs.replace(
            dialect,
            room=max(dialect.room, known.room),
            effort=known.effort if dialect.effort is None else dialect.effort,
            caches=dialect.caches or known.caches,
        )
        if kept != known or self._kept() != kept:
            self._put(kept)

    def note_cache(self) -> None:
        """Note that the endpoint has read a prompt from its cache."""
        if not self.dialect.caches:
            self._put(msgspec.structs.replace(self.dialect, caches=True))

    def _put(self, kept: Dialect) -> None:
        self.dialect = kept
        if self._store is not None:
            with suppress(StoreError):
                self._store.put("dialect", self._key, msgspec.to_builtins(kept))

    def _kept(self) -> Dialect | None:
        if self._store is None:
            return None
        try:
            found = cast("object", self._store.get("dialect", self._key))
            return None if found is None else msgspec.convert(found, Dialect)
        except (StoreError, msgspec.ValidationError):
            return None


class CircuitBreaker:
    """A model that meets a lasting refusal only once, and not again for every function.

    A prompt that is refused for its length is not sent again either.

    It also stops asking where all requests so far have failed, for whatever reason. Where an answer
    has come as well, the endpoint is only busy, and every request is tried.
    """

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model
        self.try_again()

    def try_again(self) -> None:
        """Forget the failures so far: whoever asks now may have mended their cause."""
        self._refusal: ModelError | None = None
        self._answered = False
        self._failures = 0
        self._prompts: set[Prompt] = set()
        self._too_long: dict[str, PromptRefused] = {}

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if self._refusal is not None:
            raise RefusesAll(
                str(self._refusal), seen=self._refusal.seen, mention=self._refusal.mention
            )
        if (refused := self._too_long.get(prompt.user)) is not None:
            raise PromptTooLong(str(refused), seen=refused.seen, mention=refused.mention)
        try:
            reply = await self._model.reply(prompt, sample)
        except PromptRefused as failure:
            self._answered = True
            self._too_long[prompt.user] = failure
            raise
        except (ModelUnavailable, ReplyUnusable) as failure:
            self._failures += 1
            self._prompts.add(prompt)
            lasts = self._failures >= FAILURES_MAX and len(self._prompts) >= PROMPTS_MAX
            if not self._answered and (lasts or isinstance(failure, RefusesAll)):
                self._refusal = failure
            raise
        self._answered, self._refusal = True, None
        return reply
