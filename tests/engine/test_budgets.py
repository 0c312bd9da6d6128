"""The budgets of a check, a triangulation and a day: counted in the order of requests."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from assay_engine.config.settings import Budget, Endpoint, Sampling, Thorough
from assay_engine.errors import BudgetSpent, ModelUnavailable, ReplyUnusable
from assay_engine.models import Allowance, Day, Ledger, OpenAIModel, Ration, Session
from assay_engine.models.counting import estimated_cost
from assay_engine.sampling.sampling import draw
from assay_engine.store import Store, memory_store, open_store
from assay_engine.types import Model, Price, ProblemKind, Prompt, Reply, Usage
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


def test_the_days_limit_stops_before_it_is_passed_and_names_itself() -> None:
    with memory_store() as store:
        ledger = ledger_of(store, 400)
        for _ in range(4):
            ledger.reserve(100)
        with pytest.raises(BudgetSpent) as caught:
            ledger.reserve(100)
    assert str(caught.value) == (
        "The budget of today is 400 tokens, 400 are spent or reserved and this request may take "
        "100; raise budget.tokens_per_day to continue."
    )


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


async def test_a_request_is_reserved_at_its_estimate_and_settled_at_what_it_took() -> None:
    assert estimated_cost(PROMPT) == COST
    used = {"prompt_tokens": 70, "completion_tokens": 20}
    used |= {"prompt_tokens_details": {"cached_tokens": 64}}
    with (
        memory_store() as store,
        OpenAIServer([answer(completion("x" * 60, usage=used))]) as server,
    ):
        ledger = ledger_of(store, COST)
        session = session_of(model_at(server), ledger=ledger)
        await session.reply(PROMPT, 0)
        with pytest.raises(BudgetSpent):
            await session.reply(PROMPT, 1)
        assert len(server.requests) == 1
        assert ledger.day() == Day(1, 90, 0, 70, 64, 20)


async def test_what_was_never_sent_leaves_its_room_to_others() -> None:
    with OpenAIServer([ok("fine")]) as server:
        gone = model_at(server)
    with memory_store() as store:
        ledger = ledger_of(store, COST)
        ration = Ration(Allowance.of_check(Budget(requests_per_check=1)), 8)
        session = session_of(gone, ration=ration, ledger=ledger)
        for sample in range(3):
            with pytest.raises(ModelUnavailable, match="cannot be reached"):
                await session.reply(PROMPT, sample)
        assert (ledger.day().tokens, ledger.day().requests) == (0, 0)


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


CHECK = Allowance.of_check(Budget(requests_per_check=3))

TRIANGULATION = Allowance.of_triangulation(Thorough(tokens=250))


def tokens(limit: int) -> Allowance:
    return Allowance.of_check(Budget(tokens_per_check=limit))


class Patient:
    """Answers nothing until it is told to; a reply takes `tokens`."""

    name = "patient"

    def __init__(self, tokens: int = 1) -> None:
        self.tokens = tokens
        self.asked: list[int] = []
        self._waiting: dict[int, asyncio.Event] = {}

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        self.asked.append(sample)
        waiting = self._waiting.setdefault(len(self.asked) - 1, asyncio.Event())
        await waiting.wait()
        return Reply("fine", sample, Usage(1, self.tokens, 0), cached=False)

    async def answer(self, *numbers: int) -> None:
        """To requests by number, in the order in which they came."""
        for number in numbers:
            self._waiting[number].set()
        await settled()


async def settled() -> None:
    """Until all that can go on without a reply has done so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def begun(model: Session, count: int) -> list[asyncio.Task[Reply]]:
    tasks = [asyncio.create_task(model.reply(PROMPT, sample)) for sample in range(count)]
    await settled()
    return tasks


@pytest.mark.parametrize("answered", [(0, 1), (1, 0)])
async def test_what_a_reply_took_counts_when_it_is_its_turn(answered: tuple[int, int]) -> None:
    """The third fits beside what is set aside for two, and not beside what they take."""
    inner = Patient(tokens=2 * COST)
    tasks = await begun(session_of(inner, ration=Ration(tokens(3 * COST), 2)), 3)
    await inner.answer(*answered)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert inner.asked == [0, 1]
    assert isinstance(outcomes[2], BudgetSpent)
    assert f"{4 * COST} are spent or reserved" in str(outcomes[2])


async def test_a_request_waits_for_the_oldest_and_not_for_whichever_is_answered_first() -> None:
    inner = Patient()
    tasks = await begun(session_of(inner, ration=Ration(tokens(2 * COST), 8)), 3)
    await inner.answer(1)
    assert len(inner.asked) == 2
    await inner.answer(0)
    assert len(inner.asked) == 3
    await inner.answer(2)
    await asyncio.gather(*tasks)


async def test_a_limit_is_passed_by_no_more_than_what_is_under_way_takes_beyond() -> None:
    inner = Patient(tokens=4 * COST)
    tasks = await begun(session_of(inner, ration=Ration(tokens(20 * COST), 3)), 30)
    while not all(task.done() for task in tasks):
        # The last ones first, as far as they have been asked.
        await inner.answer(*reversed(range(len(inner.asked))))
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(each) for each in outcomes} == {Reply, BudgetSpent}
    assert len(inner.asked) * inner.tokens <= 20 * COST + 3 * (inner.tokens - COST)


@pytest.mark.parametrize(
    ("allowance", "allowed", "spent", "wanted"),
    [
        (CHECK, 3, "this check is 3 requests, 3", 1),
        (TRIANGULATION, 2, "this triangulation is 250 tokens, 200", COST),
    ],
)
async def test_a_limit_stops_before_it_is_passed_and_names_itself(
    allowance: Allowance, allowed: int, spent: str, wanted: int
) -> None:
    inner = Patient(tokens=COST)
    tasks = await begun(session_of(inner, ration=Ration(allowance, 8)), allowed + 1)
    await inner.answer(*range(allowed))
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert len(inner.asked) == allowed
    setting = "budget.requests_per_check" if allowance is CHECK else "thorough.tokens"
    assert str(outcomes[allowed]) == (
        f"The budget of {spent} are spent or reserved and this request may take {wanted}; raise "
        f"{setting} to continue."
    )


async def test_what_an_earlier_part_of_the_same_check_took_counts() -> None:
    allowance = Allowance.of_check(Budget(requests_per_check=3, tokens_per_check=COST + 70))
    rationed = session_of(Patient(), ration=Ration(allowance, 8, Usage(2, 40, 31)))
    with pytest.raises(BudgetSpent, match="tokens_per_check"):
        await rationed.reply(PROMPT, 0)
    rationed = session_of(Patient(), ration=Ration(allowance, 8, Usage(3, 40, 30)))
    with pytest.raises(BudgetSpent, match="requests_per_check"):
        await rationed.reply(PROMPT, 0)


async def test_a_draw_keeps_what_the_budget_allowed_and_the_cache_is_free() -> None:
    with memory_store() as store, OpenAIServer([ok("fine")]) as server:

        def model() -> Session:
            allowance = Allowance.of_check(Budget(requests_per_check=4))
            endpoint = OpenAIModel(Endpoint(server.base_url, "test-model"), Sampling())
            return session_of(endpoint, store=store, ration=Ration(allowance, 2))

        first = await draw(model(), PROMPT, range(10), deadline_seconds=60, concurrency=1)
        assert len(first.replies) == 4
        (problem,) = first.problems
        assert problem.kind is ProblemKind.BUDGET_SPENT
        assert problem.message.startswith(
            "6 of 10 requests could not be sent: The budget of this check is 4"
        )
        second = await draw(model(), PROMPT, range(10), deadline_seconds=60, concurrency=1)
        assert len(second.replies) == 8
        assert len(server.requests) == 8


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


async def test_who_gives_up_holds_up_nobody() -> None:
    """Neither one that is under way nor one that waits for its turn."""
    inner = Patient()
    tasks = await begun(session_of(inner, ration=Ration(tokens(20 * COST), 2)), 4)
    assert inner.asked == [0, 1]
    for given_up in (tasks[2], tasks[0]):
        given_up.cancel()
        await settled()
    assert inner.asked == [0, 1, 3]
    await inner.answer(1, 2)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(each, Reply) for each in outcomes] == [False, True, False, True]
