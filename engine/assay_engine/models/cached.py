"""Never asks twice for a reply that the store already has, or that is already asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from msgspec.structs import astuple, replace

from assay_engine.errors import BudgetSpent, ModelError, RequestsForbidden, StoreError
from assay_engine.models.slots import NeverSent, RefusedMeanwhile
from assay_engine.models.transcript import reply_key
from assay_engine.single_flight import SingleFlight, Waiter
from assay_engine.store import Store
from assay_engine.types import Model, Prompt, Reply, Usage


class CachedModel:
    """Gives replies from `store`, and from `inner` where the store has none that is `usable`.

    An unusable reply (a refusal, or half a program) is kept as it was drawn, and drawn anew when it
    is next wanted. The new reply then takes its place, under the same prompt and sample number.
    Where nothing may be sent, the kept reply has to do.

    `requests` are the requests under way, of this model and of others like it. A caller that wants
    a reply for which another caller waits waits, too, and gets it for nothing. A request ends when
    nobody waits for it any more.

    A store that fails is left alone from then on: the check is worth more than its cache. The
    store's `notice` says what went wrong.
    """

    def __init__(
        self,
        inner: Model,
        store: Store,
        usable: Callable[[Prompt, str], bool] = lambda _prompt, _text: True,
        requests: SingleFlight[Reply] | None = None,
    ) -> None:
        self.name = inner.name
        self._inner = inner
        self._requests = SingleFlight[Reply]() if requests is None else requests
        self._usable = usable
        self._store: Store | None = store

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        key = reply_key(prompt, self.name, sample)
        known = self._known(key, sample)
        if known is not None and self._usable(prompt, known.text):
            return known
        while True:
            hold = self._requests.hold(key, lambda _: self._drawn(prompt, sample, key, known))
            try:
                reply = await _result(hold)
            except BudgetSpent:
                # The budget of the caller that asked first says nothing about this one's.
                if not hold.joined:
                    raise
            else:
                return replace(reply, cached=True) if hold.joined else reply

    async def _drawn(self, prompt: Prompt, sample: int, key: str, known: Reply | None) -> Reply:
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
            return _revived(self._store.get("reply", key), sample)
        except StoreError:
            self._store = None
            return None

    def _keep(self, key: str, reply: Reply) -> None:
        if self._store is None:
            return
        kept = {"text": reply.text, "usage": astuple(reply.usage), "response_id": reply.response_id}
        try:
            self._store.put("reply", key, kept)
        except StoreError:
            self._store = None


async def _result(hold: Waiter[Reply]) -> Reply:
    """The reply to the request. If the wait is cancelled, the error says whether that was free."""
    try:
        return await hold.result()
    except asyncio.CancelledError as cancellation:
        ended = await _ended(hold)
        # The request may have failed in the very moment in which the wait was cancelled.
        unsent = isinstance(ended, NeverSent) or (isinstance(ended, ModelError) and not ended.sent)
        if hold.joined or unsent:
            raise NeverSent from None
        if isinstance(ended, RefusedMeanwhile) or (
            isinstance(ended, ModelError) and _is_free(ended)
        ):
            raise RefusedMeanwhile from None
        raise cancellation from None
    finally:
        await hold.let_go()


async def _ended(hold: Waiter[Reply]) -> BaseException | None:
    """The exception that ended the request, if this hold is the last to wait for it.

    This also works for a task that is cancelled again meanwhile, as every task is whose draw is
    given up and then closed.
    """
    letting_go = asyncio.ensure_future(hold.let_go())
    while not letting_go.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([letting_go])
    return letting_go.result()


def _is_free(failure: ModelError) -> bool:
    return failure.prompt_tokens == failure.completion_tokens == 0


def _revived(value: object, sample: int) -> Reply | None:
    """The reply in a stored value; None for a value of a shape that this version does not know."""
    match value:
        # Usage without what was cached is from an older version.
        case {"text": str() as text, "usage": [int(), int(), int()] | [int(), int(), int(), int()]}:
            kept = cast("dict[str, list[int]]", value)
            spent, name = Usage(*kept["usage"]), str(kept.get("response_id", ""))
            return Reply(text, sample, spent, cached=True, response_id=name)
        case _:
            return None
