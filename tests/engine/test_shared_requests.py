"""Checks that want the same of a model at once: who asks, who pays and when a request ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay_engine.config.settings import Budget, Endpoint, Sampling
from assay_engine.errors import BudgetSpent, ModelUnavailable
from assay_engine.models import Allowance, OpenAIModel, Ration, Session
from assay_engine.models.slots import NeverSent, RefusedMeanwhile
from assay_engine.single_flight import SingleFlight
from assay_engine.store import Store, memory_store, open_store
from assay_engine.types import Prompt, Reply
from support.openai_server import Exchange, OpenAIServer, ok, stall
from support.sessions import session_of

PROMPT = Prompt("candidate", 1, "sys", "def f(): ...", 1.0, 100)


def slow(exchange: Exchange) -> None:
    if exchange.wait(0.5):
        ok("fine")(exchange)
    else:
        exchange.server.script.hang_ups += 1


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "cache.db") as opened:
        yield opened


def two_of(
    server: OpenAIServer, store: Store, first: Budget | None = None
) -> tuple[Session, Session]:
    """The models of two checks that share what is under way, the first with a budget of its own."""
    requests = SingleFlight[Reply]()
    budgets = (first or Budget(), Budget())
    one, other = (
        session_of(
            OpenAIModel(Endpoint(server.base_url, "test-model"), Sampling(retries=0)),
            store=store,
            requests=requests,
            ration=Ration(Allowance.of_check(budget), uncounted_max=8),
        )
        for budget in budgets
    )
    return one, other


async def asked(model: Session, server: OpenAIServer, sample: int = 0) -> asyncio.Task[Reply]:
    """The request of this model, once the server has one more, or a moment has passed."""
    before = len(server.requests)
    task = asyncio.create_task(model.reply(PROMPT, sample))
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
        tasks = [await asked(model, server) for model in two_of(server, store)]
        paying, joining = await asyncio.gather(*tasks)
        assert (paying.text, paying.cached) == ("fine", False)
        assert joining == replace(paying, cached=True)
        assert len(server.requests) == 1


async def test_a_request_goes_on_as_long_as_anybody_waits_for_it(store: Store) -> None:
    with OpenAIServer([slow]) as server:
        first, second = two_of(server, store)
        one, other = await asked(first, server), await asked(second, server)
        assert not isinstance(await cancelled(one), NeverSent)
        assert (await other).text == "fine"
        assert (len(server.requests), server.hang_ups) == (1, 0)
        assert (await first.reply(PROMPT, 0)).cached


async def test_a_request_that_nobody_waits_for_ends(store: Store) -> None:
    with OpenAIServer([stall(30)]) as server:
        one, other = [await asked(model, server) for model in two_of(server, store)]
        # Who has only waited along has sent nothing.
        assert isinstance(await cancelled(other), NeverSent)
        assert server.hang_ups == 0
        assert not isinstance(await cancelled(one), NeverSent)
        while not server.hang_ups:
            await asyncio.sleep(0.01)
        assert len(server.requests) == 1


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


async def test_who_is_cancelled_as_the_request_fails_to_leave_has_sent_nothing() -> None:
    """The failure and the cancellation come in one turn of the loop."""
    failing = asyncio.Event()

    class Unreachable:
        name = "unreachable"

        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            await failing.wait()
            raise ModelUnavailable("no connection", sent=False)

    with memory_store() as store:
        task = asyncio.create_task(session_of(Unreachable(), store=store).reply(PROMPT, 0))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        failing.set()
        # The failing task goes first.
        await asyncio.sleep(0)
        assert isinstance(await cancelled(task), NeverSent)


@pytest.mark.parametrize("fate", [NeverSent, RefusedMeanwhile])
async def test_who_is_cancelled_twice_learns_what_the_request_has_cost(
    fate: type[asyncio.CancelledError],
) -> None:
    """As those are whose draw is given up: once for that, and once more as it is closed."""

    class Slow:
        name = "slow"

        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                raise fate from None
            raise AssertionError

    with memory_store() as store:
        task = asyncio.create_task(session_of(Slow(), store=store).reply(PROMPT, 0))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        assert isinstance(await cancelled(task), fate)
