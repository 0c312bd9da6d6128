"""Who goes ahead, who waits, and in which order those who waited are let through."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from assay_engine.config.settings import Endpoint
from assay_engine.errors import ModelUnavailable
from assay_engine.models import LearntDialect, PanelMember, Session
from assay_engine.models.dialect import Dialect
from assay_engine.models.slots import NeverSent
from assay_engine.store import memory_store
from assay_engine.types import Prompt, Reply, Usage

PROMPT = Prompt("candidate", 1, "", "word " * 1000, 0.7, 100)


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


def led(*asked: Asked, caches: bool = True) -> Session:
    """A session with models that were asked before, so that their first request is not alone."""
    members: list[PanelMember] = []
    for each in asked:
        endpoint = Endpoint("http://127.0.0.1:9/v1", "m")
        with memory_store() as store:
            LearntDialect(endpoint, store).keep(Dialect(caches=caches))
            members.append(PanelMember(each, LearntDialect(endpoint, store)))
    return Session(members, led="candidate")


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("fails", [False, True])
async def test_the_others_wait_until_the_first_is_answered_or_has_failed(fails: bool) -> None:
    asked = Asked()
    model = led(asked)
    tasks = [asyncio.create_task(model.reply(PROMPT, sample)) for sample in range(3)]
    await settled()
    assert asked.samples == [0]
    if fails:
        asked.answered[0].set_exception(ModelUnavailable("down"))
    else:
        asked.answered[0].set_result(None)
    await settled()
    assert asked.samples == [0, 1, 2]
    # The first of the next round is not the first of the prompt.
    tasks += [asyncio.create_task(model.reply(PROMPT, sample)) for sample in (3, 4)]
    await settled()
    assert asked.samples == [0, 1, 2, 3, 4]
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize(
    ("prompt", "caches"),
    [
        (PROMPT, False),
        (replace(PROMPT, user="short"), True),
        (replace(PROMPT, name="solution"), True),
    ],
)
async def test_nobody_waits_where_nothing_is_gained(prompt: Prompt, caches: bool) -> None:
    asked = Asked()
    model = led(asked, caches=caches)
    tasks = [asyncio.create_task(model.reply(prompt, sample)) for sample in range(3)]
    await settled()
    assert asked.samples == [0, 1, 2]
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("quicker", [0, 1])
async def test_a_panel_asks_in_the_order_of_the_samples_whoever_is_quicker(quicker: int) -> None:
    asked = Asked()
    model = led(asked, asked)
    tasks = [asyncio.create_task(model.reply(PROMPT, each)) for each in range(6)]
    await settled()
    assert asked.samples == [0, 1]
    for first in (quicker, 1 - quicker):
        asked.answered[first].set_result(None)
        await settled()
    assert asked.samples == [0, 1, 2, 3, 4, 5]
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_who_is_stopped_while_waiting_was_never_sent() -> None:
    asked = Asked()
    model = led(asked)
    first, other = (asyncio.create_task(model.reply(PROMPT, sample)) for sample in range(2))
    await settled()
    other.cancel()
    with pytest.raises(NeverSent):
        await other
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert asked.samples == [0]
