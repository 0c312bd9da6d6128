"""The limits of a check, and of a triangulation: counted in the order of requests."""

from __future__ import annotations

import asyncio

import pytest

from assay_engine.config.settings import Budget, Endpoint, Sampling, Thorough
from assay_engine.errors import BudgetSpent, ModelUnavailable
from assay_engine.models import Allowance, OpenAIModel, Ration, Session
from assay_engine.models.counting import estimated_cost
from assay_engine.sampling.sampling import draw
from assay_engine.store import memory_store
from assay_engine.types import ProblemKind, Prompt, Reply, Usage
from support.openai_server import OpenAIServer, ok
from support.sessions import session_of

ASKED = Prompt("solution", 1, "", "x" * 35, 1.0, 90)
COST = estimated_cost(ASKED)
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
    tasks = [asyncio.create_task(model.reply(ASKED, sample)) for sample in range(count)]
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
        f"The budget of {spent} are spent or reserved and this request may take {wanted}; "
        f"raise {setting} to go on."
    )


async def test_what_an_earlier_part_of_the_same_check_took_counts() -> None:
    allowance = Allowance.of_check(Budget(requests_per_check=3, tokens_per_check=COST + 70))
    rationed = session_of(Patient(), ration=Ration(allowance, 8, Usage(2, 40, 31)))
    with pytest.raises(BudgetSpent, match="tokens_per_check"):
        await rationed.reply(ASKED, 0)
    rationed = session_of(Patient(), ration=Ration(allowance, 8, Usage(3, 40, 30)))
    with pytest.raises(BudgetSpent, match="requests_per_check"):
        await rationed.reply(ASKED, 0)


async def test_what_was_never_sent_leaves_its_room_to_others() -> None:
    class Unreachable:
        name = "unreachable"

        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            raise ModelUnavailable("no connection", sent=False)

    allowance = Allowance.of_check(Budget(requests_per_check=1))
    rationed = session_of(Unreachable(), ration=Ration(allowance, 8))
    for sample in range(3):
        with pytest.raises(ModelUnavailable):
            await rationed.reply(ASKED, sample)


async def test_a_draw_keeps_what_the_budget_allowed_and_the_cache_is_free() -> None:
    with memory_store() as store, OpenAIServer([ok("fine")]) as server:

        def model() -> Session:
            allowance = Allowance.of_check(Budget(requests_per_check=4))
            endpoint = OpenAIModel(Endpoint(server.base_url, "test-model"), Sampling())
            return session_of(endpoint, store=store, ration=Ration(allowance, 2))

        first = await draw(model(), ASKED, range(10), deadline_seconds=60, concurrency=1)
        assert len(first.replies) == 4
        (problem,) = first.problems
        assert problem.kind is ProblemKind.BUDGET_SPENT
        assert problem.message.startswith(
            "6 of 10 requests could not be sent: The budget of this check is 4"
        )
        second = await draw(model(), ASKED, range(10), deadline_seconds=60, concurrency=1)
        assert len(second.replies) == 8
        assert len(server.requests) == 8
