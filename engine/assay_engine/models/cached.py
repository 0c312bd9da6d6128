"""Never asks twice for what the store already has."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from assay_engine.errors import RequestsForbidden, StoreError
from assay_engine.models.keys import reply_key
from assay_engine.store import Store
from assay_engine.types import Model, Prompt, Reply, Usage


class CachedModel:
    """Replies out of `store`, and out of `inner` where the store has none that is `usable`.

    A refusal, or half a program, is kept as what was drawn, and drawn anew when it is next wanted:
    the new reply takes its place, under the same prompt and sample number. Where nothing may be
    sent, what is kept has to do.

    A store that fails is left alone from then on: the check is worth more than its cache, and
    the store's `notice` says what went wrong.
    """

    def __init__(
        self,
        inner: Model,
        store: Store,
        usable: Callable[[Prompt, str], bool] = lambda _prompt, _text: True,
    ) -> None:
        self._inner = inner
        self._usable = usable
        self._store: Store | None = store

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        key = reply_key(prompt, self.name, sample)
        known = self._known(key, sample)
        if known is not None and self._usable(prompt, known.text):
            return known
        try:
            reply = await self._inner.reply(prompt, sample)
        except RequestsForbidden:
            if known is None:
                raise
            return known
        if not reply.cached:
            self._keep(key, reply)
        return reply

    def _known(self, key: str, sample: int) -> Reply | None:
        if self._store is None:
            return None
        try:
            return _revived(self._store.reply(key), sample)
        except StoreError:
            self._store = None
            return None

    def _keep(self, key: str, reply: Reply) -> None:
        if self._store is None:
            return
        usage = reply.usage
        spent = [usage.requests, usage.prompt_tokens, usage.completion_tokens]
        try:
            self._store.put_reply(key, {"text": reply.text, "usage": spent})
        except StoreError:
            self._store = None


def _revived(value: object, sample: int) -> Reply | None:
    """The reply in a stored value; None for one of a shape that this version does not know."""
    match value:
        case {"text": str() as text, "usage": [int(), int(), int()] as usage}:
            return Reply(text, sample, Usage(*cast("list[int]", usage)), cached=True)
        case _:
            return None
