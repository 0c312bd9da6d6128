"""Asks an endpoint no further that refuses every request alike, until somebody asks anew."""

from __future__ import annotations

from assay_engine.models.failures import RefusesAll
from assay_engine.types import Model, Prompt, Reply


class RememberingModel:
    """A model that meets a refusal that lasts once, and not again for every function.

    Where an answer came, too, the endpoint is only busy, and every request is tried.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._refusal = ""
        self._answered = False

    @property
    def name(self) -> str:
        return self._model.name

    def try_again(self) -> None:
        """Whoever asks now may have mended what was wrong."""
        self._refusal, self._answered = "", False

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if self._refusal:
            raise RefusesAll(self._refusal)
        try:
            reply = await self._model.reply(prompt, sample)
        except RefusesAll as refusal:
            if not self._answered:
                self._refusal = str(refusal)
            raise
        self._answered, self._refusal = True, ""
        return reply
