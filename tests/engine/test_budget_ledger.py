"""The ledger: a day's limit that holds across requests, checks and processes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from assay_engine.config.settings import Budget, Endpoint, Sampling
from assay_engine.errors import BudgetSpent, ModelUnavailable, ReplyUnusable
from assay_engine.models import (
    Allowance,
    Ledger,
    OpenAIModel,
    Ration,
    Session,
)
from assay_engine.models.counting import estimated_cost
from assay_engine.sampling.sampling import draw
from assay_engine.store import Store, memory_store, open_store
from assay_engine.types import Model, Price, Prompt, Reply, Usage
from support.openai_server import (
    Behaviour,
    OpenAIServer,
    answer,
    completion,
    drop,
    empty_choice,
    empty_choices,
    huge,
    ok,
    stall,
    status,
)
from support.sessions import session_of

TODAY = date(2026, 1, 2)
TOMORROW = date(2026, 1, 3)
PROMPT = Prompt("candidate", 1, "x" * 35, "x" * 35, 1.0, 80)
SENT = 20  # 70 bytes / 3.5
COST = 100  # and 80 at most for the reply


AMPLE = 10**6


def ledger_of(store: Store, tokens: int = AMPLE, day: date = TODAY) -> Ledger:
    return Ledger(store, Budget(tokens_per_day=tokens), today=lambda: day)


def model_at(server: OpenAIServer, **changes: float) -> OpenAIModel:
    sampling = Sampling(**{"request_seconds": 30.0, "retries": 0} | changes)
    return OpenAIModel(Endpoint(server.base_url, "test-model"), sampling)


def test_a_limit_stops_before_it_is_passed_and_names_itself() -> None:
    with memory_store() as store:
        ledger = ledger_of(store, 400)
        for _ in range(4):
            ledger.reserve(100)
        with pytest.raises(BudgetSpent) as caught:
            ledger.reserve(100)
    assert str(caught.value) == (
        "The budget of today is 400 tokens, 400 are spent or reserved and this request may take "
        "100; raise budget.tokens_per_day to go on."
    )


def test_settling_gives_back_what_was_not_spent() -> None:
    with memory_store() as store:
        ledger = ledger_of(store, 100)
        reservation = ledger.reserve(100)
        with pytest.raises(BudgetSpent):
            ledger.reserve(1)
        ledger.settle(reservation, Usage(1, 10, 20))
        assert ledger.day().tokens == 30
        ledger.reserve(70)


def test_a_day_has_a_price_where_that_of_all_that_was_used_is_known() -> None:
    with memory_store() as store:
        ledger = ledger_of(store, 1000)
        assert ledger.day().price is None
        for amount in (0.25, 0.5):
            ledger.settle(ledger.reserve(100), Usage(1, 10, 20), Price(amount, "USD"))
        # Neither what is under way, nor what was refused, has taken anything.
        ledger.reserve(100)
        ledger.settle(ledger.reserve(100), Usage(1))
        assert ledger.day().price == Price(0.75, "USD")
        ledger.settle(ledger.reserve(100), Usage(1, 10, 20))
        assert ledger.day().price is None


def test_checks_share_a_day(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.sqlite3") as store:
        for _ in range(2):
            ledger_of(store, 250).reserve(100)
        with pytest.raises(BudgetSpent, match="tokens_per_day"):
            ledger_of(store, 250).reserve(100)
        ledger_of(store, 250, TOMORROW).reserve(100)
        day = ledger_of(store).day()
        assert (day.tokens, day.reserved_tokens) == (0, 200)


def test_a_ledger_whose_file_fails_goes_on_counting_from_what_it_knew(tmp_path: Path) -> None:
    store = open_store(tmp_path / "ledger.sqlite3")
    ledger_of(store).reserve(100)
    # What the file cannot be told stands as reserved.
    ledger = ledger_of(store, 350)
    reservation = ledger.reserve(100)
    store.close()
    ledger.settle(reservation, Usage(1, 1))
    ledger.reserve(100)
    with pytest.raises(BudgetSpent, match="tokens_per_day"):
        ledger.reserve(100)


RESERVING = """
import datetime, sys
from pathlib import Path
from assay_engine.config.settings import Budget
from assay_engine.errors import BudgetSpent
from assay_engine.models import Ledger
from assay_engine.store import open_store

budget = Budget(tokens_per_day=1000)
ledger = Ledger(open_store(Path(sys.argv[1])), budget, today=lambda: datetime.date(2026, 1, 2))
allowed = 0
try:
    while True:
        ledger.reserve(10)
        allowed += 1
except BudgetSpent:
    print(allowed)
"""


def test_processes_together_do_not_pass_the_days_limit(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    running = [
        subprocess.Popen([sys.executable, "-c", RESERVING, path], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert sum(int(process.communicate()[0]) for process in running) == 100


async def test_a_request_is_reserved_at_its_estimate_and_settled_at_what_it_took() -> None:
    assert estimated_cost(PROMPT) == COST
    with memory_store() as store, OpenAIServer([ok("fine")]) as server:
        ledger = ledger_of(store, COST)
        await session_of(model_at(server), ledger=ledger).reply(PROMPT, 0)
        assert ledger.day().tokens == 18


async def test_what_the_budget_forbids_is_not_sent() -> None:
    with memory_store() as store, OpenAIServer([ok("fine")]) as server:
        ledger = ledger_of(store, COST - 1)
        with pytest.raises(BudgetSpent):
            await session_of(model_at(server), ledger=ledger).reply(PROMPT, 0)
        assert server.requests == ()


@pytest.mark.parametrize(
    ("fault", "seconds", "requests", "tokens"),
    [
        pytest.param(status(500), 30.0, 1, 0, id="refused: nothing was written"),
        pytest.param(drop, 30.0, 1, SENT, id="broken off: the prompt was sent"),
        pytest.param(stall(), 0.5, 1, COST, id="out of time: all of it may have been written"),
        pytest.param(huge, 30.0, 1, COST, id="too large: at least that was written"),
        pytest.param(empty_choice, 30.0, 1, 18, id="of no use: what the server says"),
        pytest.param(empty_choices, 30.0, 1, 0, id="no completion: nothing was written"),
        pytest.param(answer(completion("", usage=None)), 30.0, 1, SENT, id="without usage"),
    ],
)
async def test_a_request_without_a_reply_counts_for_what_it_may_have_used(
    fault: Behaviour, seconds: float, requests: int, tokens: int
) -> None:
    with memory_store() as store, OpenAIServer([fault]) as server:
        ledger = ledger_of(store)
        model = session_of(model_at(server, request_seconds=seconds), ledger=ledger)
        with pytest.raises((ModelUnavailable, ReplyUnusable)):
            await model.reply(PROMPT, 0)
        assert (model.cost.paid.requests, model.cost.paid.tokens) == (requests, tokens)
        assert ledger.day().tokens == tokens


async def test_what_never_left_costs_nothing() -> None:
    with OpenAIServer([ok("fine")]) as server:
        gone = model_at(server)
    with memory_store() as store:
        ledger = ledger_of(store)
        with pytest.raises(ModelUnavailable, match="cannot be reached"):
            await session_of(gone, ledger=ledger).reply(PROMPT, 0)
        assert ledger.day().tokens == 0


async def test_a_cancelled_request_counts_for_its_prompt() -> None:
    with memory_store() as store, OpenAIServer([stall()]) as server:
        ledger = ledger_of(store)
        asking = session_of(model_at(server, request_seconds=60.0), ledger=ledger)
        task = asyncio.create_task(asking.reply(PROMPT, 0))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert ledger.day().tokens == SENT


async def test_a_request_that_is_cancelled_after_it_was_refused_costs_nothing() -> None:
    """The SDK waits before it tries again: nothing is under way meanwhile."""
    refusing = status(429, headers={"Retry-After": "30"})
    with memory_store() as store, OpenAIServer([refusing]) as server:
        ledger = ledger_of(store)
        sampling = Sampling(request_seconds=60.0, retries=2)
        model = OpenAIModel(Endpoint(server.base_url, "test-model"), sampling)
        counting = session_of(model, ledger=ledger, store=store)
        task = asyncio.create_task(counting.reply(PROMPT, 0))
        while not server.requests:
            await asyncio.sleep(0.01)
        # Its answer has been read by then; what waits is the next attempt.
        await asyncio.sleep(2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert len(server.requests) == 1
        assert ledger.day().tokens == 0
        assert (counting.cost.paid, counting.cost.failed) == (Usage(1), 1)


class InTurn:
    """Answers after so many seconds by sample; every reply takes `tokens`."""

    name = "in-turn"

    def __init__(self, tokens: int, seconds: Callable[[int], float]) -> None:
        self._tokens, self._seconds = tokens, seconds
        self.asked: list[int] = []

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        self.asked.append(sample)
        await asyncio.sleep(self._seconds(sample))
        return Reply("fine", sample, Usage(1, self._tokens, 0), cached=False)


Meter = Callable[[Model, Store, int], Session]


def by_day(inner: Model, store: Store, tokens: int) -> Session:
    return session_of(inner, ledger=ledger_of(store, tokens))


def by_check(inner: Model, _: Store, tokens: int) -> Session:
    ration = Ration(Allowance.of_check(Budget(tokens_per_check=tokens)), 8)
    return session_of(inner, ration=ration)


@pytest.mark.parametrize("meter", [by_day, by_check])
@pytest.mark.parametrize(
    "seconds",
    [
        pytest.param(lambda _: 0, id="at once, as out of a cache"),
        pytest.param(lambda sample: 0.01 * sample, id="in order"),
        pytest.param(lambda sample: 0.1 - 0.01 * sample, id="the last one first"),
    ],
)
async def test_how_long_replies_take_does_not_decide_which_the_budget_allows(
    seconds: Callable[[int], float], meter: Meter
) -> None:
    """What is under way is reserved at the longest reply, and mostly takes far less."""
    tokens = COST // 4
    with memory_store() as store:
        inner = InTurn(tokens, seconds)
        model = meter(inner, store, COST + 5 * tokens)
        drawn = await draw(model, PROMPT, range(10), deadline_seconds=60, concurrency=8)
    assert [reply.sample for reply in drawn.replies] == inner.asked == list(range(6))
    (problem,) = drawn.problems
    assert problem.message.startswith("4 of 10 requests could not be sent")


@pytest.mark.parametrize("meter", [by_day, by_check])
async def test_who_waits_for_room_in_the_budget_has_sent_nothing(meter: Meter) -> None:
    with memory_store() as store:
        counting = meter(InTurn(1, lambda _: 60), store, COST)
        tasks = [asyncio.create_task(counting.reply(PROMPT, sample)) for sample in range(2)]
        await asyncio.sleep(0.05)
        tasks[1].cancel()
        await asyncio.gather(tasks[1], return_exceptions=True)
        assert (counting.cost.paid, counting.cost.failed) == (Usage(), 0)
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_the_day_knows_what_was_read_cached_and_written() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 64},
    }
    with (
        OpenAIServer([answer(completion("x" * 60, usage=usage))]) as server,
        memory_store() as kept,
    ):
        ledger = ledger_of(kept)
        reply = await session_of(model_at(server), ledger=ledger).reply(PROMPT, 0)
    assert reply.usage == Usage(1, 100, 20, 64)
