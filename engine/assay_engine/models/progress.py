"""Reports how many replies have come: with a slow model, replies are what takes time."""

from __future__ import annotations

from collections.abc import Callable

from assay_engine.types import Model, Prompt, Reply


class ProgressModel:
    """Passes on the replies of `inner`, and tells `heard` after each how many have come."""

    def __init__(self, inner: Model, heard: Callable[[int], None]) -> None:
        self._inner = inner
        self._heard = heard
        self._count = 0

    @property
    def name(self) -> str:
        return self._inner.name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        reply = await self._inner.reply(prompt, sample)
        self._count += 1
        self._heard(self._count)
        return reply
