"""A session's way to a reply: the store, requests in flight, and who goes ahead."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay_engine.config.settings import Budget, Endpoint, Sampling
from assay_engine.errors import BudgetSpent, ModelUnavailable, RequestsForbidden
from assay_engine.models import (
    Allowance,
    Forbidden,
    LearntDialect,
    OpenAIModel,
    PanelMember,
    Ration,
    Session,
)
from assay_engine.models.dialect import Dialect
from assay_engine.models.slots import NeverSent, RefusedMeanwhile
from assay_engine.models.transcript import reply_key
from assay_engine.single_flight import SingleFlight
from assay_engine.store import Store, memory_store, open_store
from assay_engine.types import Prompt, Reply, Usage
from support.openai_server import Exchange, OpenAIServer, ok, stall, status
from support.sessions import session_of

PROMPT = Prompt("candidate", 1, "sys", "def f(): ...", 1.0, 100)
LONG = replace(PROMPT, user="word " * 1000)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.db") as opened:
        yield opened


def model_at(server: OpenAIServer) -> OpenAIModel:
    return OpenAIModel(Endpoint(server.base_url, "test-model"), Sampling(retries=0))


# --------------------------------------------------------------------------------- the store


async def test_a_reply_is_asked_for_once_wherever_the_model_is(tmp_path: Path) -> None:
    """A failure is not kept, and what is kept costs what it cost then."""
    with OpenAIServer([status(500), ok("fine")]) as server, OpenAIServer([status(500)]) as other:
        with open_store(tmp_path / "store.db") as store:
            session = session_of(model_at(server), store=store)
            with pytest.raises(ModelUnavailable):
                await session.reply(PROMPT, 3)
            drawn = await session.reply(PROMPT, 3)
        with open_store(tmp_path / "store.db") as store:
            again = session_of(model_at(other), store=store)
            assert await again.reply(PROMPT, 3) == replace(drawn, cached=True)
            assert (again.cost.drawn, again.cost.paid) == (Usage(1, 11, 7), Usage())
        assert (drawn.text, drawn.sample, drawn.cached) == ("fine", 3, False)
        assert (session.cost.drawn, session.cost.paid.requests) == (Usage(1, 11, 7), 2)
        assert (session.cost.failed, len(other.requests)) == (1, 0)


async def test_a_stored_reply_that_is_of_no_use_is_drawn_anew_where_that_is_allowed(
    store: Store,
) -> None:
    with OpenAIServer([ok("half"), ok("whole")]) as server:
        await session_of(model_at(server), store=store).reply(PROMPT, 0)
        for model, text in (
            (Forbidden("test-model"), "half"),
            (model_at(server), "whole"),
            (Forbidden("test-model"), "whole"),
        ):
            session = session_of(model, store=store, usable=lambda _, text: text == "whole")
            assert (await session.reply(PROMPT, 0)).text == text


@pytest.mark.parametrize("value", [None, 3, {"text": 3}, {"text": "x", "usage": ["1", 2, 3]}])
async def test_a_stored_value_of_another_shape_is_asked_for_again(
    store: Store, value: object
) -> None:
    store.put("reply", reply_key(PROMPT, "test-model", 0), value)
    with OpenAIServer([ok("fine")]) as server:
        assert (await session_of(model_at(server), store=store).reply(PROMPT, 0)).text == "fine"


async def test_a_store_that_fails_is_left_alone(store: Store) -> None:
    with OpenAIServer([ok("fine")]) as server:
        session = session_of(model_at(server), store=store)
        store.close()
        for sample in range(3):
            assert (await session.reply(PROMPT, sample)).text == "fine"
        assert len(server.requests) == 3


async def test_a_forbidden_request_names_its_cause_and_the_way_out() -> None:
    with pytest.raises(RequestsForbidden) as caught:
        await Forbidden("test-model").reply(PROMPT, 2)
    message = str(caught.value)
    assert message.startswith("No stored reply for this function: its signature, docstring or ")
    assert "without --offline" in message


# ------------------------------------------------------------------------ requests in flight


def slow(exchange: Exchange) -> None:
    if exchange.wait(0.5):
        ok("fine")(exchange)
    else:
        exchange.server.script.hang_ups += 1


def two_of(
    server: OpenAIServer, store: Store, first: Budget | None = None
) -> tuple[Session, Session]:
    """Two checks that share what is under way, the first with a budget of its own."""
    requests = SingleFlight[Reply]()
    one, other = (
        session_of(
            model_at(server),
            store=store,
            requests=requests,
            ration=Ration(Allowance.of_check(budget), uncounted_max=8),
        )
        for budget in (first or Budget(), Budget())
    )
    return one, other


async def asked(session: Session, server: OpenAIServer, sample: int = 0) -> asyncio.Task[Reply]:
    """The request of this session, once the server has one more, or a moment has passed."""
    before = len(server.requests)
    task = asyncio.create_task(session.reply(PROMPT, sample))
    for _ in range(30):
        await asyncio.sleep(0.01)
        if len(server.requests) > before:
            break
    return task


async def cancelled(task: asyncio.Task[Reply]) -> asyncio.CancelledError:
    task.cancel()
    await asyncio.wait([task])
    with pytest.raises(asyncio.CancelledError) as raised:
        task.exception()
    return raised.value


async def test_what_two_want_at_once_is_asked_for_once(store: Store) -> None:
    with OpenAIServer([slow]) as server:
        one, other = two_of(server, store)
        paying, joining = await asyncio.gather(await asked(one, server), await asked(other, server))
        assert (paying.text, paying.cached) == ("fine", False)
        assert joining == replace(paying, cached=True)
        assert len(server.requests) == 1
    assert (one.cost.paid.requests, other.cost.paid.requests) == (1, 0)


async def test_a_request_goes_on_as_long_as_anybody_waits_for_it(store: Store) -> None:
    with OpenAIServer([slow, stall(30)]) as server:
        first, second = two_of(server, store)
        one, other = await asked(first, server), await asked(second, server)
        assert not isinstance(await cancelled(one), NeverSent)
        assert (await other).text == "fine"
        assert (len(server.requests), server.hang_ups) == (1, 0)
        assert (await first.reply(PROMPT, 0)).cached
        one, other = await asked(first, server, 1), await asked(second, server, 1)
        # Who has only waited along has sent nothing.
        assert isinstance(await cancelled(other), NeverSent)
        assert server.hang_ups == 0
        assert not isinstance(await cancelled(one), NeverSent)
        while not server.hang_ups:
            await asyncio.sleep(0.01)
        assert len(server.requests) == 2


async def test_the_spent_budget_of_one_check_is_not_that_of_another(store: Store) -> None:
    with OpenAIServer([slow]) as server:
        poor, rich = two_of(server, store, Budget(requests_per_check=1))
        # The second request of the first check waits for its first one, and is refused then.
        first, waiting = await asked(poor, server), await asked(poor, server, sample=1)
        joining = await asked(rich, server, sample=1)
        assert (await first).text == "fine"
        with pytest.raises(BudgetSpent):
            await waiting
        reply = await joining
        assert (reply.text, reply.cached) == ("fine", False)
        assert len(server.requests) == 2


class Ending:
    """Ends with `failure` when it is told to, or when it is cancelled."""

    name = "ending"

    def __init__(self, failure: BaseException) -> None:
        self.failure = failure
        self.told = asyncio.Event()

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        try:
            await self.told.wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            raise self.failure from None
        raise self.failure


@pytest.mark.parametrize(
    ("failure", "fate", "paid"),
    [
        (ModelUnavailable("no connection", sent=False), NeverSent, 0),
        (ModelUnavailable("refused", sent=True), RefusedMeanwhile, 1),
    ],
)
async def test_a_failure_in_the_moment_of_a_cancellation_says_what_the_request_has_cost(
    failure: ModelUnavailable, fate: type[asyncio.CancelledError], paid: int
) -> None:
    model = Ending(failure)
    session = session_of(model)
    task = asyncio.create_task(session.reply(PROMPT, 0))
    await settled()
    model.told.set()
    # The failing task goes first.
    await asyncio.sleep(0)
    assert isinstance(await cancelled(task), fate)
    assert (session.cost.paid, session.cost.failed) == (Usage(paid), paid)


@pytest.mark.parametrize("fate", [NeverSent, RefusedMeanwhile])
async def test_who_is_cancelled_twice_learns_what_the_request_has_cost(
    fate: type[asyncio.CancelledError],
) -> None:
    """As those are whose draw is given up: once for that, and once more as it is closed."""
    task = asyncio.create_task(session_of(Ending(fate())).reply(PROMPT, 0))
    await settled()
    task.cancel()
    await asyncio.sleep(0)
    assert isinstance(await cancelled(task), fate)


# -------------------------------------------------------------------------------- who goes ahead


class Asked:
    """Notes the samples that were asked for; each waits until it is answered."""

    name = "asked"

    def __init__(self) -> None:
        self.samples: list[int] = []
        self.answered: dict[int, asyncio.Future[None]] = {}

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        self.samples.append(sample)
        self.answered[sample] = asyncio.get_running_loop().create_future()
        await self.answered[sample]
        return Reply("text", sample, Usage(1), cached=False)


def led(*asked: Asked, caches: bool = True, is_known: bool = True) -> Session:
    """A session with these models, which were asked before if they are known."""
    members: list[PanelMember] = []
    for each in asked:
        endpoint = Endpoint("http://127.0.0.1:9/v1", "m")
        with memory_store() as store:
            if is_known:
                LearntDialect(endpoint, store).keep(Dialect(caches=caches))
            members.append(PanelMember(each, LearntDialect(endpoint, store)))
    return Session(members, led="candidate")


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("is_known", [False, True])
async def test_the_others_wait_until_the_first_is_answered_or_has_failed(
    fails: bool, is_known: bool
) -> None:
    """For a prompt in the endpoint's cache, or for what the model's first reply teaches."""
    asked = Asked()
    session = led(asked, is_known=is_known)
    tasks = [asyncio.create_task(session.reply(LONG, sample)) for sample in range(3)]
    await settled()
    assert asked.samples == [0]
    # Who is stopped while waiting was never sent.
    stopped = asyncio.create_task(session.reply(LONG, 9))
    await settled()
    assert isinstance(await cancelled(stopped), NeverSent)
    if fails:
        asked.answered[0].set_exception(ModelUnavailable("down"))
    else:
        asked.answered[0].set_result(None)
    await settled()
    assert asked.samples == [0, 1, 2]
    # The first of the next round is not the first of the prompt.
    tasks += [asyncio.create_task(session.reply(LONG, sample)) for sample in (3, 4)]
    await settled()
    assert asked.samples == [0, 1, 2, 3, 4]
    await ended(tasks)


@pytest.mark.parametrize(
    ("prompt", "caches"),
    [(LONG, False), (PROMPT, True), (replace(LONG, name="solution"), True)],
)
async def test_nobody_waits_where_nothing_is_gained(prompt: Prompt, caches: bool) -> None:
    asked = Asked()
    session = led(asked, caches=caches)
    tasks = [asyncio.create_task(session.reply(prompt, sample)) for sample in range(3)]
    await settled()
    assert asked.samples == [0, 1, 2]
    await ended(tasks)


@pytest.mark.parametrize("quicker", [0, 1])
async def test_a_panel_asks_in_the_order_of_the_samples_whoever_is_quicker(quicker: int) -> None:
    asked = Asked()
    session = led(asked, asked)
    tasks = [asyncio.create_task(session.reply(LONG, each)) for each in range(6)]
    await settled()
    assert asked.samples == [0, 1]
    for first in (quicker, 1 - quicker):
        asked.answered[first].set_result(None)
        await settled()
    assert asked.samples == [0, 1, 2, 3, 4, 5]
    await ended(tasks)


async def ended(tasks: list[asyncio.Task[Reply]]) -> None:
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
