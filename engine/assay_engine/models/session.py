"""One check's session with its models: every reply goes this way, in this order.

1. A panel takes turns: sample N is asked of the member whose turn it is, or of the next one that
   can be asked.
2. A reply that the store has, and that is usable, is free.
3. A reply that somebody asks for already, perhaps another check, is waited for, and is free too.
4. The first candidate goes ahead, if the endpoint has a cache that the others then read from.
5. The first request of all goes alone, and a reply that was cut off in thought is asked for again,
   with more room.
6. The check's budget and the day's have to have room. Requests wait for it in their order, so that
   the outcome does not depend on which reply comes first.
7. The request is sent, and logged.
8. What it took is settled with the budgets, the reply is stored, its cost counted, and the whole
   recorded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from time import monotonic
from typing import cast

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from assay_engine.advice import Advice
from assay_engine.config.settings import Prices
from assay_engine.errors import (
    BudgetSpent,
    ModelError,
    ModelUnavailable,
    ReplyUnusable,
    RequestsForbidden,
    StoreError,
)
from assay_engine.models.budgets import Ledger, Ration
from assay_engine.models.counting import estimated_cost, estimated_tokens, used_by
from assay_engine.models.failures import RefusesAll, ThoughtAway
from assay_engine.models.learning import LearntDialect
from assay_engine.models.slots import NeverSent, RefusedMeanwhile, telling_unsent
from assay_engine.models.transcript import NOT_AS_IT_WAS, Recorder, reply_key
from assay_engine.single_flight import SingleFlight, Waiter
from assay_engine.store import Store
from assay_engine.types import Cost, Model, Prompt, Reply, Usage

# https://platform.openai.com/docs/guides/prompt-caching: "prompts containing 1024 tokens or more".
# Others ask for as many (https://ai.google.dev/gemini-api/docs/caching), or for more.
CACHED_TOKENS_MIN = 1024

# One line for each request at INFO, prompt and reply at DEBUG. These lines are for users, wherever
# the caller shows them.
requests_sent = logging.getLogger("assay_engine.requests")

# The function that is on trial. A context variable: a model is asked by many parts of a check.
on_trial: ContextVar[str] = ContextVar("on_trial", default="a model")


# Whether the text of a stored reply to a prompt is of use.
Usable = Callable[[Prompt, str], bool]


class PanelMember(Struct, frozen=True):
    """A model that a check may ask; what is known of what it takes, if it is at an endpoint, and
    costs: `by_request` if nobody pays for its tokens."""

    model: Model
    learnt: LearntDialect | None = None
    prices: Prices | None = None
    by_request: bool = False


class _Seat(Struct, eq=False):
    """A member in one session: what its replies cost when they were `drawn`, what was `paid` for
    requests sent now, how many of these `failed`, and for each prompt whether its first request has
    ended."""

    member: PanelMember
    drawn: Usage = Usage()
    paid: Usage = Usage()
    failed: int = 0
    led: dict[Prompt, asyncio.Event] = field(default_factory=dict[Prompt, asyncio.Event])

    @property
    def name(self) -> str:
        return self.member.model.name

    @property
    def cost(self) -> Cost:
        prices = self.member.prices
        price, drawn_price = (prices and prices.of(each) for each in (self.paid, self.drawn))
        return Cost(self.paid, self.drawn, failed=self.failed, price=price, drawn_price=drawn_price)


class Session:
    """The models of one check. It counts what they cost; calls of programs are counted elsewhere.

    Without a store, a budget (`ration`, `ledger`) or a recorder, that step is left out.

    Stored replies that are not `usable` (a refusal, or half a program) are kept as they were drawn,
    and drawn anew when they are next wanted; without a test of that, all are usable. The new reply
    then takes the old one's place, under the same prompt and sample number. Where nothing may be
    sent, the kept reply has to do. A store that fails is left alone from then on: the check is
    worth more than its cache, and the store's `notice` says what went wrong.

    `requests` are those under way, which checks share that may want the same replies. A request
    ends when nobody waits for it any more. Only prompts called `led` have a first request that goes
    ahead.
    """

    def __init__(
        self,
        members: Sequence[PanelMember],
        *,
        store: Store | None = None,
        usable: Usable | None = None,
        requests: SingleFlight[Reply] | None = None,
        ration: Ration | None = None,
        ledger: Ledger | None = None,
        recorder: Recorder | None = None,
        led: str = "",
    ) -> None:
        self.name = panel_name([member.model.name for member in members])
        self._seats = tuple(map(_Seat, members))
        self._store = store
        self._usable = usable
        self._requests = SingleFlight[Reply]() if requests is None else requests
        self._ration = ration
        self._ledger = ledger
        self._recorder = recorder
        self._led = led
        # All members share it. Who waits is let through in the order of the samples, however long
        # replies take, and so the budget is spent in that order.
        self._turn = asyncio.Lock()

    @property
    def cost(self) -> Cost:
        return sum((seat.cost for seat in self._seats), Cost())

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        """The reply of the member whose turn it is, or of the next one that can be asked.

        The others are asked under the same number, which none of them has a turn for. So where
        nothing may be sent, a reply that one of them once wrote in another's place is still found.
        With several members, the reply says who wrote it, and in whose place. If none can be asked,
        the error is that of the one whose turn it was.

        Replies are recorded as they came, however malformed, also those from the store. Failures to
        reach a model are not, since they say nothing about the model.
        """
        turn = sample % len(self._seats)
        failure, spent = None, Usage()
        for seat in (*self._seats[turn:], *self._seats[:turn]):
            try:
                reply = await self._counted(seat, prompt, sample)
            except (ModelUnavailable, RequestsForbidden) as unavailable:
                failure = failure or unavailable
                spent += used_by(unavailable, prompt)
                continue
            except ReplyUnusable as unusable:
                if self._recorder is not None:
                    self._recorder.record(prompt, sample, str(unusable))
                raise
            if len(self._seats) > 1:
                instead_of = "" if failure is None else f"{self._seats[turn].name} ({failure.seen})"
                usage = reply.usage if reply.cached else spent + reply.usage
                reply = replace(reply, model=seat.name, instead_of=instead_of, usage=usage)
            if self._recorder is not None:
                self._recorder.record(prompt, sample, reply)
            return reply
        raise failure or ValueError("a panel has members")

    async def _counted(self, seat: _Seat, prompt: Prompt, sample: int) -> Reply:
        """The reply of one member, from the store or drawn; counts what it costs."""
        try:
            reply = await self._known_or_drawn(seat, prompt, sample)
        except (ModelError, asyncio.CancelledError) as failure:
            used = used_by(failure, prompt)
            seat.paid += used
            if isinstance(failure, asyncio.CancelledError):
                seat.failed += used.requests
            else:
                seat.failed += failure.sent and not isinstance(failure, ReplyUnusable)
            raise
        seat.drawn += reply.usage
        if not reply.cached:
            seat.paid += reply.usage
        return reply

    async def _known_or_drawn(self, seat: _Seat, prompt: Prompt, sample: int) -> Reply:
        key = reply_key(prompt, seat.name, sample)
        known = self._stored(key, sample)
        if known is not None and (self._usable is None or self._usable(prompt, known.text)):
            return known

        async def drawn() -> Reply:
            try:
                reply = await self._drawn(seat, prompt, sample)
            except RequestsForbidden:
                if known is None:
                    raise
                return known
            if not reply.cached:
                self._keep(key, reply)
            return reply

        while True:
            hold = self._requests.hold(key, lambda _: drawn())
            try:
                reply = await _result(hold)
            except BudgetSpent:
                # The budget of the caller that asked first says nothing about this one's.
                if not hold.joined:
                    raise
            else:
                return replace(reply, cached=True) if hold.joined else reply

    async def _drawn(self, seat: _Seat, prompt: Prompt, sample: int) -> Reply:
        """The reply of a member at an endpoint may be as long as the prompt says, thoughts not
        counted. If not even more room lets the model come to an answer, it is not asked further.
        """
        learnt = seat.member.learnt
        if learnt is None:
            return await self._sent(seat, prompt, sample)
        cut, spent = None, Usage()
        async with self._in_order(seat, prompt, learnt), learnt.alone_at_first():
            if (hopeless := learnt.hopeless) is not None:
                raise RefusesAll(str(hopeless), seen=hopeless.seen)
            while True:
                before = learnt.dialect
                asked = replace(prompt, max_tokens=before.longest(prompt.max_tokens))
                try:
                    reply = await self._sent(seat, asked, sample)
                except ModelError as failure:
                    if cut is not None and not failure.sent:
                        raise cut from None
                    spent += used_by(failure, asked)
                    if isinstance(failure, ThoughtAway):
                        if cut is None:
                            learnt.heed(failure, before)
                        if cut is None and learnt.dialect != before:
                            cut = failure
                            continue
                        learnt.despair(failure)
                    if cut is not None:
                        failure.requests = spent.requests
                        failure.prompt_tokens = spent.prompt_tokens
                        failure.completion_tokens = spent.completion_tokens
                    raise
                learnt.has_answered = True
                return replace(reply, usage=spent + reply.usage)

    @asynccontextmanager
    async def _in_order(
        self, seat: _Seat, prompt: Prompt, learnt: LearntDialect
    ) -> AsyncGenerator[None]:
        """Wait until the first request for a long prompt is answered or has failed, where the
        endpoint has been seen to have a cache: its prompt is found there then."""
        if prompt.name != self._led:
            yield
            return
        with telling_unsent():
            async with self._turn:
                first = seat.led.get(prompt)
                sent = estimated_tokens(prompt.system, prompt.user)
                if first is not None and learnt.dialect.caches and sent >= CACHED_TOKENS_MIN:
                    await first.wait()
        if first is not None:
            yield
            return
        ended = seat.led[prompt] = asyncio.Event()
        try:
            yield
        finally:
            ended.set()

    async def _sent(self, seat: _Seat, prompt: Prompt, sample: int) -> Reply:
        """Send the request when the budgets have room for it, and settle what it took."""
        ration, ledger, prices = self._ration, self._ledger, seat.member.prices
        tokens = 0 if seat.member.by_request else estimated_cost(prompt)
        allowed = reservation = None
        # Unless it is known what the request took, it counts for all that it may have taken.
        used = Usage(1, estimated_tokens(prompt.system, prompt.user), prompt.max_tokens)
        try:
            with telling_unsent():
                if ration is not None:
                    allowed = await ration.allowed(tokens)
                if ledger is not None:
                    reservation = await ledger.allowed(tokens)
            reply = await _logged(seat.member.model, prompt, sample)
            used = reply.usage
            return reply
        except (ModelError, asyncio.CancelledError) as failure:
            used = used_by(failure, prompt)
            raise
        finally:
            if ledger is not None and reservation is not None:
                ledger.settle(reservation, used, prices and prices.of(used))
            if allowed is not None:
                allowed.end(used)

    def _stored(self, key: str, sample: int) -> Reply | None:
        """The stored reply; None for a value of a shape that this version does not know."""
        if self._store is None:
            return None
        try:
            found = self._store.get("reply", key)
        except StoreError:
            self._store = None
            return None
        match found:
            # Usage without what was cached is from an older version.
            case {
                "text": str() as text,
                "usage": [int(), int(), int()] | [int(), int(), int(), int()],
            }:
                kept = cast("dict[str, list[int]]", found)
                spent, name = Usage(*kept["usage"]), str(kept.get("response_id", ""))
                return Reply(text, sample, spent, cached=True, response_id=name)
            case _:
                return None

    def _keep(self, key: str, reply: Reply) -> None:
        if self._store is None:
            return
        kept = {"text": reply.text, "usage": astuple(reply.usage), "response_id": reply.response_id}
        try:
            self._store.put("reply", key, kept)
        except StoreError:
            self._store = None


async def _logged(model: Model, prompt: Prompt, sample: int) -> Reply:
    """The reply of the model. Tells what was sent, and how it ended."""
    began = monotonic()
    about = f"{on_trial.get()}: {prompt.name} {sample + 1} to {model.name}"
    try:
        reply = await model.reply(prompt, sample)
    except ModelError as failure:
        if failure.sent:
            requests_sent.info("%s, %.1f s: %s", about, monotonic() - began, failure)
        raise
    except asyncio.CancelledError as cancellation:
        if not isinstance(cancellation, NeverSent):
            requests_sent.info("%s, %.1f s: cancelled", about, monotonic() - began)
        raise
    if not reply.cached:
        used, seconds = reply.usage, monotonic() - began
        # Models of an editor do not report tokens.
        tokens = f", {used.prompt_tokens} + {used.completion_tokens} tokens" if used.tokens else ""
        requests_sent.info("%s%s, %.1f s", about, tokens, seconds)
        sent = "\n\n".join(filter(None, (prompt.system, prompt.user)))
        requests_sent.debug("%s\n\n--- sent\n%s\n\n--- answered\n%s", about, sent, reply.text)
    return reply


async def _result(hold: Waiter[Reply]) -> Reply:
    """The reply to the request. If the wait is cancelled, the error says whether that was free."""
    try:
        return await hold.result()
    except asyncio.CancelledError as cancellation:
        # A task whose draw is given up and then closed is cancelled again meanwhile.
        letting_go = asyncio.ensure_future(hold.let_go())
        while not letting_go.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([letting_go])
        ended = letting_go.result()
        # The request may have failed in the very moment in which the wait was cancelled.
        failure = ended if isinstance(ended, ModelError) else None
        unsent = isinstance(ended, NeverSent) or (failure is not None and not failure.sent)
        if hold.joined or unsent:
            raise NeverSent from None
        free = failure is not None and failure.prompt_tokens == failure.completion_tokens == 0
        if isinstance(ended, RefusedMeanwhile) or free:
            raise RefusedMeanwhile from None
        raise cancellation from None
    finally:
        await hold.let_go()


def panel_name(names: Sequence[str]) -> str:
    """The name by which reports and transcripts call all models together."""
    return " + ".join(names)


class Forbidden:
    """Refuses every request, and says what to do instead.

    It keeps the name of the model that it replaces, so that a session still finds this model's
    stored replies.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        missing = f"No stored reply for {NOT_AS_IT_WAS}"
        raise RequestsForbidden(missing, Advice.NOT_OFFLINE, seen="no stored reply")
