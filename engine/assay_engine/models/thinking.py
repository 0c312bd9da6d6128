"""Asks a model that thinks before it answers, with room for its thoughts."""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.errors import ModelError
from assay_engine.models.counting import used_by
from assay_engine.models.failures import RefusesAll, ThoughtAway
from assay_engine.models.learning import LearntDialect
from assay_engine.models.slots import telling_unsent
from assay_engine.types import Model, Prompt, Reply


class ThinkingModel:
    """Asks `inner` for replies that may be as long as their prompts say, thoughts not counted.

    A reply that is cut off in thought is asked for once more, with more room, which the next
    requests have from the beginning. Put it outside the budgets, which then count all of it. Of a
    model that nobody has asked yet, the first request goes alone, so that only one is cut off. If
    not even more room lets it come to an answer, it is not asked further.
    """

    def __init__(self, inner: Model, learnt: LearntDialect) -> None:
        self.name = inner.name
        self._inner = inner
        self._learnt = learnt

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        if self._learnt.is_known:
            return await self._asked(prompt, sample)
        with telling_unsent():
            await self._learnt.first.acquire()
        try:
            if not self._learnt.is_known:
                try:
                    return await self._asked(prompt, sample)
                finally:
                    self._learnt.is_known = True
        finally:
            self._learnt.first.release()
        return await self._asked(prompt, sample)

    async def _asked(self, prompt: Prompt, sample: int) -> Reply:
        if (hopeless := self._learnt.hopeless) is not None:
            raise RefusesAll(str(hopeless), seen=hopeless.seen)
        before = self._learnt.dialect
        asked = replace(prompt, max_tokens=before.longest(prompt.max_tokens))
        try:
            reply = await self._inner.reply(asked, sample)
        except ThoughtAway as cut:
            thought_away = cut
        else:
            self._learnt.has_answered = True
            return reply
        self._learn_from(thought_away, before.room)
        roomier = self._learnt.dialect
        if roomier == before:
            self._learnt.despair(thought_away)
            raise thought_away
        return await self._asked_again(
            replace(prompt, max_tokens=roomier.longest(prompt.max_tokens)),
            sample,
            thought_away,
            asked,
        )

    async def _asked_again(
        self, prompt: Prompt, sample: int, before: ThoughtAway, asked: Prompt
    ) -> Reply:
        spent = used_by(before, asked)
        try:
            reply = await self._inner.reply(prompt, sample)
        except ModelError as failure:
            if not failure.sent:
                raise before from None
            if isinstance(failure, ThoughtAway):
                self._learnt.despair(failure)
            spent += used_by(failure, prompt)
            failure.requests = spent.requests
            failure.prompt_tokens = spent.prompt_tokens
            failure.completion_tokens = spent.completion_tokens
            raise
        self._learnt.has_answered = True
        return replace(reply, usage=spent + reply.usage)

    def _learn_from(self, cut: ThoughtAway, room: int) -> None:
        known = self._learnt.dialect
        learnt = known.thinking_less()
        if cut.cut_off and known.room <= room:
            learnt = learnt.with_more_room()
        self._learnt.try_on(learnt)
