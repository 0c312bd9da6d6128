"""What a judge works with in tests: real sandboxes, and a model asked over HTTP on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from assay_engine.judging import Asking, Judgement
from assay_engine.models import OpenAIModel
from assay_engine.reading.specification import specify
from assay_engine.reading.units import find_units
from assay_engine.running.laboratory import Laboratory
from assay_engine.settings import Endpoint, Sampling
from assay_engine.types import Specification
from assay_sandbox import Limits, Sandbox, Surroundings
from support.judging_reader import Reader
from support.openai_server import OpenAIServer


@contextmanager
def open_laboratory() -> Iterator[Laboratory]:
    with (
        Sandbox(workers=1) as first,
        Sandbox(workers=1, surroundings=Surroundings(hash_seed=1, random_seed=1)) as second,
    ):
        yield Laboratory(first, second, Limits())


def specified(source: str) -> Specification:
    """The specification of the first function of a text."""
    units, _ = find_units(source)
    return specify(source, units[0])


def run(reader: Reader, judge: Callable[[Asking], Awaitable[Judgement]]) -> Judgement:
    """The judge, asking the reader over HTTP."""

    async def judging(base_url: str) -> Judgement:
        model = OpenAIModel(Endpoint(base_url, "test-model"), Sampling(request_seconds=20))
        asking = Asking(model, deadline_seconds=30, slots=asyncio.Semaphore(8))
        return await judge(asking)

    with OpenAIServer(reader) as server:
        return asyncio.run(judging(server.base_url))
