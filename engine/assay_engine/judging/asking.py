"""Asks a model on behalf of one run of a judge, and counts what it costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar, overload

from assay_engine.drawing.dialogues import Dialogue, Wanted, carried_on, in_lockstep
from assay_engine.drawing.sampling import draw
from assay_engine.settings import Sampling
from assay_engine.types import Draw, Model, Problem, ProblemKind, Prompt, Usage

# A reply that cannot be read is asked for once more.
ATTEMPTS = 2
# Room for repeated votes on one prompt within a run, each with its attempts.
SAMPLES_PER_RUN = 8

Read = TypeVar("Read")
_One = TypeVar("_One")
_Other = TypeVar("_Other")


class Asking:
    """One run: the same prompt in another run is another sample of the same prompt.

    `slots` bounds requests under way, over all runs that share it. `usage` is what the replies
    cost when they were drawn; `problems` say what kept any from coming.
    """

    def __init__(
        self,
        model: Model,
        *,
        rerun: int = 0,
        deadline_seconds: float,
        slots: asyncio.Semaphore,
    ) -> None:
        self._model = model
        self._rerun = rerun
        self._deadline_seconds = deadline_seconds
        self._slots = slots
        self._usage = Usage()
        self._problems: set[Problem] = set()

    @classmethod
    def within(cls, sampling: Sampling, model: Model) -> Self:
        """A run that keeps to what a check may ask for."""
        slots = asyncio.Semaphore(sampling.concurrency)
        return cls(model, deadline_seconds=sampling.draw_seconds, slots=slots)

    @property
    def usage(self) -> Usage:
        return self._usage

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Each once, in an order that does not depend on which came first."""
        return tuple(sorted(self._problems, key=lambda problem: (problem.kind, problem.message)))

    @overload
    async def answers(
        self, one: Dialogue[_One], other: Dialogue[_Other], /
    ) -> tuple[_One, _Other]: ...
    @overload
    async def answers(self, *dialogues: Dialogue[Read]) -> tuple[Read, ...]: ...
    async def answers(self, *dialogues: Dialogue[Any]) -> tuple[Any, ...]:
        """What comes of these dialogues, which are held in lockstep."""
        return await carried_on(in_lockstep(dialogues), self._drawn)

    async def answer(self, dialogue: Dialogue[Read]) -> Read:
        return await carried_on(dialogue, self._drawn)

    def dialogue(
        self, prompt: Prompt, reading: Callable[[str], Read | None], *, vote: int = 0
    ) -> Dialogue[Read | None]:
        """What `reading` makes of the reply, or of a second one if it makes nothing of the first.

        `vote` numbers repeated questions from 0. None if neither reply can be read, or none came:
        who could not be reached is not asked again, the model has done so as often as it may.
        """
        failure: Problem | None = None
        for attempt in range(ATTEMPTS):
            (drawn,) = yield ((prompt, self._sample(vote * ATTEMPTS + attempt)),)
            failure = None if drawn.replies else drawn.problems[0]
            found = reading(drawn.replies[0].text) if drawn.replies else None
            if found is not None:
                return found
            if failure is not None and failure.kind is not ProblemKind.REPLY_UNUSABLE:
                break
        if failure is not None:
            self._problems.add(failure)
        return None

    def _sample(self, number: int) -> int:
        if number >= SAMPLES_PER_RUN:
            raise ValueError(f"a run has {SAMPLES_PER_RUN} samples of a prompt, not {number + 1}")
        return self._rerun * SAMPLES_PER_RUN + number

    async def _drawn(self, wanted: Sequence[Wanted]) -> Sequence[Draw]:
        return await asyncio.gather(*(self._draw(prompt, sample) for prompt, sample in wanted))

    async def _draw(self, prompt: Prompt, sample: int) -> Draw:
        # Others may hold the slots for long: each request has the deadline to itself.
        async with self._slots:
            drawn = await draw(
                self._model,
                prompt,
                [sample],
                deadline_seconds=self._deadline_seconds,
                concurrency=1,
            )
        self._usage += drawn.usage
        return drawn
