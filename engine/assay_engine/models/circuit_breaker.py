"""Stops asking an endpoint that answers no request at all, until somebody tries again."""

from __future__ import annotations

from assay_engine.errors import ModelError, ModelUnavailable, ReplyUnusable
from assay_engine.models.failures import PromptRefused, PromptTooLong, RefusesAll
from assay_engine.types import Model, Prompt, Reply

# An endpoint is given up after this many requests without any answer, with this many different
# prompts: a filter may turn away a single prompt.
FAILURES_MAX = 10
PROMPTS_MAX = 3


class CircuitBreaker:
    """A model that meets a lasting refusal only once, and not again for every function.

    A prompt that is refused for its length is not sent again either.

    It also stops asking where all requests so far have failed, for whatever reason. Where an answer
    has come as well, the endpoint is only busy, and every request is tried.
    """

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model
        self.try_again()

    def try_again(self) -> None:
        """Forget the failures so far: whoever asks now may have mended their cause."""
        self._refusal: ModelError | None = None
        self._answered = False
        self._failures = 0
        self._prompts: set[Prompt] = set()
        self._too_long: dict[str, PromptRefused] = {}

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if self._refusal is not None:
            raise RefusesAll(
                str(self._refusal), seen=self._refusal.seen, mention=self._refusal.mention
            )
        if (refused := self._too_long.get(prompt.user)) is not None:
            raise PromptTooLong(str(refused), seen=refused.seen, mention=refused.mention)
        try:
            reply = await self._model.reply(prompt, sample)
        except PromptRefused as failure:
            self._answered = True
            self._too_long[prompt.user] = failure
            raise
        except (ModelUnavailable, ReplyUnusable) as failure:
            self._failures += 1
            self._prompts.add(prompt)
            lasts = self._failures >= FAILURES_MAX and len(self._prompts) >= PROMPTS_MAX
            if not self._answered and (lasts or isinstance(failure, RefusesAll)):
                self._refusal = failure
            raise
        self._answered, self._refusal = True, None
        return reply
