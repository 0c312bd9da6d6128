"""Asks an endpoint no further that answers no request at all, until somebody asks anew."""

from __future__ import annotations

from assay_engine.errors import ModelError, ModelUnavailable, ReplyUnusable
from assay_engine.models.failures import RefusesAll
from assay_engine.types import Model, Prompt, Reply

# So many requests without any answer, with so many prompts: one alone a filter may turn away.
FAILURES_MAX = 10
PROMPTS_MAX = 3


class RememberingModel:
    """A model that meets a refusal that lasts once, and not again for every function.

    Nor are further functions asked about where all requests so far have failed, whatever by. Where
    an answer came, too, the endpoint is only busy, and every request is tried.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.try_again()

    @property
    def name(self) -> str:
        return self._model.name

    def try_again(self) -> None:
        """Whoever asks now may have mended what was wrong."""
        self._refusal: ModelError | None = None
        self._answered = False
        self._failures = 0
        self._prompts: set[Prompt] = set()

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if self._refusal is not None:
            raise RefusesAll(str(self._refusal), seen=self._refusal.seen)
        try:
            reply = await self._model.reply(prompt, sample)
        except (ModelUnavailable, ReplyUnusable) as failure:
            self._failures += 1
            self._prompts.add(prompt)
            lasts = self._failures >= FAILURES_MAX and len(self._prompts) >= PROMPTS_MAX
            if not self._answered and (lasts or isinstance(failure, RefusesAll)):
                self._refusal = failure
            raise
        self._answered, self._refusal = True, None
        return reply
