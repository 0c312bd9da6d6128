"""What a judge works with in tests: real sandboxes, and a model asked over HTTP on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.methods.trails.values import Judgement
from assay_engine.models import OpenAIModel
from assay_engine.sampling.asking import Asking
from support.judging_reader import Reader
from support.openai_server import OpenAIServer


def run(reader: Reader, judge: Callable[[Asking], Awaitable[Judgement]]) -> Judgement:
    """The judge, asking the reader over HTTP."""

    async def judging(base_url: str) -> Judgement:
        model = OpenAIModel(Endpoint(base_url, "test-model"), Sampling(request_seconds=20))
        return await judge(Asking.in_slots(model, Sampling(draw_seconds=30)))

    with OpenAIServer(reader) as server:
        return asyncio.run(judging(server.base_url))
