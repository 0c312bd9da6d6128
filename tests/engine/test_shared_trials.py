"""Checks that want the report of one function at once: who tries it, and when its trial ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay_engine.config.configuration import EngineOptions
from assay_engine.engine import Engine
from assay_engine.types import Report, SourceText
from support.check_workspace import RIGHT_MODULE, answering
from support.openai_server import Behaviour, Exchange, OpenAIServer, Request

# Two functions that take all of a check's slots before the one of `RIGHT_MODULE`.
LATER = "\n\n".join([RIGHT_MODULE.replace("clamp", name) for name in ("one", "two", "clamp")])
# Four candidates, and one set of inputs.
REQUESTS = 5


class Held:
    """Answers about `clamp` once it may, and about others later. Its first reply, before which it
    is asked nothing else, comes at once."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.may_others = threading.Event()
        self.answer = answering()

    def __call__(self, request: Request) -> Behaviour:
        answer = self.answer(request)
        if request.number == 0:
            return answer
        about_clamp = "def clamp(" in request.body["messages"][-1]["content"]
        may = self.may if about_clamp else self.may_others

        def behave(exchange: Exchange) -> None:
            while not may.is_set():
                if not exchange.wait(0.05):
                    exchange.server.script.hang_ups += 1
                    return
            answer(exchange)

        return behave


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def server(held: Held) -> Iterator[OpenAIServer]:
    with OpenAIServer(held) as started:
        yield started


@pytest.fixture
def engine(server: OpenAIServer, tmp_path: Path) -> Iterator[Engine]:
    environment = {"ASSAY_BASE_URL": server.base_url, "ASSAY_MODEL": "m"}
    options = EngineOptions(store_path=str(tmp_path / "store.db"), environment=environment)
    with Engine.open(options) as opened:
        yield opened


async def begun(
    engine: Engine, text: str = RIGHT_MODULE, *, again: bool = False
) -> asyncio.Task[list[Report]]:
    """A check that has joined what is under way."""
    joined = asyncio.Event()

    async def check() -> list[Report]:
        source = SourceText("limits.py", text, None)
        reports = engine.check(source, again=again, begun=joined.set)
        return [report async for report in reports]

    task = asyncio.create_task(check())
    await joined.wait()
    return task


async def asked(server: OpenAIServer) -> None:
    while len(server.requests) < REQUESTS:
        await asyncio.sleep(0.01)


async def ended(task: asyncio.Task[list[Report]]) -> None:
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize("again", [False, True])
async def test_a_newer_check_takes_over_the_trial_of_a_former_one(
    engine: Engine, server: OpenAIServer, held: Held, again: bool
) -> None:
    former = await begun(engine)
    await asked(server)
    newer = await begun(engine, again=again)
    await ended(former)
    held.may.set()
    (report,) = await newer
    assert (len(server.requests), server.hang_ups) == (REQUESTS, 0)
    # The trial that has paid for the replies goes on: another would have had them for nothing.
    assert report.cost.paid.requests == REQUESTS


async def test_a_trial_that_was_taken_over_and_has_ended_is_not_repeated(
    engine: Engine, server: OpenAIServer, held: Held
) -> None:
    former = await begun(engine)
    await asked(server)
    newer = await begun(engine, LATER, again=True)
    held.may.set()
    (tried,) = await former
    held.may_others.set()
    *_, taken_over = await newer
    assert taken_over == replace(tried, line=taken_over.line)


async def test_a_trial_ends_with_the_last_check_that_waits_for_it(
    engine: Engine, server: OpenAIServer
) -> None:
    former = await begun(engine)
    await asked(server)
    newer = await begun(engine)
    await ended(former)
    assert server.hang_ups == 0
    await ended(newer)
    while server.hang_ups < REQUESTS - 1:
        await asyncio.sleep(0.01)
    assert len(server.requests) == REQUESTS
