"""Replies that were not published, written by readers: out of a transcript, and into it."""

from __future__ import annotations

from pathlib import Path

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import TranscriptMiss
from assay_engine.models import OpenAIModel, PanelMember, Recorder, ReplayModel, Session
from assay_engine.types import Model, Prompt, Reply


class Resuming:
    """Replies out of a transcript, and out of a model where it has none."""

    def __init__(self, path: Path, inner: Model) -> None:
        self.name = inner.name
        self._inner = inner
        self._known = ReplayModel(path) if path.exists() and path.stat().st_size else None

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if self._known is not None:
            try:
                return await self._known.reply(prompt, sample)
            except TranscriptMiss:
                pass
        return await self._inner.reply(prompt, sample)


def readers(replies: Path, base_url: str, model: str, sampling: Sampling) -> Model:
    """Out of the transcript alone, or, with an endpoint, from there what it does not hold yet.

    Prompts are not written down, since they hold the benchmarks' own texts.
    """
    if not base_url:
        return ReplayModel(replies)
    asked = OpenAIModel(Endpoint(base_url, model), sampling)
    return Session(
        [PanelMember(Resuming(replies, asked))],
        recorder=Recorder(replies, model, prompts=False),
    )
