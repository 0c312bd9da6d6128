"""Asks a model questions whose answers are read strictly, and once more what cannot be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Generic, Self, TypeVar, overload

from msgspec import Struct

from assay_engine.drawing.dialogues import Dialogue, Wanted, carried_on, in_lockstep
from assay_engine.drawing.sampling import draw, draw_all
from assay_engine.settings import Sampling
from assay_engine.types import Draw, Model, Problem, ProblemKind, Prompt, Usage

# A model that misunderstood a question twice will not understand it the third time.
TRIES = 2
# Room for repeated votes on one prompt within a run, each with its tries.
SAMPLES_PER_RUN = 8

Read = TypeVar("Read")
_One = TypeVar("_One")
_Other = TypeVar("_Other")


class Asking:
    """One run: the same prompt in another run is another sample of the same prompt.

    `slots` bounds requests under way, over all runs that share it. Others may hold the slots for
    long: each request has the deadline to itself. Without slots, it is that of a whole round.
    `usage` is what the replies cost when they were drawn; `problems` say what kept those of a
    `dialogue` from coming.
    """

    def __init__(
        self,
        model: Model,
        sampling: Sampling,
        *,
        rerun: int = 0,
        slots: asyncio.Semaphore | None = None,
    ) -> None:
        self._model = model
        self.sampling = sampling
        self._rerun = rerun
        self._slots = slots
        self.usage = Usage()
        self._problems: set[Problem] = set()

    @classmethod
    def in_slots(cls, model: Model, sampling: Sampling) -> Self:
        """A run with slots of its own."""
        return cls(model, sampling, slots=asyncio.Semaphore(sampling.concurrency))

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

        `vote` numbers repeated questions from 0. None if neither reply can be read, or none came.
        """
        answer = yield from answered(
            (prompt, self._sample(vote * TRIES)),
            lambda text: Answer(reading(text)),
            _another_sample,
        )
        if answer.problem is not None:
            self._problems.add(answer.problem)
        return answer.value

    async def draws(self, wanted: Sequence[tuple[Prompt, Sequence[int]]]) -> tuple[Draw, ...]:
        """Samples of several prompts, which have the deadline together."""
        drawn = await draw_all(
            self._model,
            wanted,
            deadline_seconds=self.sampling.draw_seconds,
            concurrency=self.sampling.concurrency,
        )
        self.usage += sum((each.usage for each in drawn), Usage())
        return drawn

    def _sample(self, number: int) -> int:
        if number >= SAMPLES_PER_RUN:
            raise ValueError(f"a run has {SAMPLES_PER_RUN} samples of a prompt, not {number + 1}")
        return self._rerun * SAMPLES_PER_RUN + number

    async def _drawn(self, wanted: Sequence[Wanted]) -> Sequence[Draw]:
        if self._slots is None:
            return await self.draws([(prompt, [sample]) for prompt, sample in wanted])
        return await asyncio.gather(*(self._draw(self._slots, *each) for each in wanted))

    async def _draw(self, slots: asyncio.Semaphore, prompt: Prompt, sample: int) -> Draw:
        async with slots:
            drawn = await draw(
                self._model,
                prompt,
                [sample],
                deadline_seconds=self.sampling.draw_seconds,
                concurrency=1,
            )
        self.usage += drawn.usage
        return drawn


class Answer(Struct, Generic[Read], frozen=True):
    """What was read, or None and why, as far as that is known. `reason` is what is wrong with a
    reply, empty where none came."""

    value: Read | None
    problem: Problem | None = None
    reason: str = ""


def answered(
    wanted: Wanted,
    reading: Callable[[str], Answer[Read]],
    again: Callable[[Wanted, Answer[Read]], Wanted | None],
) -> Dialogue[Answer[Read]]:
    """What `reading` makes of the reply, or else of that to what is wanted `again`, if anything
    is."""
    answer = yield from _read(wanted, reading)
    further = None if answer.value is not None else again(wanted, answer)
    return answer if further is None else (yield from _read(further, reading))


def _read(wanted: Wanted, reading: Callable[[str], Answer[Read]]) -> Dialogue[Answer[Read]]:
    (drawn,) = yield (wanted,)
    return reading(drawn.replies[0].text) if drawn.replies else Answer(None, drawn.problems[0])


def _another_sample(wanted: Wanted, unread: Answer[Any]) -> Wanted | None:
    """Who could not be reached is not asked again, the model has done so as often as it may."""
    prompt, sample = wanted
    lost = unread.problem is not None and unread.problem.kind is not ProblemKind.REPLY_UNUSABLE
    return None if lost else (prompt, sample + 1)
